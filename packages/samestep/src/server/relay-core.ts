/** The relay machine of one process, driven, guarded at its edges, and told about in the log. */
import type { Logger } from 'pino'
import { RelayDriver } from '../driver/relay-driver.ts'
import { machineTiming } from '../driver/timing.ts'
import type { Match } from '../relay/match.ts'
import { Relay } from '../relay/relay.ts'
import type { RelayOutput } from '../relay/relay-output.ts'
import type { Connection } from '../transport/connection.ts'
import { closeCodes } from '../wire/codes.ts'
import { guardTimers } from './guarded-timing.ts'
import { PacketRest } from './packet-rest.ts'
import { RandomPool } from './random-pool.ts'
import type { MatchSummary } from './relay-server.ts'

/** What a core is made with. */
export interface RelayCoreOptions {
  readonly log: Logger
  readonly matchesMax: number
  /** How long packets may gather before they are read, in ms; not at all when left out. */
  readonly gatherMs?: number
  /** Whether whoever is first may make a match of that name. */
  mayCreate(name: string): boolean
}

/** What a core has, in numbers. */
export interface CoreNumbers {
  readonly matches: number
  readonly links: number
  readonly players: number
  readonly accepted: Readonly<Record<string, number>>
  readonly faults: number
}

/** How long everybody may take to hear that the relay goes down (F-17). */
export const farewellMsMax = 1_000

/** Faults in one second that are written out in full; of more, only their number. */
const faultLinesMax = 5

/** See above. */
export class RelayCore {
  readonly #log: Logger
  readonly #driver: RelayDriver
  readonly #accepted: Record<string, number> = {}
  #faults = 0
  #faultLines = 0
  #faultSecond = 0
  #onEmpty: (() => void) | undefined
  #suspecting: ReturnType<typeof setTimeout> | undefined

