import type { Channel } from '../../link/channel.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { isStateHashTick } from '../../wire/messages/state-transfer.ts'
import type { Digests } from './digests.ts'

/** Whose state is told of. */
export interface ReportedState {
  /** The tick that ran last. */
  readonly tick: number
  /** Everything that the hash is of, copied into `into` if there is room. */
  copy(into: Uint8Array): Uint8Array
}

/**
 * Tells the relay what the whole state hashes to, now and then: 256 bits, which nobody can find another
 * state for, beside the 64 of every tick. The tick pays for a copy, and nothing else.
 */
export class StateReports {
  readonly #state: ReportedState
  readonly #digests: Digests
  readonly #said: Uint8Array[] = []
  /** Kept for the next copy: fresh memory costs more than what is written to it. */
  #spare: Uint8Array = new Uint8Array(0)
  #toldTick = -1
  #waiting = 0

  constructor(state: ReportedState, digests: Digests) {
    this.#state = state
    this.#digests = digests
  }

  /** The state is that after a tick, before the next one. */
  noteState(): void {
    const { tick } = this.#state
    if (!isStateHashTick(tick) || tick <= this.#toldTick) return
    // A machine that catches up makes them faster than they are hashed, and leaves some out.
    if (this.#waiting >= waitingMax) return
    this.#toldTick = tick
    this.#waiting += 1
    const bytes = this.#state.copy(this.#spare)
    this.#spare = new Uint8Array(0)
    this.#digests.begin(bytes, bytes.byteLength, (hash) => {
      this.#waiting -= 1
      this.#spare = new Uint8Array(bytes.buffer)
      this.#said.push(encodeMessage('ClientState', { tick, hash }))
    })
  }

  /** The state came from elsewhere: what was told of it before does not count. */
  restart(): void {
    this.#toldTick = -1
  }

  /** A new link: what was not sent over the old one is too old to matter. */
  dropUnsent(): void {
    this.#said.length = 0
  }

  /** Sends what there is to say. Gives whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    if (this.#said.length === 0) return false
    for (const message of this.#said.splice(0)) channel.sendControl(message, nowMs)
    return true
  }

  get hasNews(): boolean {
    return this.#said.length > 0
  }
}

/** Copies that wait to be hashed: each is as large as the state. */
const waitingMax = 2
