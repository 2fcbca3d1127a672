import { parseLabel } from '../../sim/hash/label.ts'
import { leafRowsMax } from '../../sim/limits.ts'
import type { ProbeAnswer, ProbeEntry } from '../../wire/messages/desync-probes.ts'
import { findCell } from './cell-descent.ts'
import type { Suspicion } from './first-tick.ts'
import { findFirstTick } from './first-tick.ts'
import type { FoundLeaves } from './leaf-descent.ts'
import { findLeaves } from './leaf-descent.ts'
import type { FoundPlace, FoundWrite, PairFinding } from './pair-finding.ts'
import type { Sides } from './sides.ts'
import type { Search } from './step.ts'
import { ask, askBoth } from './step.ts'
import { findWrite } from './write-search.ts'

type Reruns = Sides<ProbeAnswer<'rerun'> | undefined>

/**
 * Finds out how two machines went apart, by asking both:
 *
 *     first bad tick ──► leaf ──► both run it again ──► row and field ──► first write that differs
 *                                                       "located"         "traced"
 *
 * Whatever one of them cannot say is left out, and the rest is found out all the same. Both may lie: what
 * is found is then wrong, and nothing else happens.
 *
 * @throws BadAnswer for an answer that no honest machine gives.
 */
export function* searchPair(suspicion: Suspicion): Search<void> {
  const { tick, isExact: isFirst } = yield* findFirstTick(suspicion)
  const leaves = yield* findLeaves(tick)
  // Chains alone may differ for another reason: one of both may have begun with a state.
  const isExact = isFirst && (suspicion.agreedTick === tick - 1 || (leaves?.count ?? 0) > 0)
  const reruns = yield* askBoth('rerun', { tick })
  const place = yield* findPlace(tick, leaves, reruns)
  const found: PairFinding = {
    stage: 'located',
    tick,
    isExact,
    leaves: leaves?.labels ?? [],
    leafCount: leaves?.count ?? 0,
    place,
    reruns,
    write: undefined,
    areWritesSame: false,
    outside: [undefined, undefined],
  }
  if (place !== undefined || suspicion.agreedTick !== tick - 1) {
    yield { type: 'found', finding: found }
  }
  const [a, b] = reruns
  if (a === undefined && b === undefined) return
  const traced = a !== undefined && b !== undefined ? yield* findWrite(tick) : undefined
  const write = traced?.result === 'differs' ? traced.write : undefined
  // Both come to their own states again, and something is written otherwise: maybe by the clock, which
  // had not moved on far enough to show.
  const isWritten = write?.sides.every((entry) => entry?.kind !== 'call') === true
  // From their saved states both write the same, and had different states: one of them knew more.
  const isUnexplained = isWritten || traced?.result === 'same'
  const written = yield* findWritten(tick, leaves, reruns, write)
  const outside = yield* ask('outside', [
    a !== undefined && (!a.isSame || isUnexplained) ? { tick } : undefined,
    b !== undefined && (!b.isSame || isUnexplained) ? { tick } : undefined,
  ])
  yield {
    type: 'found',
    finding: {
      ...found,
      stage: 'traced',
      write,
      areWritesSame: traced?.result === 'same',
      outside,
      place: withOutside(written ?? place, outside),
    },
  }
}

/** The first value that differs, of what the game declared if there is any of that. */
function* findPlace(
  tick: number,
  leaves: FoundLeaves | undefined,
  reruns: Reruns,
): Search<FoundPlace | undefined> {
  const labels = leaves?.labels ?? []
  const label = labels.find((each) => !each.startsWith('#')) ?? labels[0]
  if (label === undefined) return undefined
  const shownTick = tickToShow(tick, reruns)
  const cell = shownTick === undefined ? undefined : yield* findCell(shownTick, label)
  if (cell !== undefined) return cell
  const { part, column } = parseLabel(label) ?? { part: label, column: '' }
  return { part, row: undefined, field: column, tick, values: undefined }
}

/**
 * Of many fields that differ, the one that was written first: systems run in sequence, and what the later
 * ones wrote mostly follows from it. `undefined` where that is not known, or nothing else differs.
 */
function* findWritten(
  tick: number,
  leaves: FoundLeaves | undefined,
  [a, b]: Reruns,
  write: FoundWrite | undefined,
): Search<FoundPlace | undefined> {
  const entry = write && firstOf(write)
  if (leaves === undefined || leaves.count < 2 || entry === undefined) return undefined
  // Writes of a second run say nothing about a state that no run gives.
  if (a?.isSame !== true || b?.isSame !== true) return undefined
  const block = Math.floor((entry.row ?? 0) / leafRowsMax)
  const [column = ''] = entry.field.split(/[.[]/)
  const label = `${entry.part}/${column}/${block}`
  return leaves.labels.includes(label) ? yield* findCell(tick, label) : undefined
}

/**
 * Which of the two writes at which traces part came first. Of two places, one that the other side writes
 * to a little later is not it: the other side did something in between.
 */
function firstOf({ sides: [a, b], excerpts }: FoundWrite): ProbeEntry | undefined {
  if (a === undefined || b === undefined) return a ?? b
  const isBehind = (side: 0 | 1, from: ProbeEntry, at: ProbeEntry) => {
    const entries = excerpts[side]
    return entries.slice(entries.indexOf(from) + 1).some((each) => isSamePlace(each, at))
  }
  return !isSamePlace(a, b) && isBehind(1, b, a) && !isBehind(0, a, b) ? b : a
}

function isSamePlace(one: ProbeEntry, other: ProbeEntry): boolean {
  return one.part === other.part && one.row === other.row && one.field === other.field
}

/** After which tick both can show what they really had. */
function tickToShow(tick: number, [a, b]: Reruns): number | undefined {
  if (a === undefined || b === undefined) return undefined
  const wanted = [a, b].filter(({ isSame }) => !isSame).map(({ actualTick }) => actualTick)
  const [first = tick] = wanted
  return wanted.every((each) => each === first) ? first : undefined
}

/** A place without a row is completed by what the machine that was changed found out itself. */
function withOutside(
  place: FoundPlace | undefined,
  outside: Sides<ProbeAnswer<'outside'> | undefined>,
): FoundPlace | undefined {
  if (place !== undefined && place.values !== undefined) return place
  for (const side of outside) {
    const changed = side?.places.find(
      ({ part, field }) => place === undefined || (part === place.part && field === place.field),
    )
    if (changed === undefined) continue
    const { part, row, field } = changed
    return { part, row, field, tick: place?.tick ?? 0, values: undefined }
  }
  return place
}
