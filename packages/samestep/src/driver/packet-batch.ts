import { streamPacketBytesMax } from '../wire/limits.ts'

/** Bytes of packets that wait at the most: any one packet fits, and several hundred usual ones. */
const arenaBytes = 4 * streamPacketBytesMax

/** Packets that wait at the most. */
const packetsMax = 4_096

/**
 * Packets that came in one turn of the event loop, until they are handled one right after the other:
 * by code that is then still in the caches, which between two reads of a socket it is not. Nothing is
 * made for a packet but the view by which it is handed on.
 */
export class PacketBatch {
  readonly #arena = new Uint8Array(arenaBytes)
  readonly #links = new Float64Array(packetsMax)
  readonly #times = new Float64Array(packetsMax)
  /** Where each begins; and, behind the last, where the next one will. */
  readonly #starts = new Uint32Array(packetsMax + 1)
  #count = 0

  /** Packets that wait. */
  get count(): number {
    return this.#count
  }

  /** Keeps a copy. False when there is no room: handle those that wait, then it fits. */
  add(link: number, bytes: Uint8Array, atMs: number): boolean {
    const count = this.#count
    const start = this.#starts[count] as number
    const end = start + bytes.length
    if (end > arenaBytes || count === packetsMax) return false
    this.#arena.set(bytes, start)
    this.#links[count] = link
    this.#times[count] = atMs
    this.#starts[count + 1] = end
    this.#count = count + 1
    return true
  }

  linkOf(index: number): number {
    return this.#links[index] as number
  }

  /** When it came. */
  atMsOf(index: number): number {
    return this.#times[index] as number
  }

  /** Lent until the next call of {@link add} after {@link clear}. */
  bytesOf(index: number): Uint8Array {
    const start = this.#starts[index] as number
    return this.#arena.subarray(start, this.#starts[index + 1])
  }

  clear(): void {
    this.#count = 0
  }
}
