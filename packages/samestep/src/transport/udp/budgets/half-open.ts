/**
 * Handshakes that are not over, by the client's ephemeral key. Each has the same time, so the oldest
 * is always the first. A failed one keeps its place among the strangers of its address until its time
 * is up; a finished one hands its place on to its session. It stays here too, but counts no more: its
 * first message may still come again.
 */
import { assert } from '../../../base/assert.ts'
import type { NoiseHandshake } from '../crypto/noise-handshake.ts'
import { handshakeMs } from '../limits.ts'
import type { UdpAddress } from '../udp-format.ts'

/** How far a handshake has come. */
export type HandshakeState =
  /** XX: its last message is missing. */
  | { readonly name: 'waiting'; readonly noise: NoiseHandshake; readonly accept: Uint8Array }
  /** IK: answered; the client has not used the keys yet. Or refused with a code, in the answer. */
  | { readonly name: 'answered'; readonly accept: Uint8Array }
  | { readonly name: 'failed' }
  | { readonly name: 'finished' }

/** One handshake. */
export interface HalfOpen {
  readonly key: string
  readonly from: UdpAddress
  readonly sessionId: number
  readonly untilMs: number
  /** Frees its place among the strangers. */
  readonly leave: () => void
  state: HandshakeState
}

/** All of them. */
export class HalfOpenTable {
  readonly #byKey = new Map<string, HalfOpen>()
  readonly #bySession = new Map<number, HalfOpen>()
  #count = 0

  /** Those that count: waiting, answered or failed. */
  get count(): number {
    return this.#count
  }

  /** Everything that is remembered. */
  get size(): number {
    return this.#byKey.size
  }

  get(key: string): HalfOpen | undefined {
    return this.#byKey.get(key)
  }

  getBySession(sessionId: number): HalfOpen | undefined {
    return this.#bySession.get(sessionId)
  }

  /** Adds one that nobody knows yet. */
  add(entry: Omit<HalfOpen, 'untilMs'>, nowMs: number): HalfOpen {
    assert(!this.#byKey.has(entry.key), 'A handshake is added once')
    const added = { ...entry, untilMs: nowMs + handshakeMs }
    this.#byKey.set(entry.key, added)
    this.#bySession.set(entry.sessionId, added)
    this.#count++
    return added
  }

  /** It came to its end: its place is its session's from now on. */
  finish(entry: HalfOpen): void {
    if (entry.state.name === 'finished') return
    entry.state = { name: 'finished' }
    this.#count--
  }

  /** Forgets those whose time is up, and tells each. */
  expire(nowMs: number, onExpired: (entry: HalfOpen) => void): void {
    for (const entry of this.#byKey.values()) {
      if (nowMs < entry.untilMs) return
      this.#byKey.delete(entry.key)
      this.#bySession.delete(entry.sessionId)
      if (entry.state.name !== 'finished') {
        this.#count--
        entry.leave()
      }
      onExpired(entry)
    }
  }

  /** When the first one's time is up. */
  wakeAtMs(): number {
    for (const { untilMs } of this.#byKey.values()) return untilMs
    return Number.POSITIVE_INFINITY
  }
}
