/**
 * One relay, its honest players, and strangers for some time.
 *
 *     join ─► calm ─► strangers, a look each second ─► quiet: everything free? ─► end
 *
 * The first thing that is wrong ends it, so that what strangers did last is what matters.
 */
import { descriptorsSlack } from '../attack/promises.ts'
import { wait } from '../loopback/sockets.ts'
import { type Standing, WatchedRelay } from '../loopback/watched-relay.ts'
import { Company } from './company.ts'
import { Crowd } from './crowd.ts'
import type { RelayKind } from './relay-kinds.ts'

/** How a stage is played. */
export interface StageOptions {
  readonly kind: RelayKind
  readonly seed: number
  readonly seconds: number
  /** How long everything may take to be free again. Seats are kept for a minute after a hang-up. */
  readonly quietSeconds: number
}

/** What was seen. */
export interface StageResult {
  readonly relay: string
  readonly seconds: number
  /** What is wrong; nothing when all is well. */
  readonly faults: readonly string[]
  readonly acts: Readonly<Record<string, number>>
  /** What strangers did before the first fault, oldest first. */
  readonly recent: readonly string[]
  readonly executed: number
  readonly longestGapMs: number
  readonly growthMib: number
  readonly idle: Standing | undefined
  readonly rest: Standing | undefined
}

/** Strangers at once: more than the relay's limits per address let in, from eight addresses. */
const strangers = 40

/** Very generous: a machine with eight busy neighbours has gaps too, a frozen relay longer ones. */
const gapMsMax = 5_000

/** Memory more than before: a relay that answers every ping or keeps every answer has gigabytes. */
const growthMibMax = 300

/** A relay keeps seats of members who hung up for a minute; a shorter quiet time cannot see them go. */
const seatKeptSeconds = 61

const calmMs = 2_000
const honestMatches = ['honest-a', 'honest-b']

/** Plays one stage. */
export async function playStage(options: StageOptions): Promise<StageResult> {
  const { kind, seed } = options
  const relay = await WatchedRelay.start({ flags: kind.flags, hasPages: true })
  const crowd = new Crowd()
  let company: Company | undefined
  try {
    company = await Company.join(relay, kind.ways, honestMatches, seed)
    return await new Stage(options, relay, company, crowd).play()
  } finally {
    await crowd.stop()
    company?.leave()
    await relay.stop()
  }
}

class Stage {
  readonly #options: StageOptions
  readonly #relay: WatchedRelay
  readonly #company: Company
  readonly #crowd: Crowd
  #idle: Standing | undefined
  #rest: Standing | undefined
  #idleMib = 0
  #executed = 0

  constructor(options: StageOptions, relay: WatchedRelay, company: Company, crowd: Crowd) {
    this.#options = options
    this.#relay = relay
    this.#company = company
    this.#crowd = crowd
  }

  async play(): Promise<StageResult> {
    const fromMs = performance.now()
    this.#company.begin()
    // The first load of anything opens what stays open.
    await this.#relay.loadPages()
    await wait(calmMs)
    this.#idle = await this.#relay.standing()
    this.#idleMib = this.#relay.residentMib()
    this.#relay.resetPeak()
    const faults = await this.#attack()
    // What strangers did after the first fault does not explain it.
    const recent = [...this.#crowd.recent]
    await this.#crowd.stop()
    if (faults.length === 0) faults.push(...(await this.#quiet()))
    const growthMib = Math.round(this.#growthMib)
    if (faults.length === 0 && (await this.#relay.stop()) !== 0) {
      faults.push('the relay did not stop in order')
    }
    if (faults.length > 0) faults.push(...lastWords(this.#relay))
    return {
      relay: this.#options.kind.name,
      seconds: Math.round((performance.now() - fromMs) / 1_000),
      faults,
      acts: Object.fromEntries([...this.#crowd.counts].sort()),
      recent: faults.length === 0 ? [] : recent,
      executed: this.#executed,
      longestGapMs: Math.round(this.#company.longestGapMs),
      growthMib,
      idle: this.#idle,
      rest: this.#rest,
    }
  }

  get #growthMib(): number {
    return this.#relay.isAlive ? this.#relay.peakMib() - this.#idleMib : 0
  }

  /** Strangers come; looks each second, and gives the first faults. */
  async #attack(): Promise<string[]> {
    const { kind, seed, seconds, quietSeconds } = this.#options
    const place = {
      port: this.#relay.port,
      udp: this.#relay.urls.udp,
      hasSignalling: kind.ways.includes('webrtc'),
      honestMatches: this.#company.matches,
      mayVanish: quietSeconds >= seatKeptSeconds,
    }
    await this.#crowd.begin(place, seed, strangers)
    const untilMs = performance.now() + seconds * 1_000
    while (performance.now() < untilMs) {
      const faults = await this.#look()
      if (faults.length > 0) return faults
      await wait(1_000)
    }
    return []
  }

  async #look(): Promise<string[]> {
    const relay = this.#relay
    const health = await relay.health(2 * gapMsMax)
    const faults = [...this.#company.faults(gapMsMax), ...this.#company.disagreements()]
    if (!relay.isAlive) faults.unshift(`a process of the relay ended (${relay.process.exitCode})`)
    else if (health === undefined) faults.push('/health does not answer')
    if (health !== undefined && health.faults > 0) faults.push(`${health.faults} faults counted`)
    const growth = this.#growthMib
    if (growth > growthMibMax) faults.push(`${Math.round(growth)} MiB more than before`)
    if (this.#crowd.broken !== undefined) faults.push(`strangers: ${this.#crowd.broken}`)
    return faults
  }

  /** Everybody is gone: looks until everything is free, or for as long as it may take. */
  async #quiet(): Promise<string[]> {
    const untilMs = performance.now() + this.#options.quietSeconds * 1_000
    let held: string[] = []
    do {
      await wait(1_000)
      const faults = await this.#look()
      if (faults.length > 0) return faults
      this.#rest = await this.#relay.standing()
      held = this.#held()
    } while (held.length > 0 && performance.now() < untilMs)
    const loads = await this.#relay.loadPages()
    if (loads.some((status) => status !== 200)) held.push(`downloads fail: ${loads.join(' ')}`)
    const { executed, faults } = await this.#company.report()
    this.#executed = executed
    if (executed === 0) held.push('no order of an honest player was executed')
    return [...held, ...faults, ...(await this.#look())]
  }

  /** What strangers left behind. */
  #held(): string[] {
    const [idle, rest] = [this.#idle, this.#rest]
    if (idle === undefined || rest === undefined) return ['/health does not answer']
    const isLong = this.#options.quietSeconds >= seatKeptSeconds
    const more = [
      ['links', rest.links - idle.links],
      ['descriptors', rest.descriptors - idle.descriptors - descriptorsSlack],
      ['matches', isLong ? rest.matches - idle.matches : 0],
    ] as const
    return more.flatMap(([what, count]) => (count > 0 ? [`${count} ${what} are still held`] : []))
  }
}

/** What the relay wrote before it ended, if it did. */
function lastWords({ process, isAlive }: WatchedRelay): string[] {
  if (isAlive) return []
  return [process.stderr, process.stdout].flatMap((text) => {
    const end = text.trim().slice(-1_500)
    return end === '' ? [] : [end]
  })
}
