/**
 * What a sealed tick is held against besides its orders: the inputs that players really made, who
 * came and left, and the pace of the clock. Written from the rules, not with the engine's own code,
 * so that it cannot be wrong in the same way.
 */
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { MatchConfig } from '../../wire/messages/messages.ts'
import type { DecodedBundle } from '../../wire/ticks/bundle-codec.ts'
import type { InputLayout, InputSlot } from '../../wire/ticks/input-layout.ts'
import type { World } from '../engine/world.ts'

/** Own inputs that are remembered: more than a client makes ahead of the newest sealed tick. */
const bookTicks = 512

/**
 * The inputs that one honest player made, by tick. Who is given another state makes some anew, which
 * the relay may have had before.
 */
export class InputBook {
  readonly #slotCount: number
  readonly #ticks = new Int32Array(bookTicks)
  readonly #slots: Uint32Array
  readonly #earlier: InputBook | undefined

  constructor(slotCount: number, isEarlier = false) {
    this.#slotCount = slotCount
    this.#slots = new Uint32Array(bookTicks * slotCount)
    this.#earlier = isEarlier ? undefined : new InputBook(slotCount, true)
  }

  /** The player's machine made this input for a tick. */
  note(tick: number, slots: Uint32Array): void {
    const place = tick % bookTicks
    const at = place * this.#slotCount
    if (this.#ticks[place] === tick) {
      this.#earlier?.note(tick, this.#slots.subarray(at, at + this.#slotCount))
    }
    this.#ticks[place] = tick
    for (let index = 0; index < this.#slotCount; index++) {
      this.#slots[at + index] = slots[index] as number
    }
  }

  /** Whether an input was made for a tick, and is this one, or was until it was made anew. */
  has(tick: number, slots: Uint32Array, at: number): boolean {
    return this.#isNewest(tick, slots, at) || this.#earlier?.has(tick, slots, at) === true
  }

  #isNewest(tick: number, slots: Uint32Array, at: number): boolean {
    const place = tick % bookTicks
    if (this.#ticks[place] !== tick) return false
    for (let index = 0; index < this.#slotCount; index++) {
      if (this.#slots[place * this.#slotCount + index] !== slots[at + index]) return false
    }
    return true
  }
}

/**
 * Every input in a sealed tick is its player's own, or what the match's policy says about a missing
 * one, and is then marked as missing (I-06).
 */
export class InputCheck {
  readonly #world: World
  readonly #layout: InputLayout
  readonly #policy: MatchConfig['missing']['kind']
  readonly #graceTicks: number
  #previous: Uint32Array

  constructor(world: World, config: MatchConfig) {
    this.#world = world
    this.#layout = config.inputSlots
    this.#policy = config.missing.kind
    this.#graceTicks = config.inputDelayMax + Math.ceil((joinGraceMs * config.tickRate) / 1_000)
    this.#previous = new Uint32Array(config.seats * this.#layout.length)
    for (let seat = 0; seat < config.seats; seat++) {
      const at = seat * this.#layout.length
      for (const [index, { initial }] of this.#layout.entries())
        this.#previous[at + index] = initial
    }
  }

  /** Checks one seat; `book` is what its player made, who came with tick `joinedTick`. */
  check(
    tick: number,
    seat: number,
    slots: Uint32Array,
    isMissing: boolean,
    book: InputBook,
    joinedTick = 1,
  ): void {
    const at = seat * this.#layout.length
    if (!isMissing && book.has(tick, slots, at)) return
    const isHeld = isMissing && this.#policy !== 'idle'
    const isRight = isHeld ? this.#isHeld(slots, at) : this.#isInitial(slots, at)
    // Nothing is missed in the first moments: that a match began has to get around.
    const isEarly = tick - joinedTick < this.#graceTicks
    this.#world.always('I-06', isRight && (isMissing || isEarly), () => {
      const what = isMissing ? `that was missing, by the policy ${this.#policy},` : ''
      return `Tick ${tick} has an input of seat ${seat} ${what} that its player never made`
    })
  }

  /**
   * Nothing is sealed that no client of the game could have made (T-40): neither does the codec say
   * that it had to repair something, nor is something left to repair.
   */
  checkValues(tick: number, slots: Uint32Array, wrong: DecodedBundle['wrongSlots']): void {
    const { length } = this.#layout
    this.#world.always('T-40', wrong.length === 0, () => {
      return `Tick ${tick} has an input of seat ${wrong[0]?.seat} that no field can hold`
    })
    for (let at = 0; at < slots.length; at++) {
      const { max } = this.#layout[at % length] as InputSlot
      if ((slots[at] as number) <= max) continue
      const seat = Math.floor(at / length)
      this.#world.always(
        'T-40',
        false,
        `Tick ${tick} has ${slots[at]} for seat ${seat}, above ${max}`,
      )
    }
  }

  /** Remembers a sealed tick as the one before the next. */
  keep(slots: Uint32Array): void {
    this.#previous.set(slots)
  }

  #isInitial(slots: Uint32Array, at: number): boolean {
    return this.#layout.every(({ initial }, index) => slots[at + index] === initial)
  }

  #isHeld(slots: Uint32Array, at: number): boolean {
    return this.#layout.every(({ initial, isOneShot }, index) => {
      return slots[at + index] === (isOneShot ? initial : this.#previous[at + index])
    })
  }
}

/** How many inputs of each seat were missing when their ticks were sealed, since the last restart. */
export class LateBook {
  readonly #ticks = new Map<number, { all: number; late: number }>()
  #excused: ReadonlySet<number> = new Set()

