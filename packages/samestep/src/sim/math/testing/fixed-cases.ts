/**
 * Arguments for the tests of fixed numbers: a grid of edges, and a cheap generator that covers all
 * magnitudes alike. Uniform int32s would be nearly all large.
 */

function collectEdges(): number[] {
  const edges = new Set([0, 205_887, -205_887, 411_775, 102_944, 51_472])
  for (let bit = 0; bit <= 31; bit++) {
    for (const offset of [-1, 0, 1]) {
      edges.add((2 ** bit + offset) | 0)
      edges.add((-(2 ** bit) + offset) | 0)
    }
  }
  return [...edges].sort((a, b) => a - b)
}

/** 0, ±1, every power of two and its neighbours, MIN, MAX, and some angles. */
export const edges: readonly number[] = collectEdges()

/** Gives int32s of all magnitudes, always the same ones for one seed. */
export class Cases {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  #word(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let word = this.#state
    word = Math.imul(word ^ (word >>> 16), 0x21f0aaad)
    word = Math.imul(word ^ (word >>> 15), 0x735a2d97)
    return word ^ (word >>> 15)
  }

  /** Any int32, with a uniform number of leading zeros. */
  next(): number {
    const shift = this.#word() & 31
    return this.#word() >> shift
  }
}

/** The arguments of the first case on which the two functions differ, with both results. */
export function findDifference(
  arity: 1 | 2 | 3 | 4,
  randomCases: number,
  actual: (...args: number[]) => unknown,
  expected: (...args: number[]) => unknown,
): string | undefined {
  const compare = (args: number[]): string | undefined => {
    const got = actual(...args)
    const want = expected(...args)
    return Object.is(got, want) ? undefined : `(${args.join(', ')}) gave ${got}, not ${want}`
  }
  for (const a of edges) {
    const found = compare(new Array<number>(arity).fill(a))
    if (found !== undefined) return found
    if (arity === 1) continue
    for (const b of edges) {
      const foundPair = compare([a, b, b, a].slice(0, arity))
      if (foundPair !== undefined) return foundPair
    }
  }
  const cases = new Cases(arity)
  const args = new Array<number>(arity).fill(0)
  for (let count = 0; count < randomCases; count++) {
    for (let index = 0; index < arity; index++) args[index] = cases.next()
    const found = compare(args)
    if (found !== undefined) return found
  }
  return undefined
}
