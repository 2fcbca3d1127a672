/** Turns of one link that wait at most: a client sends one or two per tick. */
export const turnsPerLinkMax = 4

/** Longer turns do not wait: they carry orders, and are rare. */
export const waitingBytesMax = 112

/**
 * A place has two cache lines, of which most turns need one: when it came, its place in the sequence of
 * all, one number of the rest, and the bytes.
 */
const placeBytes = 128
const headBytes = placeBytes - waitingBytesMax

/** The link's turn before it, how many of its turns wait, and the length, in one number. */
const noPlace = 0xf_ffff
const countShift = 20
const lengthShift = 24

/** Places at first, and at most: as many as have a number. */
const firstPlaces = 64
const placesMax = noPlace

/** What a link keeps of its turns that wait. */
export interface TurnOwner {
  /** Where the newest of them is; −1 when none waits. */
  newestTurn: number
}

/**
 * Turns that have come and wait for the next tick of their match. Nothing that they say matters before;
 * taken in together, they find the match in the caches, and the tick finds them there. One by one, as
 * they come between system calls, most of their time is spent on waiting for memory: so a turn that
 * comes touches its link, which was touched for its packet anyway, and one place here.
 *
 *     link ──► newest turn ──► the one before ──► …          free ──► free ──► …
 */
export class WaitingTurns<Owner extends TurnOwner> {
  #bytes = new Uint8Array(firstPlaces * placeBytes)
  #words = new Uint32Array(this.#bytes.buffer)
  #times = new Float64Array(this.#bytes.buffer)
  readonly #owners: (Owner | undefined)[] = []
  /** The place that was used last and is free, and how many were ever used. */
  #free = noPlace
  #used = 0
  #sequence = 0
  /** What is being taken: places, in the sequence of their turns, up to `#takenEnd`. */
  #taken = new Uint32Array(16)
  #takenAt = 0
  #takenEnd = 0
  readonly #scratch = new Uint8Array(waitingBytesMax)
  readonly #views: Uint8Array[] = []
  /** What was taken last: its bytes, borrowed until the next is taken, and when it came. */
  bytes: Uint8Array = this.#scratch
  atMs = 0

  constructor() {
    for (let length = 0; length <= waitingBytesMax; length++) {
      this.#views.push(this.#scratch.subarray(0, length))
    }
  }

  /** Turns that wait, of all links. */
  get count(): number {
    let count = this.#used
    for (let place = this.#free; place !== noPlace; place = this.#before(place)) count -= 1
    return count
  }

  /** Lets a turn wait. False when there is no room for it. */
  push(owner: Owner, bytes: Uint8Array, nowMs: number): boolean {
    const { length } = bytes
    const before = owner.newestTurn < 0 ? noPlace : owner.newestTurn
    const count = before === noPlace ? 1 : this.#countAt(before) + 1
    if (length > waitingBytesMax || count > turnsPerLinkMax) return false
    const place = this.#takePlace()
    if (place === noPlace) return false
    const word = (place * placeBytes) >> 2
    this.#times[word >> 1] = nowMs
    this.#words[word + 2] = this.#sequence
    this.#words[word + 3] = before | (count << countShift) | (length << lengthShift)
    this.#sequence = (this.#sequence + 1) >>> 0
    const start = place * placeBytes + headBytes
    const all = this.#bytes
    for (let at = 0; at < length; at++) all[start + at] = bytes[at] as number
    this.#owners[place] = owner
    owner.newestTurn = place
    return true
  }

  /** Begins to take the turns of a link, and of all links that are collected before the first is taken. */
  collect(owner: Owner): void {
    // Whoever took the last ones did not come to their end: a bug, which concerns no other match.
    while (this.#takenAt > 0) this.take()
    for (let place = owner.newestTurn; place !== noPlace; place = this.#before(place)) {
      if (this.#takenEnd === this.#taken.length) this.#growTaken()
      // Those of one link come newest first, and links in any sequence: few, so each is moved there.
      const taken = this.#taken
      let at = this.#takenEnd
      for (; at > 0 && this.#isBehind(taken[at - 1] as number, place); at--) {
        taken[at] = taken[at - 1] as number
      }
      taken[at] = place
      this.#takenEnd += 1
    }
    owner.newestTurn = -1
  }

  /** Takes the oldest turn of those that were collected, and gives whose it is; `undefined` at the end. */
  take(): Owner | undefined {
    if (this.#takenAt === this.#takenEnd) {
      this.#takenAt = 0
      this.#takenEnd = 0
      return undefined
    }
    const place = this.#taken[this.#takenAt] as number
    this.#takenAt += 1
    const start = place * placeBytes + headBytes
    const length = (this.#words[((place * placeBytes) >> 2) + 3] as number) >>> lengthShift
    for (let at = 0; at < length; at++) this.#scratch[at] = this.#bytes[start + at] as number
    this.bytes = this.#views[length] as Uint8Array
    this.atMs = this.#times[(place * placeBytes) >> 3] as number
    const owner = this.#owners[place]
    this.#release(place)
    return owner
  }

  /** Forgets the turns of a link. */
  drop(owner: Owner): void {
    let place = owner.newestTurn < 0 ? noPlace : owner.newestTurn
    while (place !== noPlace) {
      const before = this.#before(place)
      this.#release(place)
      place = before
    }
    owner.newestTurn = -1
  }

  #before(place: number): number {
    return (this.#words[((place * placeBytes) >> 2) + 3] as number) & noPlace
  }

  #countAt(place: number): number {
    return ((this.#words[((place * placeBytes) >> 2) + 3] as number) >>> countShift) & 0xf
  }

  /** Whether one turn came after another: as sequences go round. */
  #isBehind(place: number, other: number): boolean {
    const [mine, theirs] = [this.#sequenceAt(place), this.#sequenceAt(other)]
    return ((mine - theirs) | 0) > 0
  }

  #sequenceAt(place: number): number {
    return this.#words[((place * placeBytes) >> 2) + 2] as number
  }

  /** The place that was left last: it is still in the caches. */
  #takePlace(): number {
    const place = this.#free
    if (place !== noPlace) {
      this.#free = this.#before(place)
      return place
    }
    if (this.#used === placesMax) return noPlace
    if (this.#used * placeBytes === this.#bytes.length) this.#grow()
    return this.#used++
  }

  #release(place: number): void {
    this.#owners[place] = undefined
    this.#words[((place * placeBytes) >> 2) + 3] = this.#free
    this.#free = place
  }

  #grow(): void {
    const before = this.#bytes
    this.#bytes = new Uint8Array(2 * before.length)
    this.#bytes.set(before)
    this.#words = new Uint32Array(this.#bytes.buffer)
    this.#times = new Float64Array(this.#bytes.buffer)
  }

  #growTaken(): void {
    const before = this.#taken
    this.#taken = new Uint32Array(2 * before.length)
    this.#taken.set(before)
  }
}
