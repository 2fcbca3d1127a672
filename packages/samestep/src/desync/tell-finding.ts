import type { ProbeEntry } from '../wire/messages/desync-probes.ts'
import type { MessageBody } from '../wire/messages/messages.ts'
import { findCause } from './doctor/live-cause.ts'
import type { PairFinding } from './search/pair-finding.ts'
import { namesOf } from './seat-names.ts'
import { tellText } from './told-text.ts'

/** Whose the two sides of a finding are. */
export type FindingSeats = readonly [readonly number[], readonly number[]]

/** All but which desync it is about. */
type Told = Omit<MessageBody<'RelayFinding'>, 'toldTick'>

/**
 * A finding as members are told it. Values are left out unless `showsValues`: in a match that goes on, what
 * one player's machine holds is no business of the others (T-51). So are folders of source files.
 */
export function tellFinding(finding: PairFinding, seats: FindingSeats, showsValues: boolean): Told {
  const { stage, tick, isExact, place, leafCount } = finding
  const values = place?.values?.flatMap((value, side) =>
    value === undefined ? [] : [{ seats: [...(seats[side] as readonly number[])], value }],
  )
  const cause = findCause(finding, [namesOf(seats[0]), namesOf(seats[1])])
  return {
    stage,
    tick,
    isExact,
    place: place && {
      part: tellText(place.part, 128),
      row: place.row,
      field: tellText(place.field, 128),
      tick: place.tick,
      values: showsValues ? (values ?? []) : [],
      leafCount: Math.min(leafCount, 65_535),
    },
    writes: writesOf(finding, seats, showsValues),
    cause: cause && {
      id: cause.id,
      text: tellText(cause.text, 400),
      advice: tellText(cause.advice, 400),
    },
  }
}

/** The first differing write on either side, or the one that a machine does not make twice alike. */
function writesOf(
  { write, outside }: PairFinding,
  seats: FindingSeats,
  showsValues: boolean,
): Told['writes'] {
  const found: Told['writes'] = []
  for (const side of [0, 1] as const) {
    const entry = outside[side]?.unstable ?? write?.sides[side]
    if (entry !== undefined) found.push(tellWrite(entry, seats[side], showsValues))
  }
  return found
}

function tellWrite(
  { kind, where, name, part, row, field, after, site }: ProbeEntry,
  seats: readonly number[],
  showsValues: boolean,
): Told['writes'][number] {
  const system = where === 'step' ? name : `${where} ${name}`
  const file = showsValues ? site?.file : site?.file.replace(/^.*[\\/]/, '')
  return {
    seats: [...seats],
    kind,
    system: tellText(system, 80),
    part,
    row,
    field,
    value: showsValues ? after : '',
    site: site && { ...site, file: file ?? '' },
  }
}
