import { RelayDriver } from '../../packages/samestep/src/driver/machines/relay-driver.ts'
import type { MatchEvent } from '../../packages/samestep/src/relay/match/match-types.ts'
import { Relay } from '../../packages/samestep/src/relay/relay.ts'
import { CosmeticRandom } from '../../packages/samestep/src/sim/random/index.ts'
import { FarTroupe } from './far-troupe.ts'
import { seatCount } from './game.ts'
import type { MemorySample } from './memory.ts'
import { sampleMemory } from './memory.ts'
import type { PlayerPlan, PlayerReport } from './player.ts'
import { Troupe } from './troupe.ts'
import type { Doors, NearWay } from './ways.ts'
import { openDoors } from './ways.ts'
import type { Verdict } from './witness.ts'
import { emptyVerdict, Witness } from './witness.ts'

/** How long, how many and how. */
export interface SoakOptions {
  readonly clients: number
  readonly seed: number
  readonly minutes: number
  /** How long each match lasts before all begin new ones. */
  readonly roundMs: number
}

/** What a soak has seen. */
export interface SoakResult {
  readonly options: SoakOptions
  readonly minutes: number
  readonly rounds: number
  readonly kills: number
  readonly ticks: number
  readonly verdict: Verdict
  readonly reports: readonly Omit<PlayerReport, 'orders'>[]
  /** Ticks for which the relay itself saw hashes that differ. */
  readonly relayMismatches: number
  /** Matches and connections that were still there long after everybody had left. */
  readonly leftOver: number
  readonly errors: readonly string[]
  readonly memory: readonly MemorySample[]
}

/** Which way each seat of a match takes; the last one is in the relay's own process. */
const ways = ['websocket', 'udp', 'webrtc', 'websocket', 'udp', 'webrtc', 'websocket', 'near']

/** A line that is clear for so long has settled everything. */
const settleMsMax = 20_000

/** Ticks from asking until everybody's hash is compared: everybody has to get there first. */
const aheadTicks = 30

/** A relay with its players, in rounds: each is some matches from their beginning to their end. */
export class Soak {
  readonly #options: SoakOptions
  readonly #random: CosmeticRandom
  readonly #relay: RelayDriver
  readonly #near = new Troupe()
  readonly #far: FarTroupe[] = []
  readonly #witnesses = new Map<string, Witness>()
  readonly #verdict = emptyVerdict()
  readonly #reports: Omit<PlayerReport, 'orders'>[] = []
  readonly #errors: string[] = []
  readonly #memory: MemorySample[] = []
  readonly #startMs = performance.now()
  #rounds = 0
  #kills = 0
  #ticks = 0
  #relayMismatches = 0
  #leftOver = 0
  #stage = 'starting'