  /**
   * Counts anew, without seats whose lines are not back by then: a stream that met a burst of losses may
   * wait for its next try for longer than the burst lasted.
   */
  restart(excused: Iterable<number> = []): void {
    this.#ticks.clear()
    this.#excused = new Set(excused)
  }

  note(seat: number, isLate: boolean): void {
    if (this.#excused.has(seat)) return
    const known = this.#ticks.get(seat) ?? { all: 0, late: 0 }
    known.all += 1
    if (isLate) known.late += 1
    this.#ticks.set(seat, known)
  }

  /** 0 for a seat without any. */
  shareOf(seat: number): number {
    const { all, late } = this.#ticks.get(seat) ?? { all: 0, late: 0 }
    return all === 0 ? 0 : late / all
  }
}

/** As the relay has it: a round trip at the beginning of a match. */
const joinGraceMs = 500

/** Joins and leaves are in the ticks, each once, a leave in the first tick after it (I-19). */
export class SeatCheck {
  readonly #world: World
  /** By seat: the tick in which its player came. */
  readonly #taken = new Map<number, number>()
  #expected = 0
  readonly #leaving = new Set<number>()

  constructor(world: World) {
    this.#world = world
  }

  /** Whether somebody sits there, by what was sealed. */
  isTaken(seat: number): boolean {
    return this.#taken.has(seat)
  }

  /** When who sits there came. */
  joinedTick(seat: number): number {
    return this.#taken.get(seat) ?? 1
  }

  /** So many seats are taken when the match begins; some may be between that and its first tick. */
  noteTaken(taken: number): void {
    this.#expected = taken
  }

  /** The relay let a player go. */
  noteLeft(seat: number): void {
    // Who comes and goes between two ticks was never there.
    if (this.#taken.has(seat)) this.#leaving.add(seat)
  }

  /** A tick was sealed with these events. */
  noteEvents(tick: number, events: readonly SystemEvent[]): void {
    const world = this.#world
    for (const event of events) {
      if (event.type === 'join') {
        world.always('I-19', !this.#taken.has(event.seat), `Seat ${event.seat} was joined twice`)
        this.#taken.set(event.seat, tick)
      }
      // Who takes over has as much time for his first input as who joins.
      if (event.type === 'hand-over') this.#taken.set(event.seat, tick)
      if (event.type === 'leave') {
        world.always('I-19', this.#taken.delete(event.seat), `Seat ${event.seat} was left empty`)
        this.#leaving.delete(event.seat)
      }
    }
    if (tick === 1) {
      const joins = events.filter(({ type }) => type === 'join').length
      world.always('I-19', joins === this.#expected, () => {
        return `The match began with ${joins} of ${this.#expected} seats`
      })
    }
    if (this.#leaving.size === 0) return
    const left = [...this.#leaving].join(', ')
    world.always('I-19', false, `Tick ${tick} does not say that seat ${left} was left`)
  }
}

/**
 * Spans of ticks, and how many half intervals they last at least. A relay makes up for lost time at
 * twice the pace, so six ticks last six halves, less two for a clock that is set meanwhile; and it
 * makes up for 200 ms at the most, so a second of ticks cannot all come at twice the pace.
 */
function pacesOf(tickRate: number): readonly { readonly ticks: number; readonly halves: number }[] {
  const second = Math.max(tickRate, 30)
  return [
    { ticks: 6, halves: 4 },
    { ticks: second, halves: 1.15 * second },
  ]
}

/** A relay that stood still does not make up for it in a burst (I-07). */
export class PaceCheck {
  readonly #world: World
  readonly #halfMs: number
  /** When the newest ticks were sealed, in a ring. */
  readonly #sealedAtMs: Float64Array
  readonly #paces: ReturnType<typeof pacesOf>
  /** At which speed they were. */
  readonly #percents: Float64Array
  /** The highest speed lately, and the newest tick that had it. */
  #fastPercent = 100
  #fastTick = 0

  constructor(world: World, tickRate: number) {
    this.#world = world
    this.#halfMs = 500 / tickRate
    this.#paces = pacesOf(tickRate)
    this.#sealedAtMs = new Float64Array(Math.max(tickRate, 30) + 2)
    this.#sealedAtMs.fill(Number.NEGATIVE_INFINITY)
    this.#percents = new Float64Array(this.#sealedAtMs.length)
  }

  /** The relay sealed a tick now, in a match of that speed. */
  noteSealed(tick: number, speedPercent = 100): void {
    const { nowMs } = this.#world
    this.#percents[tick % this.#percents.length] = speedPercent
    // The older, faster ticks are out of sight.
    const isOver = tick - this.#fastTick > this.#percents.length
    if (isOver) this.#fastPercent = this.#percents.reduce((one, other) => Math.max(one, other))
    else if (speedPercent > this.#fastPercent) this.#fastPercent = speedPercent
    if (isOver || speedPercent >= this.#fastPercent) this.#fastTick = tick
    const halfMs = (this.#halfMs * 100) / this.#fastPercent
    const times = this.#sealedAtMs
    times[tick % times.length] = nowMs
    for (const { ticks, halves } of this.#paces) {
      const tookMs = nowMs - (times[(tick - ticks + times.length) % times.length] as number)
      // Clocks run fast by less than 2 %.
      this.#world.always('I-07', tookMs >= halves * halfMs * 0.98, () => {
        return `The ${ticks} ticks up to ${tick} were sealed within ${Math.round(tookMs)} ms`
      })
    }
  }
}
