/**
 * What the room around a match is held against: pauses, speeds, delays and presence take effect at the
 * same tick for everybody, votes pass by the ballots that were cast, bots are ordered about only by who
 * runs them. Written from the rules, not with the engine's own code.
 */
import type { Client } from '../../client/client.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { MatchConfig, MessageBody } from '../../wire/messages/messages.ts'
import type { World } from '../engine/world.ts'
import { OrderSequence } from './order-sequence.ts'

/** What the sealed ticks so far say about the match itself. */
export interface SystemState {
  /** The tick that made it so. */
  readonly tick: number
  /** Ticks that were not paused: the game's clock. */
  readonly ranTicks: number
  readonly isPaused: boolean
  readonly speedPercent: number
  readonly inputDelay: number
  readonly present: ReadonlySet<number>
}

type MutableState = { -readonly [K in keyof SystemState]: SystemState[K] }

/** A copy, field by field: it is made for every tick of every storm. */
function copyOf(state: SystemState): MutableState {
  const { tick, ranTicks, isPaused, speedPercent, inputDelay, present } = state
  return { tick, ranTicks, isPaused, speedPercent, inputDelay, present }
}

/** One tick later. */
function afterTick(state: SystemState): SystemState {
  const next = copyOf(state)
  next.ranTicks += 1
  return next
}

/** Follows pauses, speeds, delays and presence over the sealed ticks (I-19), and their rules (T-39). */
export class SystemTrack {
  readonly #world: World
  readonly #config: MatchConfig
  readonly #pauses = new Map<number, number>()
  #state: SystemState
  #pausedSinceMs = 0
  /** Time in which the relay was disturbed since, and ends no pause. */
  #excusedMs = 0

  constructor(world: World, config: MatchConfig) {
    this.#world = world
    this.#config = config
    this.#state = {
      tick: 0,
      ranTicks: 0,
      isPaused: false,
      speedPercent: 100,
      inputDelay: config.inputDelay,
      present: new Set(),
    }
  }

  get state(): SystemState {
    return this.#state
  }

  /** A fault of the relay itself makes everything late by so much. */
  excuse(ms: number): void {
    this.#excusedMs += ms
  }

  /** A tick was sealed with these events. */
  noteEvents(tick: number, events: readonly SystemEvent[]): void {
    for (const event of events) this.#apply(tick, event)
    if (this.#state.isPaused) this.#checkPause(tick)
    else this.#state = afterTick(this.#state)
  }

  /** Ends, and compares with what a client made of the same tick. */
  check(name: string, client: Client, expected: SystemState): void {
    const { simulation } = client
    if (simulation === undefined) return
    const { isPaused, speedPercent } = simulation
    // Closures only where something is wrong: this is asked after every tick of every client.
    const isSame = isPaused === expected.isPaused && speedPercent === expected.speedPercent
    if (!isSame) {
      const theirs = `${isPaused ? 'paused' : 'going'} at ${speedPercent} %`
      const ours = `${expected.isPaused ? 'paused' : 'going'} at ${expected.speedPercent} %`
      const what = `After tick ${simulation.matchTick} ${name} is ${theirs}; by the ticks it is ${ours}`
      this.#world.always('I-19', false, what)
    }
    if (simulation.tick !== expected.ranTicks) {
      const what = `After tick ${simulation.matchTick} the game of ${name} has seen ${simulation.tick} ticks; ${expected.ranTicks} ran`
      this.#world.always('CLK-14', false, what)
    }
    if (simulation.matchTick !== expected.tick) return
    for (let seat = 0; seat < this.#config.seats; seat++) {
      if (simulation.isPresent(seat) === expected.present.has(seat)) continue
      const what = `After tick ${simulation.matchTick} ${name} is wrong about seat ${seat}`
      this.#world.always('I-19', false, what)
    }
    // What statistics say too; they are too dear to be made for every tick.
    const inputDelay = client.running?.turns.delay
    if (inputDelay === expected.inputDelay) return
    const what = `After tick ${simulation.matchTick} ${name} delays by ${inputDelay}, not ${expected.inputDelay}`
    this.#world.always('I-19', false, what)
  }

  #apply(tick: number, event: SystemEvent): void {
    const state = copyOf(this.#state)
    state.tick = tick
    switch (event.type) {
      case 'join':
      case 'leave': {
        const present = new Set(state.present)
        if (event.type === 'join') present.add(event.seat)
        else present.delete(event.seat)
        state.present = present
        break
      }
      case 'pause':
        this.#notePause(tick, event.seat)
        state.isPaused = true
        break
      case 'resume':
        this.#world.always('T-39', state.isPaused, `Tick ${tick} resumes what goes on`)
        this.#world.sometimes('a match was paused and resumed')
        this.#world.sometimes('a pause ended by itself', event.seat === undefined)
        state.isPaused = false
        break
      case 'speed':
        this.#world.sometimes('a match slowed down', event.percent < state.speedPercent)
        state.speedPercent = event.percent
        break
      case 'delay':
        this.#noteDelay(tick, event.ticks)
        state.inputDelay = event.ticks
        break
      case 'hand-over':
    }
    this.#state = state
  }

  #notePause(tick: number, seat: number | undefined): void {
    const world = this.#world
    world.always('T-39', !this.#state.isPaused, `Tick ${tick} pauses what is paused`)
    this.#pausedSinceMs = world.nowMs
    this.#excusedMs = 0
    if (seat === undefined) return
    const count = (this.#pauses.get(seat) ?? 0) + 1
    this.#pauses.set(seat, count)
    world.always('T-39', count <= this.#config.pace.pausesMax, () => {
      return `Seat ${seat} has paused ${count} times; the limit is ${this.#config.pace.pausesMax}`
    })
  }

  /** It ends by itself, whatever becomes of who paused. */
  #checkPause(tick: number): void {
    // A halt lasts until somebody ends it, and may begin in a pause.
    if (this.#config.desync === 'halt') return
    const lastedMs = this.#world.nowMs - this.#pausedSinceMs
    const mostMs = this.#config.pace.pauseMsMax + pauseSlackMs + this.#excusedMs
    this.#world.always('T-39', lastedMs <= mostMs, () => {
      return `At tick ${tick} the match has been paused for ${Math.round(lastedMs)} ms`
    })
  }

  #noteDelay(tick: number, ticks: number): void {
    const { inputDelayMin, inputDelayMax } = this.#config
    const { inputDelay } = this.#state
    this.#world.sometimes('the input delay was raised', ticks > inputDelay)
    this.#world.sometimes('the input delay was lowered', ticks < inputDelay)
    const isWithin = ticks >= inputDelayMin && ticks <= inputDelayMax && ticks !== inputDelay
    this.#world.always('I-19', isWithin, () => {
      return `Tick ${tick} sets the delay from ${inputDelay} to ${ticks}; it may be ${inputDelayMin} to ${inputDelayMax}`
    })
  }
}