  constructor(options: SoakOptions) {
    this.#options = options
    this.#random = new CosmeticRandom(options.seed)
    this.#relay = new RelayDriver(
      new Relay({ randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)) }),
      {
        handleMatch: (match, event) => this.#handleMatch(match, event),
        handleError: (error) => this.#errors.push(String(error)),
      },
    )
    const troupes = options.clients > seatCount ? 4 : 2
    for (let count = 0; count < troupes; count++) this.#far.push(new FarTroupe())
  }

  /** One line about where it stands. */
  get progress(): string {
    const seconds = Math.round(this.#minutes * 60)
    const { executed, refused, lost, doubled, hashMismatches, dropped } = this.#verdict
    const bad = lost + doubled + hashMismatches + dropped + this.#relayMismatches
    const connections = this.#relay.connectionCount
    return `${seconds} s, round ${this.#rounds + 1} (${this.#stage}), ${connections} connections, ${this.#ticks} ticks, ${executed} orders judged, ${refused} refused, ${this.#kills} kills, ${bad + this.#errors.length} bad`
  }

  async run(): Promise<SoakResult> {
    const doors = await openDoors((connection) => this.#relay.accept(connection))
    try {
      do {
        await this.#playRound(doors)
        this.#rounds += 1
        this.#memory.push(sampleMemory(this.#minutes))
      } while (this.#minutes < this.#options.minutes && this.#errors.length === 0)
    } catch (error) {
      this.#errors.push(error instanceof Error ? error.message : String(error))
    } finally {
      for (const troupe of this.#far) troupe.close()
      this.#relay.stop()
      await doors.close()
    }
    return this.#result()
  }

  async #playRound(doors: Doors): Promise<void> {
    this.#stage = 'joining'
    const plans = this.#makePlans()
    await this.#join(plans, doors)
    this.#stage = 'playing'
    this.#everybody((troupe) => troupe.begin())
    const { roundMs } = this.#options
    await pause(roundMs / 2)
    this.#far[this.#random.below(this.#far.length)]!.kill()
    this.#kills += 1
    await pause(roundMs / 2)
    this.#stage = 'settling'
    this.#everybody((troupe) => troupe.rest())
    // Those who were cut off come back first.
    await pause(2_000)
    await this.#judge()
    this.#stage = 'leaving'
    this.#near.leave()
    await Promise.all(this.#far.map((troupe) => troupe.leave()))
    await this.#clear()
  }

  #makePlans(): PlayerPlan[] {
    return Array.from({ length: this.#options.clients }, (_, id) => {
      const match = Math.floor(id / seatCount)
      const way = ways[id % seatCount] as string
      const near = match % 2 === 0 ? 'memory' : 'broadcast'
      const seed = this.#random.below(1_000_000_000)
      return {
        id,
        match: `round ${this.#rounds} match ${match}`,
        way: way === 'near' ? near : way,
        seed,
      }
    })
  }

  async #join(plans: readonly PlayerPlan[], { addresses, near }: Doors): Promise<void> {
    const isNear = ({ way }: PlayerPlan) => way === 'memory' || way === 'broadcast'
    const far = plans.filter((plan) => !isNear(plan))
    await Promise.all([
      this.#near.join(plans.filter(isNear), async ({ way }) => near[way as NearWay]),
      ...this.#far.map((troupe, index) => {
        const own = far.filter((_, place) => place % this.#far.length === index)
        return troupe.join(own, addresses)
      }),
    ])
  }

  async #judge(): Promise<void> {
    const ticks: { [match: string]: number } = {}
    for (const [name, witness] of this.#witnesses) ticks[name] = witness.tick + aheadTicks
    const reports = await Promise.all([
      this.#near.report(ticks, settleMsMax),
      ...this.#far.map((troupe) => troupe.report(ticks, settleMsMax)),
    ])
    for (const [name, witness] of this.#witnesses) {
      const own = reports.flat().filter(({ match }) => match === name)
      witness.judge(own, ticks[name] as number, this.#verdict)
    }
    for (const { orders: _, ...rest } of reports.flat()) this.#reports.push(rest)
  }

  /** Ends what is left of the matches: seats of killed processes wait for a minute. */
  async #clear(): Promise<void> {
    const untilMs = performance.now() + settleMsMax
    const isEmpty = () => this.#relay.relay.matches.size === 0 && this.#relay.relay.linkCount === 0
    while (!isEmpty() && performance.now() < untilMs) {
      this.#relay.act((relay, nowMs) => {
        for (const name of [...relay.matches.keys()]) {
          for (let seat = 0; seat < seatCount; seat++) relay.kick(name, seat, nowMs)
        }
      })
      await pause(100)
    }
    this.#leftOver += this.#relay.relay.matches.size + this.#relay.relay.linkCount
    this.#witnesses.clear()
  }

  #everybody(action: (troupe: Troupe | FarTroupe) => void): void {
    for (const troupe of [this.#near, ...this.#far]) action(troupe)
  }

  #handleMatch(match: string, event: MatchEvent): void {
    if (event.type === 'hash-mismatch') this.#relayMismatches += 1
    if (event.type !== 'sealed') return
    this.#ticks += 1
    let witness = this.#witnesses.get(match)
    if (witness === undefined) {
      witness = new Witness(this.#relay.relay.matches.get(match)!)
      this.#witnesses.set(match, witness)
    }
    witness.handleSealed(event.bundle)
  }

  get #minutes(): number {
    return (performance.now() - this.#startMs) / 60_000
  }

  #result(): SoakResult {
    return {
      options: this.#options,
      minutes: this.#minutes,
      rounds: this.#rounds,
      kills: this.#kills,
      ticks: this.#ticks,
      verdict: this.#verdict,
      reports: this.#reports,
      relayMismatches: this.#relayMismatches,
      leftOver: this.#leftOver,
      errors: this.#errors,
      memory: this.#memory,
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
