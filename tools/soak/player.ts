import type { Match } from '../../packages/samestep/src/driver/match/match.ts'
import { joinMatch } from '../../packages/samestep/src/driver/online/join-match.ts'
import type { Game } from '../../packages/samestep/src/sim/game/definition/define-game.ts'
import type { Simulation } from '../../packages/samestep/src/sim/game/run/simulation.ts'
import { CosmeticRandom } from '../../packages/samestep/src/sim/random/index.ts'
import { Conditioner } from '../../packages/samestep/src/transport/conditioner/conditioner.ts'
import type { Dial } from '../../packages/samestep/src/transport/connection.ts'
import { soakGame } from './game.ts'
import { Weather } from './weather.ts'

type MatchOf<T> = T extends Game<infer G, infer R> ? Match<G, R, Simulation<G, R>> : never

/** Who a player is. */
export interface PlayerPlan {
  readonly id: number
  readonly match: string
  readonly way: string
  readonly seed: number
  /** Leaves its line as it is. */
  readonly isCalm?: boolean
}

/** How one order ended: its number, and the tick at which it ran; `undefined` when it was refused. */
export type OrderRecord = readonly [number: number, result: string, tick: number | undefined]

/** What a player has to say at the end. */
export interface PlayerReport {
  readonly id: number
  readonly match: string
  readonly way: string
  readonly seat: number
  readonly orders: readonly OrderRecord[]
  /** Orders without an end. */
  readonly open: number
  /** The sync hash after the tick that was asked for. */
  readonly hash: string | undefined
  /** Why it is over, if it is. */
  readonly closed: string | undefined
  readonly reconnects: number
  readonly breaks: number
  readonly outages: number
  /** Order to execution, in ms: median and 95 %. */
  readonly orderMs: number
  readonly orderP95Ms: number
}

/** Orders on their way above which a player holds back: the outbox has room for 64. */
const openMax = 48

/** Plays one match over a line that is never the same for long, with orders that are numbered. */
export class Player {
  readonly plan: PlayerPlan
  readonly match: MatchOf<typeof soakGame>
  readonly #weather: Weather
  readonly #random: CosmeticRandom
  readonly #orders: OrderRecord[] = []
  #issued = 0
  #reconnects = 0
  #closed: string | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  private constructor(plan: PlayerPlan, match: MatchOf<typeof soakGame>, conditioner: Conditioner) {
    this.plan = plan
    this.match = match
    this.#random = new CosmeticRandom(plan.seed)
    this.#weather = new Weather(conditioner, plan.seed + 1)
    match.on('status', (status) => {
      if (status === 'reconnecting') this.#reconnects += 1
    })
    match.on('closed', ({ reason, message }) => {
      this.#closed = `${reason}: ${message}`
    })
  }

  static async join(plan: PlayerPlan, dial: Dial): Promise<Player> {
    const conditioner = new Conditioner({ seed: plan.seed })
    const match = await joinMatch(soakGame, {
      url: 'ws://relay.soak',
      match: plan.match,
      name: `player ${plan.id}`,
      dial,
      conditioner,
      guard: false,
      advanced: { retryMs: 100 },
      timeoutMs: 30_000,
    })
    return new Player(plan, match, conditioner)
  }

  get open(): number {
    return this.#issued - this.#orders.length
  }

  /** Why it is over, if it is. */
  get closed(): string | undefined {
    return this.#closed
  }

  /** How often its link was lost. */
  get reconnects(): number {
    return this.#reconnects
  }

  begin(): void {
    if (this.plan.isCalm !== true) this.#weather.begin()
    this.#work()
  }

  /** No new orders, and a clear line, so that what is on its way comes to its end. */
  rest(): void {
    clearTimeout(this.#timer)
    this.#weather.clear()
  }

  /** Waits until a tick has run and every order has its end; says how it went either way. */
  async report(tick: number, msMax: number): Promise<PlayerReport> {
    const untilMs = performance.now() + msMax
    const { match, plan } = this
    const isDone = () => match.cursors.simulatedTick >= tick && this.open === 0
    while (!isDone() && this.#closed === undefined && performance.now() < untilMs) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const { orderMs, orderP95Ms } = match.statistics
    const { breaks, outages } = this.#weather
    return {
      id: plan.id,
      match: plan.match,
      way: plan.way,
      seat: match.seat ?? -1,
      orders: this.#orders,
      open: this.open,
      hash: match.simulation.syncHashAt(tick),
      closed: this.#closed,
      reconnects: this.#reconnects,
      breaks,
      outages,
      orderMs,
      orderP95Ms,
    }
  }

  close(): void {
    this.rest()
    this.match.close()
  }

  #work(): void {
    if (this.#closed === undefined) {
      if (this.open < openMax) this.#issue()
      if (this.#random.below(3) === 0) this.match.input({ fire: this.#random.below(2) === 1 })
    }
    this.#timer = setTimeout(() => this.#work(), 100 + this.#random.below(400))
  }

  #issue(): void {
    const number = this.#issued++
    void this.match.order('mark', { number }).settled.then((end) => {
      this.#orders.push([number, end.result, end.result === 'lost' ? undefined : end.tick])
    })
  }
}
