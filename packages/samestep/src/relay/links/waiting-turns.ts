/** Queued turns of one link, at most: a client sends one or two per tick. */
export const turnsPerLinkMax = 4

/** Longer turns are not queued: they carry orders, and are rare. */
export const waitingBytesMax = 112

/**
 * A place has two cache lines, of which most turns need one: arrival time, sequence number, one
 * packed number, and the bytes.
 */
const placeBytes = 128
const headBytes = placeBytes - waitingBytesMax

/** The packed number: the link's previous turn, how many of its turns are queued, and the length. */
const noPlace = 0xf_ffff
const countShift = 20
const lengthShift = 24

/** Places at first, and at most: more could not be numbered. */
const firstPlaces = 64
const placesMax = noPlace

/** What a link knows of its queued turns. */
export interface TurnOwner {
  /** The place of the newest one; −1 if none is queued. */
  newestTurn: number
}

/**
 * Turns that are queued until the next tick of their match; nothing in them matters earlier. Handled
 * together, they find the match in the CPU caches, and the tick finds them there. Handled one by one
 * between system calls, they would mostly wait for memory. So an arriving turn touches its link,
 * which its packet touched anyway, and one place here.
 *
 *     link ──► newest turn ──► the one before ──► …          free ──► free ──► …
 */
export class WaitingTurns<Owner extends TurnOwner> {
  #bytes = new Uint8Array(firstPlaces * placeBytes)
  #words = new Uint32Array(this.#bytes.buffer)
  #times = new Float64Array(this.#bytes.buffer)
  readonly #owners: (Owner | undefined)[] = []
  /** The place that was freed last, and how many were ever used. */
  #free = noPlace
  #used = 0
  #sequence = 0
  /** Places of the collected turns, in arrival sequence, up to `#takenEnd`. */
  #taken = new Uint32Array(16)
  #takenAt = 0
  #takenEnd = 0
  readonly #scratch = new Uint8Array(waitingBytesMax)
  readonly #views: Uint8Array[] = []
  /** The turn that was taken last: its bytes, borrowed until the next is taken, and when it arrived. */
  bytes: Uint8Array = this.#scratch
  atMs = 0

  constructor() {
    for (let length = 0; length <= waitingBytesMax; length++) {
      this.#views.push(this.#scratch.subarray(0, length))
    }
  }

  /** Queued turns of all links. */
  get count(): number {
    let count = this.#used
    for (let place = this.#free; place !== noPlace; place = this.#before(place)) count -= 1
    return count
  }

  /** Queues a turn. Returns false if it is too long, or there is no room for it. */
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

  /** Collects the turns of a link, to be taken together with those of all links collected before. */
  collect(owner: Owner): void {
    // The last caller did not take all its turns: a bug, which must not affect another match.
    while (this.#takenAt > 0) this.take()
    for (let place = owner.newestTurn; place !== noPlace; place = this.#before(place)) {
      if (this.#takenEnd === this.#taken.length) this.#growTaken()
      // Insertion sort: turns of a link come newest first, links in any sequence, and there are few.
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

  /** Takes the oldest collected turn, and returns its owner; `undefined` at the end. */
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

  /** Drops the queued turns of a link. */
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

  /** Whether one turn arrived after another; sequence numbers wrap around. */
  #isBehind(place: number, other: number): boolean {
    const [mine, theirs] = [this.#sequenceAt(place), this.#sequenceAt(other)]
    return ((mine - theirs) | 0) > 0
  }

  #sequenceAt(place: number): number {
    return this.#words[((place * placeBytes) >> 2) + 2] as number
  }

  /** Reuses the place that was freed last: it is still in the caches. */
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
