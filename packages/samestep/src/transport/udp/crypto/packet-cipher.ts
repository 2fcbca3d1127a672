/**
 * Encrypts and decrypts the packets of a session, each direction with keys of its own. The sequence
 * number of a packet is its nonce; it goes on when the key changes and never comes back (I-18).
 *
 *     sender     key 0 ───────────────┐ 120 s     key 1 ─────────────────┐
 *                      41   42   43   │ 44 (phase 1)  45                 │ …
 *     receiver         key 0          │ tries key 1, keeps it            │
 *                ack 0 ◄──────────────┴──── ack 1 ◄── only now may key 2 come
 *
 * One bit tells the phase: nobody is two keys ahead of what the other side confirmed, and numbers tell
 * late packets of the key before from early ones of the next. Old keys cannot be computed from new
 * ones, so what was sent stays secret when a machine is captured later.
 */

import { ReplayWindow, replayWindowPackets } from '../../replay-window.ts'
import { phasePacketsMax, rekeyMs, rekeyPackets } from '../limits.ts'
import { headBytesOf, type PacketHead, writeHead } from '../udp-format.ts'
import { nextKey, open, sealPacket } from './aead.ts'

/** Where a direction begins; the defaults are right except in tests of what happens much later. */
export interface SequenceOptions {
  /** The first sequence number, 0 if left out. */
  readonly firstSequence?: number
  /** How many packets the first key has encrypted before. */
  readonly firstCount?: number
}

/** What {@link PacketSealer.seal} needs besides the bytes. */
export type SealHead = Pick<PacketHead, 'isControl' | 'ackPhase' | 'sessionId'>

/** The sending half. */
export class PacketSealer {
  #key: Uint8Array
  #phase: 0 | 1 = 0
  #sequence: number
  /** Packets under this key, and since when. */
  #count: number
  #sinceMs: number
  /** Whether the other side has seen this key. */
  #isConfirmed = false
  #rekeys = 0

  constructor(key: Uint8Array, nowMs: number, options: SequenceOptions = {}) {
    this.#key = key
    this.#sinceMs = nowMs
    this.#sequence = options.firstSequence ?? 0
    this.#count = options.firstCount ?? 0
  }

  /** How often the key has changed. */
  get rekeys(): number {
    return this.#rekeys
  }

  /**
   * The packet; `undefined` when numbers or the key are used up, which ends the session. Only somebody
   * who answers nothing for 2³² packets brings that about.
   */
  seal(head: SealHead, plain: Uint8Array, nowMs: number): Uint8Array | undefined {
    const isDue = this.#count >= rekeyPackets || nowMs - this.#sinceMs >= rekeyMs
    if (isDue && this.#isConfirmed) this.#rekey(nowMs)
    if (this.#count >= phasePacketsMax) return undefined
    const sequence = this.#sequence
    if (sequence > Number.MAX_SAFE_INTEGER) return undefined
    this.#sequence++
    this.#count++
    const { isControl, ackPhase, sessionId } = head
    const bytes = writeHead({ isControl, phase: this.#phase, ackPhase, sessionId, sequence })
    return sealPacket(this.#key, sequence, bytes, plain)
  }

  /** The newest packet of the other side says which key it has seen. */
  handleAck(phase: 0 | 1): void {
    if (phase === this.#phase) this.#isConfirmed = true
  }

  #rekey(nowMs: number): void {
    this.#key = nextKey(this.#key)
    this.#phase = this.#phase === 0 ? 1 : 0
    this.#count = 0
    this.#sinceMs = nowMs
    this.#isConfirmed = false
    this.#rekeys++
  }
}

/** What became of a packet: its content, or why not. */
export type Opened = Uint8Array | 'forged' | 'replay'

/** The receiving half. */
export class PacketOpener {
  readonly #window = new ReplayWindow()
  #previous: Uint8Array | undefined
  #current: Uint8Array
  #next: Uint8Array | undefined
  #phase: 0 | 1 = 0
  /** The lowest number that came under the current key. Late ones below have the previous key. */
  #phaseStart = 0

  constructor(key: Uint8Array) {
    this.#current = key
  }

  /** The phase of the newest key, for the other side to know. */
  get phase(): 0 | 1 {
    return this.#phase
  }

  /** The highest number that came; −1 before the first. */
  get newest(): number {
    return this.#window.newest
  }

  /** Decrypts a packet whose head was read. Changes nothing unless it is authentic and new (T-06). */
  open(bytes: Uint8Array, head: PacketHead): Opened {
    const { sequence, phase } = head
    if (!this.#window.isNew(sequence)) return 'replay'
    const isNext = phase !== this.#phase && sequence >= this.#phaseStart
    const key = this.#keyOf(phase, isNext)
    if (key === undefined) return 'forged'
    const end = headBytesOf(bytes, head.sessionId !== undefined)
    const plain = open(key, sequence, bytes.subarray(0, end), bytes.subarray(end))
    if (plain === undefined) return 'forged'
    if (isNext) this.#promote(phase, sequence)
    else if (phase === this.#phase && sequence < this.#phaseStart) this.#phaseStart = sequence
    this.#window.add(sequence)
    // Nothing that old passes the window, so its key is of no use but to a thief.
    if (this.#window.newest - this.#phaseStart >= replayWindowPackets) this.#previous = undefined
    return plain
  }

  #keyOf(phase: 0 | 1, isNext: boolean): Uint8Array | undefined {
    if (phase === this.#phase) return this.#current
    if (!isNext) return this.#previous
    // Kept, so that a flood of forged packets of the next phase computes it once.
    this.#next ??= nextKey(this.#current)
    return this.#next
  }

  #promote(phase: 0 | 1, sequence: number): void {
    this.#previous = this.#current
    this.#current = this.#next!
    this.#next = undefined
    this.#phase = phase
    this.#phaseStart = sequence
  }
}
