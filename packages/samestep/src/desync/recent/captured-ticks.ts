import { probeChainsMax } from '../../wire/messages/desync-probes.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { RecentTicks } from './recent-ticks.ts'
import type { KeptState } from './snapshot-ring.ts'

/** What a client knows of the match that it plays. */
export interface PlayedMatch {
  readonly game: { readonly id: string; readonly version: number; readonly fingerprint: string }
  /** Its seat is `undefined` for a spectator. */
  readonly seated: Pick<MessageBody<'RelaySeated'>, 'matchId' | 'seed' | 'config' | 'seat'>
  /** The tick that ran last. */
  readonly tick: number
  readonly recent: RecentTicks
}

/** A hash of everything up to a tick. */
export interface Chain {
  readonly lo: number
  readonly hi: number
}

/** What {@link RecentTicks} held at one moment, as far as a desync needs it. */
export interface CapturedTicks {
  /** The newest state on which everybody agreed. */
  readonly state: KeptState | undefined
  /** The chains up to the bad tick, and the tick of the first; `undefined` where none is known. */
  readonly firstChainTick: number
  readonly chains: readonly (Chain | undefined)[]
  /** The bundles that were kept, and the tick of the first. */
  readonly firstBundleTick: number
  readonly bundles: readonly (Uint8Array | undefined)[]
}

/**
 * Copies what explains a desync, before newer ticks take its place or a resync clears it: the rest of the
 * code that makes a report of it is still to be loaded.
 */
export function captureTicks(
  { recent, tick: lastTick }: PlayedMatch,
  badTick: number,
  agreedTick = badTick - 1,
): CapturedTicks {
  const state = recent.states.newestUpTo(agreedTick)
  const firstChainTick = Math.max(badTick - probeChainsMax + 1, 0)
  const firstBundleTick = recent.bundles.oldestTick
  const words = new Uint32Array(2)
  return {
    state: state && { ...state, snapshot: state.snapshot.slice() },
    firstChainTick,
    chains: Array.from({ length: badTick - firstChainTick + 1 }, (_, index) => {
      const isKnown = recent.chains.wordsAt(firstChainTick + index, words)
      return isKnown ? { lo: words[0] as number, hi: words[1] as number } : undefined
    }),
    firstBundleTick,
    bundles: Array.from({ length: Math.max(lastTick - firstBundleTick + 1, 0) }, (_, index) =>
      recent.bundles.at(firstBundleTick + index),
    ),
  }
}
