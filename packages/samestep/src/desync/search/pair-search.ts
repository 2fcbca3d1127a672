import { parseLabel } from '../../sim/hash/label.ts'
import type { ProbeAnswer } from '../../wire/desync-probes.ts'
import { findCell } from './cell-descent.ts'
import type { Suspicion } from './first-tick.ts'
import { findFirstTick } from './first-tick.ts'
import type { FoundLeaves } from './leaf-descent.ts'
import { findLeaves } from './leaf-descent.ts'
import type { FoundPlace, PairFinding } from './pair-finding.ts'
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
  const outside = yield* ask('outside', [
    a?.isSame === false ? { tick } : undefined,
    b?.isSame === false ? { tick } : undefined,
  ])
  yield {
    type: 'found',
    finding: {
      ...found,
      stage: 'traced',
      write: traced?.result === 'differs' ? traced.write : undefined,
      areWritesSame: traced?.result === 'same',
      outside,
      place: withOutside(place, outside),
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
