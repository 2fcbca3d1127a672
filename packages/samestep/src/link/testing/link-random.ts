/** A small seeded generator (xorshift), so that a failing world can be run again. */
export class LinkRandom {
  #state: number

  constructor(seed: number) {
    this.#state = Math.imul(seed | 0, 0x9e37_79b1) | 1
    for (let turn = 0; turn < 8; turn++) this.next()
  }

  /** 32 bits. */
  next(): number {
    let state = this.#state
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    this.#state = state
    return state >>> 0
  }

  /** An integer in [0, limit). */
  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit)
  }

  chance(share: number): boolean {
    return this.next() / 2 ** 32 < share
  }

  bytes(size: number): Uint8Array {
    return Uint8Array.from({ length: size }, () => this.next() & 0xff)
  }
}
