/** Honest players: real clients that play real matches beside the strangers. */
import { withMatch } from '../../packages/samestep/src/driver/online/relay-address.ts'
import type { WatchedRelay } from '../loopback/watched-relay.ts'
import { seatCount } from '../soak/game.ts'
import { Player } from '../soak/player.ts'
import { dialFar, type FarWay } from '../soak/ways.ts'

/** Ticks from asking until everybody's hash is compared: everybody has to get there first. */
const aheadTicks = 30

/** How long everybody may take to get there, and to have an end of each order. */
const settleMsMax = 20_000

/** How often the newest tick of each player is looked at. */
const sampleMs = 50

/** The honest players of one relay, and what they report. */
export class Company {
  readonly matches: readonly string[]
  readonly #players: readonly Player[]
  /** The newest tick of each player, and when it was seen. */
  readonly #progress = new Map<Player, { tick: number; atMs: number }>()
  /** The longest time without a new tick that any player saw. */
  longestGapMs = 0
  #timer: ReturnType<typeof setInterval> | undefined

  private constructor(matches: readonly string[], players: readonly Player[]) {
    this.matches = matches
    this.#players = players
  }

  /** Everybody joins, one match after the other: an address may have few strangers at once. */
  static async join(
    relay: WatchedRelay,
    ways: readonly FarWay[],
    matches: readonly string[],
    seed: number,
  ): Promise<Company> {
    const { websocket, udp = '' } = relay.urls
    const players: Player[] = []
    for (const match of matches) {
      const addresses = { websocket: withMatch(websocket, match), udp, webrtc: websocket }
      const joined = Array.from({ length: seatCount }, async (_, seat) => {
        const way = ways[seat % ways.length]!
        const id = players.length + seat
        const plan = { id, match, way, seed: seed + id, isCalm: true }
        return Player.join(plan, await dialFar(way, addresses))
      })
      players.push(...(await Promise.all(joined)))
    }
    return new Company(matches, players)
  }

  get size(): number {
    return this.#players.length
  }

  begin(): void {
    for (const player of this.#players) player.begin()
    this.#timer = setInterval(() => this.#noteGaps(), sampleMs)
  }

  /** What is wrong now, or was: a gap in the ticks of any player counts from the beginning. */
  faults(gapMsMax: number): string[] {
    const gapMs = Math.round(this.longestGapMs)
    const gap = gapMs <= gapMsMax ? [] : [`a player saw no tick for ${gapMs} ms`]
    const others = this.#players.flatMap((player) => {
      const { id, way } = player.plan
      const who = `player ${id} (${way})`
      return [
        ...(player.closed === undefined ? [] : [`${who} was closed: ${player.closed}`]),
        ...(player.reconnects === 0 ? [] : [`${who} lost its link`]),
      ]
    })
    return [...gap, ...others]
  }

  /** Matches in which two players have another hash for the newest tick that both ran. */
  disagreements(): string[] {
    return this.matches.flatMap((match) => {
      const own = this.#players.filter(({ plan }) => plan.match === match)
      const tick = Math.min(...own.map((player) => player.match.cursors.simulatedTick))
      const hashes = own.map((player) => player.match.simulation.syncHashAt(tick))
      const known = new Set(hashes.filter((hash) => hash !== undefined))
      return known.size <= 1 ? [] : [`${match} has ${known.size} hashes at tick ${tick}`]
    })
  }

  /** The end: nothing new is ordered, and everybody says how it went. */
  async report(): Promise<{ readonly executed: number; readonly faults: readonly string[] }> {
    for (const player of this.#players) player.rest()
    const tick = Math.max(...this.#players.map(({ match }) => match.cursors.sealedTick))
    const reports = await Promise.all(
      this.#players.map((player) => player.report(tick + aheadTicks, settleMsMax)),
    )
    const faults = reports.flatMap(({ id, hash, open }) => [
      ...(hash === undefined ? [`player ${id} did not get to tick ${tick + aheadTicks}`] : []),
      ...(open === 0 ? [] : [`${open} orders of player ${id} have no end`]),
    ])
    const executed = reports.reduce(
      (sum, { orders }) => sum + orders.filter(([, result]) => result === 'executed').length,
      0,
    )
    return { executed, faults: [...faults, ...this.disagreements()] }
  }

  leave(): void {
    clearInterval(this.#timer)
    for (const player of this.#players) player.close()
  }

  #noteGaps(): void {
    const nowMs = performance.now()
    for (const player of this.#players) {
      const tick = player.match.cursors.sealedTick
      const known = this.#progress.get(player)
      if (known !== undefined) this.longestGapMs = Math.max(this.longestGapMs, nowMs - known.atMs)
      if (known?.tick !== tick) this.#progress.set(player, { tick, atMs: nowMs })
    }
  }
}
