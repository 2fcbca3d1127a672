import { probeChainsMax } from '../../wire/messages/desync-probes.ts'
import type { Search } from './step.ts'
import { askBoth, BadAnswer } from './step.ts'

/** What the reports of two machines say. */
export interface Suspicion {
  /** A tick on which they differ. */
  readonly tick: number
  /** The newest tick before on which they are known to agree. */
  readonly agreedTick: number | undefined
  /** The oldest tick that they may remember. */
  readonly oldestTick: number
}

/** The first bad tick. */
export interface FirstTick {
  readonly tick: number
  /** Whether the tick before was good for certain. */
  readonly isExact: boolean
}

/**
 * The first tick on which two machines differ. Mostly it is known: clients report nearly every tick. Where
 * reports are missing, chains are asked for, up to 32 at a time: they are equal up to the first bad tick
 * and different from there on.
 */
export function* findFirstTick({ tick, agreedTick, oldestTick }: Suspicion): Search<FirstTick> {
  let low = agreedTick ?? oldestTick - 1
  let isLowGood = agreedTick !== undefined || low < 0
  let high = tick
  while (high - low > 1) {
    const step = Math.ceil((high - low) / (probeChainsMax + 1))
    const first = low + step
    const count = Math.min(probeChainsMax, Math.ceil((high - first) / step))
    const [a, b] = yield* askBoth('chains', { first, step, count })
    if (a === undefined || b === undefined) break
    if (a.chains.length !== count) throw new BadAnswer(0, 'Other chains than those asked for')
    if (b.chains.length !== count) throw new BadAnswer(1, 'Other chains than those asked for')
    for (let index = 0; index < count; index++) {
      const [mine, theirs] = [a.chains[index], b.chains[index]]
      const isKnown = mine !== undefined && theirs !== undefined
      if (isKnown && (mine.lo !== theirs.lo || mine.hi !== theirs.hi)) {
        high = first + index * step
        break
      }
      // What one of them has forgotten lies before all that both remember.
      low = first + index * step
      isLowGood = isKnown
    }
  }
  return { tick: high, isExact: isLowGood && high - low === 1 }
}
