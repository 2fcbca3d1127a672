/**
 * 64 bits against accidents: a torn file, a flipped bit, two chunks exchanged. Not against lies; those
 * the state hash finds out.
 *
 * Four chains run side by side, because one alone would wait for its own multiplications: 200 KB take
 * about 35 µs. Every step is one-to-one in each chain, so that no change of a single word goes unseen;
 * the rotation carries the topmost bits down, which multiplying alone would leave where they are.
 */
export class Checksum {
  private a = 0x2545_f491
  private b = 0x4f6c_dd1d
  private c = 0x1b87_3593
  private d = 0x38b3_4ae5

  /** Adds the bytes from `startByte` to before `endByte`, both multiples of 8. */
  add(words: Int32Array, startByte: number, endByte: number): void {
    let { a, b, c, d } = this
    let at = startByte >>> 2
    const end = endByte >>> 2
    for (; at + 4 <= end; at += 4) {
      a = step(a, words[at]!)
      b = step(b, words[at + 1]!)
      c = step(c, words[at + 2]!)
      d = step(d, words[at + 3]!)
    }
    if (at < end) {
      a = step(a, words[at]!)
      b = step(b, words[at + 1]!)
    }
    this.a = a
    this.b = b
    this.c = c
    this.d = d
  }

  /** The two words of the sum so far. */
  get low(): number {
    return finish(step(step(step(step(1, this.a), this.b), this.c), this.d))
  }

  get high(): number {
    return finish(step(step(step(step(2, this.d), this.c), this.b), this.a))
  }
}

function step(lane: number, word: number): number {
  const product = Math.imul(lane ^ word, 0x9e37_79b1)
  return (product << 13) | (product >>> 19)
}

function finish(lane: number): number {
  const mixed = Math.imul(lane ^ (lane >>> 16), 0x85eb_ca6b)
  return mixed ^ (mixed >>> 13)
}
