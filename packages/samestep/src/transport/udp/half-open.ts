/**
 * Handshakes that are not over, by the client's ephemeral key. Each has the same time, so the oldest
 * is always the first. A failed one keeps its place until its time is up: that is what bounds how
 * often strangers can make this side compute (at most 4 096 Diffie-Hellmans or so in five seconds).
 * A finished one stays too, but counts no more: its first message may still come again.
 */
import { assert } from '../../base/assert.ts'
import { halfOpenMax, halfOpenPerGroupMax, handshakeMs } from './limits.ts'
import type { NoiseHandshake } from './noise-handshake.ts'
import type { UdpAddress } from './udp-format.ts'

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
  readonly group: string
  readonly from: UdpAddress
  readonly sessionId: number
  readonly untilMs: number
  state: HandshakeState
}

/** All of them. */
export class HalfOpenTable {
  readonly #byKey = new Map<string, HalfOpen>()
  readonly #bySession = new Map<number, HalfOpen>()
  readonly #groups = new Map<string, number>()
  #count = 0

  /** Those that count: waiting, answered or failed. */
  get count(): number {
    return this.#count
  }

  /** Everything that is remembered. */
  get size(): number {
    return this.#byKey.size
  }

  /** Why there is no room for another one from there; `undefined` if there is. */
  refusal(group: string): 'half-open' | 'group' | undefined {
    if (this.#count >= halfOpenMax) return 'half-open'
    return (this.#groups.get(group) ?? 0) >= halfOpenPerGroupMax ? 'group' : undefined
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
    this.#groups.set(entry.group, (this.#groups.get(entry.group) ?? 0) + 1)
    this.#count++
    return added
  }

  /** It came to its end: its place is free. */
  finish(entry: HalfOpen): void {
    if (entry.state.name === 'finished') return
    entry.state = { name: 'finished' }
    this.#release(entry)
  }

  /** Forgets those whose time is up, and tells each. */
  expire(nowMs: number, onExpired: (entry: HalfOpen) => void): void {
    for (const entry of this.#byKey.values()) {
      if (nowMs < entry.untilMs) return
      this.#byKey.delete(entry.key)
      this.#bySession.delete(entry.sessionId)
      if (entry.state.name !== 'finished') this.#release(entry)
      onExpired(entry)
    }
  }

  /** When the first one's time is up. */
  wakeAtMs(): number {
    for (const { untilMs } of this.#byKey.values()) return untilMs
    return Number.POSITIVE_INFINITY
  }

  #release({ group }: HalfOpen): void {
    this.#count--
    const left = this.#groups.get(group)! - 1
    if (left === 0) this.#groups.delete(group)
    else this.#groups.set(group, left)
  }
}