  constructor({ log, matchesMax, gatherMs = 0, mayCreate }: RelayCoreOptions) {
    this.#log = log
    const rest = new PacketRest({
      restMs: gatherMs,
      nowMs: machineTiming.nowMs,
      wakeAtMs: () => this.#driver.wakeAtMs,
    })
    const random = new RandomPool()
    const relay = new Relay({
      randomBytes: (count) => random.take(count),
      matchesMax,
      mayCreate,
      // Many per second and match, and nobody hears them here.
      tellSealed: false,
    })
    this.#driver = new RelayDriver(
      relay,
      {
        handleMatch: (output) => this.#tell(output),
        notePacket: () => rest.notePacket(),
        // What a stranger sends never throws by itself; if our code does nevertheless, that one
        // connection is closed, the error is told, and everybody else plays on.
        handleError: (error, connection) => {
          // Up to the timer, behind which some matches may not have been served.
          if (connection === undefined) throw error
          connection.close(closeCodes['bad-message'], 'The relay could not go on with you')
          this.noteFault(error, { remote: connection.remote })
        },
        handleClosed: (_, connection, code) => {
          log.debug({ remote: connection.remote, code }, 'connection closed')
          if (this.#driver.connectionCount === 0) this.#onEmpty?.()
        },
      },
      guardTimers(machineTiming, (error) => this.#handleTimerFault(error)),
    )
  }

  get numbers(): CoreNumbers {
    let players = 0
    for (const { sessions } of this.#matches.values()) {
      for (const { seat, link } of sessions) if (seat !== undefined && link >= 0) players += 1
    }
    return {
      matches: this.#matches.size,
      links: this.#driver.relay.linkCount,
      players,
      accepted: { ...this.#accepted },
      faults: this.#faults,
    }
  }

  /** Takes a connection of any transport. */
  accept(connection: Connection): void {
    const { transport, remote } = connection
    this.#accepted[transport] = (this.#accepted[transport] ?? 0) + 1
    this.#log.debug({ transport, remote }, 'connection opened')
    try {
      this.#driver.accept(connection)
    } catch (error) {
      connection.close(4001, 'The relay could not take you')
      this.noteFault(error, { remote })
    }
  }

  summaries(): MatchSummary[] {
    return [...this.#matches.values()].map(summarise)
  }

  kick(match: string, seat: number): boolean {
    return this.#driver.act((relay, nowMs) => relay.kick(match, seat, nowMs))
  }

  /** An error of ours: told, counted, survived. */
  noteFault(error: unknown, about: object = {}): void {
    this.#faults += 1
    const second = Math.floor(performance.now() / 1_000)
    if (second !== this.#faultSecond) this.#faultLines = 0
    this.#faultSecond = second
    this.#faultLines += 1
    if (this.#faultLines > faultLinesMax) return
    this.#log.error({ err: error, ...about, faults: this.#faults }, 'an error of the relay itself')
  }

  /** Tells everybody that the relay goes down, and waits until they are gone, but not for ever. */
  async stop(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#onEmpty = resolve
      setTimeout(resolve, farewellMsMax)
    })
    clearTimeout(this.#suspecting)
    try {
      this.#driver.stop()
    } catch (error) {
      this.noteFault(error)
    }
    if (this.#driver.connectionCount > 0) await gone
  }

  get #matches(): ReadonlyMap<string, Match> {
    return this.#driver.relay.matches
  }

  /** Serves the others, and looks for matches that cannot be served. */
  #handleTimerFault(error: unknown): void {
    this.noteFault(error)
    // Whoever throws loses its deadline, so every round serves those behind one that threw.
    for (let round = 0; round < brokenMax; round++) {
      const isServed = this.#try(() => {
        this.#driver.act((relay, nowMs) => relay.handleTime(nowMs))
      })
      if (isServed) break
    }
    this.#suspect()
  }

  /** One of the matches may never be served again. It shows by its ticks, which then stand still. */
  #suspect(): void {
    if (this.#suspecting !== undefined) return
    const ticks = new Map<Match, number>()
    for (const match of this.#matches.values()) {
      if (match.phase === 'running') ticks.set(match, match.log.sealedTick)
    }
    this.#suspecting = setTimeout(() => {
      this.#suspecting = undefined
      for (const [match, tick] of ticks) {
        const isSame = this.#matches.get(match.name) === match && match.phase === 'running'
        if (isSame && match.log.sealedTick === tick) this.#endBroken(match)
      }
    }, suspicionMs).unref()
  }

  #endBroken({ name, sessions }: Match): void {
    this.#log.error({ match: name }, 'the match is broken, and ended')
    for (const { seat } of [...sessions]) {
      if (seat !== undefined) this.#try(() => this.kick(name, seat))
    }
  }

  #try(action: () => void): boolean {
    try {
      action()
      return true
    } catch (error) {
      this.noteFault(error)
      return false
    }
  }

  #tell({ match, event }: Extract<RelayOutput, { type: 'match' }>): void {
    const log = this.#log
    switch (event.type) {
      case 'phase':
        log.info({ match, phase: event.phase }, 'match goes on')
        return
      case 'started':
        log.info({ match, tick: event.tick }, 'match started')
        return
      case 'hash-mismatch':
        log.warn({ match, tick: event.tick, seat: event.seat }, 'machines disagree')
        return
      case 'left':
        log.info({ match, seat: event.seat, reason: event.reason }, 'player left')
        return
      case 'presence':
        log.debug({ match, seat: event.seat, presence: event.event }, 'presence')
        return
      case 'ended':
        log.info({ match }, 'match ended')
    }
  }
}

/** Matches that may break at the same time before the rest has to wait for the next wake-up. */
const brokenMax = 64

/** A match seals ticks all the time, paused or not: without one for so long, it is broken. */
const suspicionMs = 3_000

function summarise(match: Match): MatchSummary {
  const sessions = [...match.sessions]
  return {
    name: match.name,
    gameId: match.identity.gameId,
    gameVersion: match.identity.gameVersion,
    phase: match.phase,
    tick: match.log.sealedTick,
    seats: match.config.seats,
    players: sessions.flatMap(({ seat, name, link }) =>
      seat === undefined ? [] : [{ seat, name, isConnected: link >= 0 }],
    ),
    spectators: sessions.filter(({ seat }) => seat === undefined).length,
  }
}
