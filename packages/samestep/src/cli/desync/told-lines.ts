import { callSiteText } from '../../base/call-site-text.ts'
import type { DesyncFile } from '../../desync/report-file.ts'
import { namesOf } from '../../desync/seat-names.ts'
import { placeText } from './entry-text.ts'

/** What a client was told of how the machines went apart. */
export function toldLines({ place, writes, cause }: NonNullable<DesyncFile['told']>): string[] {
  const lines = ['The report of the client', '']
  if (place !== undefined) {
    lines.push(`  where        ${placeText(place.part, place.row, place.field)}`)
    for (const { seats, value } of place.values) lines.push(`    ${namesOf(seats)}: ${value}`)
  }
  for (const { seats, system, kind, part, row, field, site, value } of writes) {
    const line = site === undefined ? '' : `, ${callSiteText(site)}`
    const wrote = value === '' ? '' : `: ${value}`
    const isPlace = kind !== 'draw' && kind !== 'call'
    const what = isPlace ? `${kind} ${placeText(part, row, field)}` : `${kind} ${field}`
    lines.push(`  write        ${namesOf(seats)}: ${what}${wrote}, in ${system}${line}`)
  }
  if (cause !== undefined)
    lines.push(`  cause        ${cause.id}: ${cause.text}`, `  advice       ${cause.advice}`)
  return lines
}
