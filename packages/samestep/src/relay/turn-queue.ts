import type { Session } from './session.ts'

/** Turns that wait at most, and their bytes: those of eight players in a tick, twice. */
const turnsMax = 32
const arenaBytes = 1_024

/** Longer turns do not wait: they carry orders, and are rare. */
const turnBytesMax = 128

// Shared by all matches: what was taken is used up before the next is.
const scratch = new Uint8Array(turnBytesMax)
const views = Array.from({ length: turnBytesMax + 1 }, (_, length) => scratch.subarray(0, length))

/**
 * Turns of one match that have come and wait for its next tick. Nothing that they say matters before;
 * taken in together, they find the match in the caches, and the tick finds them there. One by one, as
 * they come between system calls, most of their time is spent on waiting for memory.
 */
export class TurnQueue {
  readonly #sessions: (Session | undefined)[] = []
  readonly #times = new Float64Array(turnsMax)
  readonly #ends = new Uint16Array(turnsMax)
  readonly #arena = new Uint8Array(arenaBytes)
  #head = 0
  #count = 0
  /** What was taken last: its bytes, borrowed until the next is taken, and when it came. */
  bytes: Uint8Array = scratch
  atMs = 0

  get isEmpty(): boolean {
    return this.#head === this.#count
  }

  /** Lets a turn wait. False when there is no room for it. */
  push(session: Session, bytes: Uint8Array, nowMs: number): boolean {
    const index = this.#count
    const { length } = bytes
    const start = index === 0 ? 0 : (this.#ends[index - 1] as number)
    if (index === turnsMax || length > turnBytesMax || start + length > arenaBytes) return false
    const arena = this.#arena
    for (let at = 0; at < length; at++) arena[start + at] = bytes[at] as number
    this.#ends[index] = start + length
    this.#times[index] = nowMs
    this.#sessions[index] = session
    this.#count = index + 1
    return true
  }

  /** Takes the oldest turn, and gives whose it is; `undefined` when none waits. */
  shift(): Session | undefined {
    const index = this.#head
    if (index === this.#count) return undefined
    const start = index === 0 ? 0 : (this.#ends[index - 1] as number)
    const length = (this.#ends[index] as number) - start
    for (let at = 0; at < length; at++) scratch[at] = this.#arena[start + at] as number
    this.bytes = views[length] as Uint8Array
    this.atMs = this.#times[index] as number
    const session = this.#sessions[index]
    this.#sessions[index] = undefined
    this.#head = index + 1
    if (this.#head === this.#count) {
      this.#head = 0
      this.#count = 0
    }
    return session
  }
}
