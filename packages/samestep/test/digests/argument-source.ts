/**
 * Arguments and digests for what must be the same in every engine. Own generator, own hash: a fault in
 * the library's cannot hide one here. Nothing needs more than the language itself.
 */

/** Every power of two with its neighbours, as int32: where carries, signs and saturation change. */
function makeEdges(): number[] {
  const edges = [0, 205_887, -205_887, 411_775, 102_944]
  for (let bit = 0; bit < 32; bit++) {
    const power = 1 << bit
    edges.push((power - 1) | 0, power, (power + 1) | 0, -power | 0)
  }
  return edges
}

/** Gives int32 arguments of all magnitudes, every eighth one an edge. Always the same ones. */
export class ArgumentSource {
  #state = 0x1234_5678
  readonly #edges = makeEdges()

  /** Any 32 bits. */
  word(): number {
    this.#state = (this.#state + 0x9e37_79b9) | 0
    let word = this.#state
    word = Math.imul(word ^ (word >>> 16), 0x21f0_aaad)
    word = Math.imul(word ^ (word >>> 15), 0x735a_2d97)
    return word ^ (word >>> 15)
  }

  /** An int32. */
  int32(): number {
    const choice = this.word()
    if ((choice & 7) === 0) return this.#edges[(choice >>> 3) % this.#edges.length]!
    return this.word() >> ((choice >>> 3) & 31)
  }
}

/** Two multiplying lanes: 64 bits that depend on every number and on their sequence. */
export class NumberDigest {
  #low = 0x811c_9dc5
  #high = 0x9dc5_811c

  /** Takes any number. Doubles that are no int32 go in by their parts; `-0` differs from 0. */
  add(value: number): void {
    if (Object.is(value | 0, value)) {
      this.#word(value)
    } else {
      // Tagged, so that no double looks like two integers.
      this.#word(0x0bad_f00d)
      this.#word(Object.is(value, -0) ? 1 : 0)
      this.#word(Math.floor(value / 0x1_0000_0000) | 0)
      this.#word(value | 0)
      this.#word(((value - Math.floor(value)) * 0x1_0000_0000) | 0)
    }
  }

  #word(word: number): void {
    this.#low = Math.imul(this.#low ^ word, 0x0100_0193)
    this.#low ^= this.#low >>> 15
    this.#high = Math.imul(this.#high ^ word ^ (word >>> 16), 0x85eb_ca6b)
    this.#high ^= this.#high >>> 13
  }

  /** Sixteen hexadecimal digits. */
  hex(): string {
    const part = (word: number): string => `0000000${(word >>> 0).toString(16)}`.slice(-8)
    return part(this.#high) + part(this.#low)
  }
}
