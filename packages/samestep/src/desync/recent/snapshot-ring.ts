import { SnapshotBuffer } from '../../sim/snapshot/buffer.ts'

/** A state that is kept: a raw snapshot, and the words that go with it. */
export interface KeptState {
  readonly tick: number
  /** Borrowed: valid until the next tick runs. */
  readonly snapshot: Uint8Array
  readonly words: Uint32Array
}

/** Writes the state of now. */
export interface StateSaver {
  /** Writes a raw snapshot into `into`, and gives it as a view. */
  save(into: SnapshotBuffer): Uint8Array
  readonly words: Uint32Array
}

/**
 * A few states of the last seconds, in memory that is used again and again.
 *
 *     ──●────────●────────●────────●───► ticks, one state per second
 *       old    confirmed   not yet compared
 *              └ the newest on which everybody agreed: a desync lies behind it
 *
 * What is older than the newest confirmed state is of no use, and its memory is taken first. A state that
 * nobody has compared yet is never given up for a newer one: the first bad tick may lie right behind it.
 * So two states are enough, however long a comparison takes.
 */
export class SnapshotRing {
  readonly #bytesMax: number
  readonly #slots: Slot[] = []
  #confirmedTick = -1

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes of memory that it holds. */
  get bytes(): number {
    return this.#slots.reduce((sum, { buffer }) => sum + buffer.bytes.byteLength, 0)
  }

  /** Ticks of which a state is kept, in rising sequence. */
  get ticks(): readonly number[] {
    return this.#slots
      .map(({ tick }) => tick)
      .filter((tick) => tick >= 0)
      .sort((one, other) => one - other)
  }

  /** Everybody agreed on the state after this tick. */
  noteCompared(tick: number): void {
    if (tick > this.#confirmedTick) this.#confirmedTick = tick
  }

  /**
   * Keeps the state after a tick, if there is memory for it. States before `usefulFromTick` can be given
   * up. False when nothing was kept.
   */
  keep(tick: number, saver: StateSaver, usefulFromTick: number): boolean {
    const slot = this.#freeSlot(usefulFromTick)
    if (slot === undefined) return false
    slot.tick = -1
    try {
      slot.length = saver.save(slot.buffer).byteLength
    } catch {
      // A state that cannot be saved is the game's mistake, and is told when somebody saves it.
      return false
    }
    slot.words = Uint32Array.from(saver.words)
    slot.tick = tick
    this.#trim(slot)
    return slot.tick >= 0
  }

  /** The newest state up to a tick. */
  newestUpTo(tick: number): KeptState | undefined {
    return this.#find(
      (slot) => slot.tick <= tick,
      (one, other) => one.tick > other.tick,
    )
  }

  /** The oldest state from a tick on. */
  oldestFrom(tick: number): KeptState | undefined {
    return this.#find(
      (slot) => slot.tick >= tick,
      (one, other) => one.tick < other.tick,
    )
  }

  clear(): void {
    for (const slot of this.#slots) slot.tick = -1
    this.#confirmedTick = -1
  }

  #find(
    isFine: (slot: Slot) => boolean,
    isBetter: (one: Slot, other: Slot) => boolean,
  ): KeptState | undefined {
    let best: Slot | undefined
    for (const slot of this.#slots) {
      if (slot.tick < 0 || !isFine(slot)) continue
      if (best === undefined || isBetter(slot, best)) best = slot
    }
    if (best === undefined) return undefined
    const { tick, words, buffer, length } = best
    return { tick, words, snapshot: buffer.bytes.subarray(0, length) }
  }

  #freeSlot(usefulFromTick: number): Slot | undefined {
    const confirmed = this.newestUpTo(this.#confirmedTick)?.tick ?? -1
    const from = Math.max(confirmed, usefulFromTick)
    let free: Slot | undefined
    for (const slot of this.#slots) {
      if ((slot.tick < 0 || slot.tick < from) && (free === undefined || slot.tick < free.tick))
        free = slot
    }
    return free ?? this.#addSlot()
  }

  #addSlot(): Slot | undefined {
    const first = this.#slots[0]
    // Rows come and go: some room to grow, or the second state would double its memory.
    const capacity = first === undefined ? undefined : Math.ceil(first.length * 1.25)
    if (first !== undefined && this.bytes + (capacity ?? 0) > this.#bytesMax) return undefined
    if (this.#bytesMax === 0 || this.#slots.length >= slotsMax) return undefined
    const slot = { tick: -1, length: 0, words: none, buffer: new SnapshotBuffer(capacity) }
    this.#slots.push(slot)
    return slot
  }

  /** A state that grew takes more memory than there is: older ones go, and in the end itself. */
  #trim(newest: Slot): void {
    while (this.bytes > this.#bytesMax) {
      const others = this.#slots.filter((slot) => slot !== newest)
      const oldest = others.reduce(
        (best: Slot, slot) => (slot.tick < best.tick ? slot : best),
        others[0] ?? newest,
      )
      if (oldest === newest) newest.tick = -1
      this.#slots.splice(this.#slots.indexOf(oldest), 1)
    }
  }
}

interface Slot {
  /** -1 while it holds nothing. */
  tick: number
  length: number
  words: Uint32Array
  readonly buffer: SnapshotBuffer
}

const none = new Uint32Array(0)

/** States that are kept at the most: with one per second, nearly as far back as bundles are kept. */
const slotsMax = 16
