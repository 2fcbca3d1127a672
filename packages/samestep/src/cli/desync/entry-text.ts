import { callSiteText } from '../../base/call-site-text.ts'
import type { ProbeEntry } from '../../wire/messages/desync-probes.ts'

/** A place of the state, as `units.x, row 812`. */
export function placeText(part: string, row: number | undefined, field: string): string {
  const name = field === '' ? part : `${part}.${field}`
  return `${name}${row === undefined ? '' : `, row ${row}`}`
}

/** A write with its values, the function of the game and the line that made it. */
export function entryText(entry: ProbeEntry): string {
  const { where, name, site } = entry
  const line = site === undefined ? '' : `, ${callSiteText(site)}`
  return `${writeText(entry)}, in ${where === 'step' ? name : `${where} ${name}`}${line}`
}

/** A write with its values alone. */
export function writeText({ kind, part, row, field, before, after }: ProbeEntry): string {
  if (kind === 'draw') return `draws from ${field}`
  if (kind === 'call') return `${field} gives ${after}`
  return `${kind} ${placeText(part, row, field)}: ${before} to ${after}`
}