/** A tick at 10 % of the speed, and a clock that drifts. */
const pauseSlackMs = 500

/** Votes pass by the ballots that were really cast, and by more than half of the electors (T-55). */
export class VoteBook {
  readonly #world: World
  /** By number of the vote: who said yes. */
  readonly #yes = new Map<number, Set<string>>()
  readonly #seen = new Map<number, number>()
  /** Proposals by seat that were let through. */
  readonly #proposals = new Map<number, Set<number>>()
  /** Seats that a vote has sent away. */
  readonly #kicked = new Set<number>()

  constructor(world: World) {
    this.#world = world
  }

  /** Somebody says yes or no, perhaps again. */
  noteBallot(voter: string, id: number, isYes: boolean): void {
    if (!isYes) return
    const voters = this.#yes.get(id) ?? new Set()
    this.#yes.set(id, voters.add(voter))
  }

  /** Whether a vote that passed has sent away who sat there. */
  isVotedOut(seat: number | undefined): boolean {
    return seat !== undefined && this.#kicked.has(seat)
  }

  /** An honest client hears where a vote stands. */
  noteHeard({ id, kind, target, proposer, yes, electors, state }: MessageBody<'RelayVote'>): void {
    const world = this.#world
    const proposals = this.#proposals.get(proposer) ?? new Set()
    this.#proposals.set(proposer, proposals.add(id))
    // No storm of a minute has room for the pause between two.
    const isAllowed = proposals.size <= Math.min(1 + world.nowMs / proposalEveryMs, proposalsMax)
    world.always('T-56', isAllowed, () => {
      return `Seat ${proposer} has proposed ${proposals.size} votes`
    })
    if (this.#seen.get(id) === yes && state === 'open') return
    this.#seen.set(id, yes)
    // One more than those who were asked: who proposed it.
    const cast = (this.#yes.get(id)?.size ?? 0) + 1
    world.always('T-55', yes <= cast, `Vote ${id} counts ${yes} who say yes, of ${cast}`)
    if (state !== 'passed') return
    world.always('T-55', yes >= 2 && yes * 2 > electors, () => {
      return `Vote ${id} passed by ${yes} of ${electors}`
    })
    if (kind === 'kick' && target !== undefined) this.#kicked.add(target)
  }
}

/** Votes that one may propose in a match, and how long he waits in between (T-56). */
const proposalsMax = 3
const proposalEveryMs = 180_000

type BotOrder = { readonly bytes: Uint8Array; readonly by: number; isSealed: boolean }

/** Orders of bots are of who runs them, in sequence, each once (I-06). */
export class BotBook {
  readonly #world: World
  readonly #issued = new Map<number, BotOrder[]>()
  /** By seat and runner. */
  readonly #sequences = new Map<string, OrderSequence>()
  readonly #runners = new Map<number, Run>()

  constructor(world: World) {
    this.#world = world
  }

  /** A client issued an order for a bot's seat. */
  noteIssued(seat: number, by: number, bytes: Uint8Array): void {
    const orders = this.#issued.get(seat) ?? []
    this.#issued.set(seat, orders)
    orders.push({ bytes, by, isSealed: false })
  }

  /**
   * Who runs a bot, as the relay has it. Once per sealed tick; what waits in a pause is not late. A bot
   * may move and come back between two ticks: `turn` counts that too.
   */
  noteRunner(seat: number, runner: number | undefined, turn: number, isPaused = false): void {
    const known = this.#runners.get(seat)
    if (known !== undefined && known.turn === turn) {
      if (!isPaused) known.ticks += 1
      return
    }
    this.#world.sometimes('a bot moved', known?.runner !== undefined && runner !== undefined)
    this.#runners.set(seat, { runner, turn, ticks: 0 })
  }

  /** Seats that bots play. */
  get seats(): readonly number[] {
    return [...this.#runners.keys()]
  }

  isBot(seat: number): boolean {
    return this.#runners.has(seat)
  }

  noteSealed(seat: number, bytes: Uint8Array, tick: number, isPaused = false): void {
    const world = this.#world
    const orders = this.#issued.get(seat) ?? []
    const { runner, ticks } = this.#runners.get(seat) ?? { runner: undefined, ticks: 0 }
    const isNext = ({ by, bytes: issued, isSealed }: BotOrder, at: number) => {
      return (
        !isSealed && equalBytes(issued, bytes) && at >= this.#sequenceOf(seat, by).first(isPaused)
      )
    }
    // Two runners may have thought of the same.
    const order =
      orders.find((each, at) => each.by === runner && isNext(each, at)) ?? orders.find(isNext)
    world.always('I-06', order !== undefined, () => {
      return `Tick ${tick} has an order of the bot in seat ${seat} that is not the next one issued`
    })
    if (order === undefined) return
    order.isSealed = true
    this.#sequenceOf(seat, order.by).noteSealed(orders.indexOf(order), isPaused)
    world.sometimes('an order of a bot was sealed')
    const isRecent = ticks <= movedTicks
    world.always('I-06', order.by === runner || isRecent, () => {
      return `Tick ${tick} has an order of a bot by member ${order.by}; it is run by ${runner}`
    })
  }

  #sequenceOf(seat: number, by: number): OrderSequence {
    const key = `${seat}/${by}`
    const sequence = this.#sequences.get(key) ?? new OrderSequence()
    this.#sequences.set(key, sequence)
    return sequence
  }
}

/** Somebody runs a bot: so many ticks were sealed since. */
type Run = { readonly runner: number | undefined; readonly turn: number; ticks: number }

/** Orders that came before a bot moved find room in one of the next ticks. */
const movedTicks = 8

/** Whether two byte strings are the same. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.byteLength !== b.byteLength) return false
  for (let index = 0; index < a.byteLength; index++) if (a[index] !== b[index]) return false
  return true
}

/**
 * Ticks come at the pace of the relay's clock, whatever clients do (I-07): over ten seconds without a
 * fault of the relay itself, to one tick. A match that waits for inputs is at the mercy of its players.
 */
export class RateCheck {
  readonly #world: World
  readonly #tickRate: number
  readonly #isOn: boolean
  #firstTick = 0
  #firstAtMs = 0
  #calmFromMs = 0

  constructor(world: World, config: MatchConfig) {
    this.#world = world
    this.#tickRate = config.tickRate
    this.#isOn = config.missing.kind !== 'wait'
  }

  /** Until then the pace is not what it should be, for a reason. */
  disturb(untilMs: number): void {
    this.#calmFromMs = Math.max(this.#calmFromMs, untilMs)
  }

  /** The match rests while nobody has a link, or goes on after it: the count begins anew. */
  noteRest(): void {
    this.#firstTick = 0
  }

  noteSealed(tick: number, state: SystemState): void {
    const { nowMs } = this.#world
    const isPlain = this.#isOn && state.speedPercent === 100 && nowMs >= this.#calmFromMs
    if (!isPlain || this.#firstTick === 0) {
      this.#firstTick = isPlain ? tick : 0
      this.#firstAtMs = nowMs
      return
    }
    const elapsedMs = nowMs - this.#firstAtMs
    if (elapsedMs < rateMs) return
    const due = (elapsedMs * this.#tickRate) / 1_000
    const ticks = tick - this.#firstTick
    this.#world.always('I-07', Math.abs(ticks - due) <= 1.1, () => {
      return `${ticks} ticks were sealed in ${Math.round(elapsedMs)} ms, where ${Math.round(due)} are due`
    })
    this.#firstTick = tick
    this.#firstAtMs = nowMs
  }
}

const rateMs = 10_000
