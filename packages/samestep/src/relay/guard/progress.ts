import { behindMsMax, catchUpMsMax, standstillMsMax } from '../../wire/patience.ts'
import type { Playing } from './lag.ts'

/** What a client does that we hear of. */
export type Awake =
  | Playing
  | { readonly name: 'catching-up' }
  /** The page is hidden; whether it will have to catch up when it is shown. */
  | { readonly name: 'hidden'; readonly isBehind: boolean }

/** How far a client has proved to be, and when it last proved that it goes on. */
export class Progress {
  atMs: number
  /** The newest tick that is proved to have been executed. */
  #executedTick = 0

  constructor(nowMs: number) {
    this.atMs = nowMs
  }

  get executedTick(): number {
    return this.#executedTick
  }

  /** When patience ends with somebody who plays and executes nothing. */
  get standstillAtMs(): number {
    return this.atMs + standstillMsMax
  }

  /** It is proved that the client has executed a tick. */
  note(executedTick: number, sealedTick: number, nowMs: number): void {
    const isMoving = executedTick > this.#executedTick || executedTick === sealedTick
    if (isMoving) this.atMs = nowMs
    if (executedTick > this.#executedTick) this.#executedTick = executedTick
  }

  /** When patience ends with somebody who does this and does not get further. */
  tooSlowAtMs(awake: Awake, sealedTick: number): number {
    if (awake.name === 'hidden') return Number.POSITIVE_INFINITY
    if (awake.name === 'catching-up') return this.atMs + catchUpMsMax
    // Not while there is nothing to execute.
    const isBehind = sealedTick > this.#executedTick
    const stillAtMs = isBehind ? this.standstillAtMs : Number.POSITIVE_INFINITY
    return awake.name === 'active'
      ? stillAtMs
      : Math.min(stillAtMs, awake.behindSinceMs + behindMsMax)
  }
}
