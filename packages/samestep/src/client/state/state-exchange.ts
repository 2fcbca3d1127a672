import type { Channel } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { DigestJob } from './digests.ts'
import { Digests } from './digests.ts'
import { copyMatchState, joinWords, loadMatchState, saveMatchState } from './match-state.ts'
import { StateDonor } from './state-donor.ts'
import { StateJoiner } from './state-joiner.ts'
import { StateReports } from './state-reports.ts'

/** The match whose state is given away, fetched and told of. */
export interface ExchangedMatch<G extends GameShape, R> {
  readonly simulation: Simulation<G, R>
  /** The slots of every seat's last input. */
  readonly slots: Uint32Array
  /** The chain over the hashes of all ticks. */
  readonly chain: Uint32Array
  /** Whether a seat is played here: nobody asks those who only watch what their state is. */
  isPlaying(): boolean
  /** A state was loaded, with this chain; it does not count yet. */
  handleLoaded(tick: number, chain: Uint32Array): void
  /** It is the right one: ticks run from the one after it on. */
  adopt(tick: number): void
  /** Something is to be hashed. */
  askDigest(job: DigestJob): void
}

/** All that a client does with whole states: gives them, gets them, and tells what they hash to. */
export class StateExchange<G extends GameShape, R> {
  /** What is hashed outside of any tick. */
  readonly digests: Digests
  /** Gives the state to the relay when somebody else needs it. */
  readonly donor: StateDonor
  /** Gets the state from the relay, where the match had begun before we came. */
  readonly joiner: StateJoiner | undefined
  readonly #match: ExchangedMatch<G, R>
  readonly #reports: StateReports | undefined

  constructor(
    match: ExchangedMatch<G, R>,
    { isComing, isReported }: { readonly isComing: boolean; readonly isReported: boolean },
  ) {
    const { simulation } = match
    this.#match = match
    this.digests = new Digests((job) => match.askDigest(job))
    const state = new OwnState(simulation, () => this.words())
    this.donor = new StateDonor(state, this.digests)
    this.#reports = isReported ? new StateReports(state, this.digests) : undefined
    const target = {
      load: (bytes: Uint8Array) => this.#load(bytes),
      adopt: (tick: number) => this.#adopt(tick),
    }
    this.joiner = isComing ? new StateJoiner(target, this.digests) : undefined
  }

  /** Whether the state of the match is still on its way here: nothing runs before. */
  get isWaiting(): boolean {
    return this.joiner !== undefined && this.joiner.state.name !== 'done'
  }

  /** What belongs to a state beside it: inputs that are held, and the chain. */
  words(): Uint32Array {
    return joinWords(this.#match.slots, this.#match.chain)
  }

  /** The first tick is about to run. */
  noteBegin(): void {
    if (this.#match.isPlaying()) this.#reports?.noteState()
  }

  /** A tick has run. */
  noteRan(): void {
    this.donor.noteRan()
    if (this.#match.isPlaying()) this.#reports?.noteState()
  }

  /** A new link: what was sent over the old one may be lost. */
  restart(nowMs: number): void {
    this.donor.restart()
    this.#reports?.dropUnsent()
    this.joiner?.restart(nowMs)
  }

  /** Sends what there is to say. Gives whether there was anything. */
  send(channel: Channel, nowMs: number): boolean {
    const isAsked = this.joiner?.send(channel, nowMs) ?? false
    if (this.isWaiting) return isAsked
    const isGiven = this.donor.send(channel, nowMs)
    const isTold = this.#reports?.send(channel, nowMs) ?? false
    return isAsked || isGiven || isTold
  }

  /** When {@link send} has something again. */
  wakeAtMs(): number {
    const joinerAtMs = this.joiner?.wakeAtMs() ?? Number.POSITIVE_INFINITY
    if (this.isWaiting) return joinerAtMs
    if (this.#reports?.hasNews === true) return 0
    return Math.min(joinerAtMs, this.donor.wakeAtMs())
  }

  /** Begins at a state that we had ourselves: nobody has to check it. */
  goBack(bytes: Uint8Array): void {
    this.#load(bytes)
    this.#adopt(this.#match.simulation.matchTick)
  }

  /** Loads a state, and gives what its hash is made of. It counts when that is right, and not before. */
  #load(bytes: Uint8Array): Uint8Array {
    const { simulation, slots, chain } = this.#match
    const words = new Uint32Array(slots.length + chain.length)
    loadMatchState(simulation, words, bytes)
    slots.set(words.subarray(0, slots.length))
    this.#match.handleLoaded(simulation.matchTick, words.subarray(slots.length))
    return copyMatchState(simulation, words)
  }

  #adopt(tick: number): void {
    this.#reports?.restart()
    this.#match.adopt(tick)
  }
}

/** The state that is given away and told of. */
class OwnState<G extends GameShape, R> {
  readonly #simulation: Simulation<G, R>
  readonly #words: () => Uint32Array

  constructor(simulation: Simulation<G, R>, words: () => Uint32Array) {
    this.#simulation = simulation
    this.#words = words
  }

  get tick(): number {
    return this.#simulation.matchTick
  }

  copy(into?: Uint8Array): Uint8Array {
    return copyMatchState(this.#simulation, this.#words(), into)
  }

  save(): Uint8Array {
    return saveMatchState(this.#simulation, this.#words())
  }
}
