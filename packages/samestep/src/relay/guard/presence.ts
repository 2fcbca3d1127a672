/** How others see a client, and what is told about it. The watch itself is `Liveness`. */

import type { PresenceWord } from '../../wire/codes.ts'

/** How the watch over a client sees it: whether it has the state yet is not its business. */
export type LivenessWord = Exclude<PresenceWord, 'authorised' | 'downloading'>

/** Why somebody is gone. */
export type GoneReason = 'timeout' | 'too-slow'

/** What is on record about an end, for results and ladders (DIS-11). */
export interface Blame {
  readonly seat: number | undefined
  readonly reason: GoneReason
  /** The newest tick that is proved to have been executed. */
  readonly tick: number
  readonly wasSilentMs: number
  readonly lateTicks: number
}

/** What others should know, with the time (DIS-14). */
export type PresenceEvent =
  | {
      readonly type:
        | 'silent'
        | 'unresponsive'
        | 'back'
        | 'hidden'
        | 'visible'
        | 'lagging'
        | 'catching-up'
        | 'caught-up'
        /** Nothing comes over the link any more: close it; the session waits for another one. */
        | 'half-open'
      readonly atMs: number
      readonly tick: number
    }
  | { readonly type: 'gone'; readonly atMs: number; readonly blame: Blame }

/** When one of several sessions has to be looked after, or before: their owner sets it anew. */
export interface LivenessAlarm {
  atMs: number
}
