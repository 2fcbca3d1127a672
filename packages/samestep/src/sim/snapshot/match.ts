/** How far back deflate can refer, and how long a copy can be. */
const windowBytes = 32_768
const matchBytesMax = 258
/** Shorter copies cost as much as they save, and the search gets by with one look at a word. */
const matchBytesMin = 4
const hashBits = 15

/** Earlier places that are tried for each position. More gains little on binary state. */
const triesMax = 8

/** After this many positions without a copy the search begins to skip: the data is noise. */
const patience = 64

/** The most positions skipped at once, so that the end of the noise is soon noticed. */
const strideMax = 16

/** Finds earlier occurrences of what comes next: a table of the last place of each hash, chained. */
export class MatchFinder {
  // Fields are `private`, not `#`: bundlers that target older engines would make hot loops crawl.
  private readonly input: Uint8Array
  /** Place plus one at which a hash was last seen; 0 for never. */
  private readonly heads = new Int32Array(1 << hashBits)
  /** For each place in the window, the one before it with the same hash. */
  private readonly chain = new Int32Array(windowBytes)
  private misses = 0
  /** No search before this place. */
  private resumeAt = 0

  constructor(input: Uint8Array) {
    this.input = input
  }

  /** Distance × 512 + length of an earlier copy of what is at `at`, or 0. Call for rising places. */
  find(at: number): number {
    const { input } = this
    if (at < this.resumeAt || at + matchBytesMin > input.length) return 0
    const word = this.wordAt(at)
    let place = this.insert(at, word)
    const lengthMax = Math.min(matchBytesMax, input.length - at)
    let best = matchBytesMin - 1
    let bestPlace = -1
    for (let tries = triesMax; tries > 0 && place >= 0 && at - place <= windowBytes; tries--) {
      if (input[place + best] === input[at + best] && this.wordAt(place) === word) {
        const length = this.matchLength(place, at, lengthMax)
        if (length > best) {
          best = length
          bestPlace = place
          if (length === lengthMax) break
        }
      }
      const before = this.chain[place & (windowBytes - 1)]! - 1
      // The oldest place in the window shares its link with the newest: that one leads nowhere.
      if (before >= place) break
      place = before
    }
    if (bestPlace >= 0) {
      this.misses = 0
      return (at - bestPlace) * 512 + best
    }
    this.misses++
    this.resumeAt = at + Math.min(strideMax, 1 + Math.floor(this.misses / patience))
    return 0
  }

  /** Takes note of the places that a copy covers, and returns the one behind it. */
  skip(at: number, length: number): number {
    const end = at + length
    const last = Math.min(end, this.input.length - matchBytesMin + 1)
    for (let place = at + 1; place < last; place++) this.insert(place, this.wordAt(place))
    return end
  }

  /** Notes a place, and returns the last one with the same hash, or -1. */
  private insert(at: number, word: number): number {
    const hash = Math.imul(word, 0x9e37_79b1) >>> (32 - hashBits)
    const before = this.heads[hash]!
    this.chain[at & (windowBytes - 1)] = before
    this.heads[hash] = at + 1
    return before - 1
  }

  private wordAt(at: number): number {
    const { input } = this
    return input[at]! | (input[at + 1]! << 8) | (input[at + 2]! << 16) | (input[at + 3]! << 24)
  }

  private matchLength(place: number, at: number, lengthMax: number): number {
    const { input } = this
    let length = matchBytesMin
    while (length < lengthMax && input[place + length] === input[at + length]) length++
    return length
  }
}
