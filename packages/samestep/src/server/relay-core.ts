/** The relay machine of one process, driven, guarded at its edges, and told about in the log. */
import type { Logger } from 'pino'
import { RelayDriver } from '../driver/machines/relay-driver.ts'
import type { AuthorizationRequest } from '../relay/links/authorization.ts'
import type { MatchCaps } from '../relay/links/match-caps.ts'
import type { Match } from '../relay/match/match.ts'
import { Relay } from '../relay/relay.ts'
import type { Connection } from '../transport/connection.ts'
import { withoutPort } from '../transport/node/address-block.ts'
import { PacketRest } from '../transport/node/turbo/packet-rest.ts'
import { machineTiming } from '../transport/timing.ts'
import { closeCodes } from '../wire/codes.ts'
import type { Doors } from '../wire/doors.ts'
import { noDoors } from '../wire/doors.ts'
import type { AddressLedger } from './address-ledger.ts'
import type { Authorize } from './authorize.ts'
import { decide, requestOf } from './authorize.ts'
import { DesyncReports } from './desync-reports.ts'
import type { Journal, JournalState } from './journal/journal.ts'
import type { JournalPlace } from './journal/journal-options.ts'
import { openJournal } from './journal/open-journal.ts'
import type { LineNumbers } from './logs/line-numbers.ts'
import { lineNumbersOf } from './logs/line-numbers.ts'
import { MatchLog } from './logs/match-log.ts'
import type { NewMatch } from './new-match.ts'
import { RandomPool } from './random-pool.ts'
import type { MatchSummary } from './relay-server.ts'
import type { SharedMakers } from './shared-makers.ts'
import { guardTimers } from './workers/guarded-timing.ts'

/** What a core is made with. */
export interface RelayCoreOptions {
  readonly log: Logger
  readonly matchesMax: number
  readonly matchesPerAddress: number
  readonly matchesPerMinute: number
  readonly caps: MatchCaps
  readonly kicksAddresses: boolean
  readonly witnesses: 'anyone' | 'token' | 'nobody'
  /** Who made how many matches, where several processes share the limits. */
  readonly makers?: SharedMakers | undefined
  readonly makeUpMs: number
  /** Whether members are told the values that differ when a desync is explained. */
  readonly showsDesyncValues: boolean
  /** The debug level that clients are asked for. */
  readonly debugLevel: number
  /** Where reports of desyncs are kept; nowhere when left out. */
  readonly desyncs?: string
  /** Under which clients keep what another relay needs; nothing is kept when left out. */
  readonly recoveryKey?: Uint8Array
  /** Decides who may join; everybody may when left out. */
  readonly authorize?: Authorize | undefined
  /** How long packets may gather before they are read, in ms; not at all when left out. */
  readonly gatherMs?: number
  /** Whether whoever is first may make a match of that name. */
  mayCreate(name: string, permission: boolean | undefined): boolean
  /** Counts connections by address whose listeners do not: all but WebSockets. */
  readonly ledger?: Pick<AddressLedger, 'enter'>
  /** Where what happens is kept, so that it outlives this process. Nowhere when left out. */
  readonly journal?: JournalPlace | undefined
  /** Whether a match belongs here: those of the journal that do not are left to others. */
  isOwn?(name: string): boolean
  /** What limits per address count a connection under; `undefined` for one that is exempt. */
  addressOf(remote: string): string | undefined
}

/** What a core has, in numbers. */
export interface CoreNumbers {
  readonly matches: number
  readonly links: number
  readonly players: number
  readonly accepted: Readonly<Record<string, number>>
  readonly faults: number
  readonly lines: LineNumbers
  /** How the journal is, and how often its disk failed; `undefined` where there is none. */
  readonly journal: JournalNumbers | undefined
}

/** A journal, in numbers. */
export interface JournalNumbers {
  readonly state: JournalState
  readonly failures: number
}

/** How long everybody may take to hear that the relay goes down (F-17). */
export const farewellMsMax = 1_000

/** Faults in one second that are written out in full; of more, only their number. */
const faultLinesMax = 5

/** Drives the relay machine of this process and reports what happens in it. */
export class RelayCore {
  readonly #log: Logger
  readonly #driver: RelayDriver
  readonly #accepted: Record<string, number> = {}
  #faults = 0
  #faultLines = 0
  #faultSecond = 0
  readonly #addressOf: RelayCoreOptions['addressOf']
  readonly #ledger: RelayCoreOptions['ledger']
  /** By link: what gives its place in the ledger back. */
  readonly #places = new Map<number, () => void>()
  #onEmpty: (() => void) | undefined
  /** The doors that players are told of, besides the one that they came in by. */
  doors: Doors = noDoors
  readonly #journal: Journal | undefined
  #suspecting: ReturnType<typeof setTimeout> | undefined

  constructor(options: RelayCoreOptions) {
    const { log, gatherMs = 0, authorize } = options
    this.#log = log
    this.#addressOf = (remote) => options.addressOf(remote)
    this.#ledger = options.ledger
    const rest = new PacketRest({
      restMs: gatherMs,
      nowMs: machineTiming.nowMs,
      wakeAtMs: () => this.#driver.wakeAtMs,
    })
    const random = new RandomPool()
    const relay = new Relay({
      randomBytes: (count) => random.take(count),
      matchesMax: options.matchesMax,
      matchesPerAddress: options.matchesPerAddress,
      matchesPerMinute: options.matchesPerMinute,
      makers: options.makers,
      caps: options.caps,
      kicksAddresses: options.kicksAddresses,
      witnesses: options.witnesses,
      makeUpMs: options.makeUpMs,
      doors: () => this.doors,
      showsDesyncValues: options.showsDesyncValues,
      debugLevel: options.debugLevel,
      collectsDesyncStates: options.desyncs !== undefined,
      isAuthorizing: authorize !== undefined,
      mayCreate: (name, permission) => options.mayCreate(name, permission),
      meterMs: machineTiming.nowMs,
      isRecorded: options.journal !== undefined,
      recoveryKey: options.recoveryKey,
    })
    const desyncs = new DesyncReports(options.desyncs, log)
    const lines = new MatchLog(log, desyncs, () => this.#matches)
    this.#journal = options.journal && openJournal(options.journal, log, random)
    const journal = this.#journal
    this.#driver = new RelayDriver(
      relay,
      {
        handleMatch: (match, event) => lines.tell(match, event),
        ...(authorize === undefined ? {} : { authorize: this.#makeDecider(authorize) }),
        notePacket: () => rest.notePacket(),
        ...(journal && { record: (bytes: Uint8Array) => journal.append(bytes) }),
        // What a stranger sends never throws by itself; if our code does nevertheless, that one
        // connection is closed, the error is told, and everybody else plays on.
        handleError: (error, connection) => {
          if (connection === undefined) {
            this.noteFault(error)
            this.#suspect()
            return
          }
          connection.close(closeCodes['bad-message'], 'Internal relay error')
          this.noteFault(error, { remote: connection.remote })
        },
        handleClosed: (link, connection, code) => {
          this.#places.get(link)?.()
          this.#places.delete(link)
          log.debug({ remote: connection.remote, code }, 'connection closed')
          if (this.#driver.connectionCount === 0) this.#onEmpty?.()
        },
      },
      guardTimers(machineTiming, (error) => this.noteFault(error)),
    )
    if (this.#journal !== undefined) this.#resume(this.#journal, options.isOwn ?? (() => true))
  }

  get numbers(): CoreNumbers {
    const sessions = [...this.#matches.values()].flatMap((match) => match.sessions)
    const players = sessions.filter(({ seat, link }) => seat !== undefined && link >= 0).length
    return {
      matches: this.#matches.size,
      links: this.#driver.relay.linkCount,
      players,
      accepted: { ...this.#accepted },
      faults: this.#faults,
      lines: lineNumbersOf(this.#driver.relay.lanes, sessions),
      journal: this.#journal && {
        state: this.#journal.state,
        failures: this.#journal.failures,
      },
    }
  }

  /** Takes up the matches of the journal, and keeps one from now on. */
  #resume(journal: Journal, isOwn: (name: string) => boolean): void {
    const own = journal.histories.filter(({ match }) => isOwn(match.name))
    const resumed = own.filter((history) => {
      try {
        return this.#driver.act((relay, nowMs) => relay.restoreMatch(history, nowMs))
      } catch (error) {
        // One that cannot go on keeps no other from it.
        this.noteFault(error, { match: history.match.name })
        return false
      }
    })
    if (own.length > 0) {
      this.#log.info(
        { matches: resumed.length, of: own.length },
        'matches continue from the journal',
      )
    }
    journal.begin({
      start: (id) => this.#driver.act((relay) => relay.startRecord(id)),
      carry: (countMax) => this.#driver.act((relay, nowMs) => relay.carryRecord(countMax, nowMs)),
      stop: () => this.#driver.relay.stopRecord(),
    })
  }

  /** Takes a connection of any transport. */
  accept(connection: Connection): void {
    const { transport, remote } = connection
    // WebSockets were counted before they became any.
    const isCounted = transport === 'websocket' || this.#ledger === undefined
    const leave = isCounted ? nothing : this.#ledger.enter(withoutPort(remote))
    if (leave === undefined) {
      connection.close(closeCodes.rate, 'Your address has too many connections')
      return
    }
    this.#accepted[transport] = (this.#accepted[transport] ?? 0) + 1
    this.#log.debug({ transport, remote }, 'connection opened')
    try {
      const link = this.#driver.accept(connection, this.#addressOf(remote))
      if (link < 0) leave()
      else if (leave !== nothing) this.#places.set(link, leave)
    } catch (error) {
      leave()
      connection.close(4001, 'The relay could not take you')
      this.noteFault(error, { remote })
    }
  }

  /** Uses what `wrap` gives for each open connection instead of that connection from now on. */
  rewrap(wrap: (connection: Connection) => Connection): void {
    this.#driver.rewrap(wrap)
  }

  summaries(): MatchSummary[] {
    return [...this.#matches.values()].map(summarise)
  }

  decide(match: string, decision: 'resume' | 'end'): boolean {
    return this.#driver.act((relay, nowMs) => relay.decide(match, decision, nowMs))
  }

  kick(match: string, seat: number): boolean {
    return this.#driver.act((relay, nowMs) => relay.kick(match, seat, nowMs))
  }

  order(match: string, bytes: Uint8Array): boolean {
    return this.#driver.act((relay, nowMs) => relay.order(match, bytes, nowMs))
  }

  /** Makes a match. Gives why it cannot be made. */
  createMatch({ name, identity, config, keptMs }: NewMatch): string | undefined {
    return this.#driver.act(
      (relay, nowMs) => relay.createMatch(name, identity, config, keptMs, nowMs)?.message,
    )
  }

  #makeDecider(authorize: Authorize) {
    return async (request: AuthorizationRequest, connection: Connection) => {
      const asked = requestOf(request, connection)
      const { remote } = connection
      const answer = await decide(authorize, asked, (error) => this.noteFault(error, { remote }))
      // The token itself is a secret of the player.
      const { match } = request
      if ('refused' in answer)
        this.#log.debug({ remote, match, why: answer.refused }, 'join refused')
      return answer
    }
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
    this.#journal?.close()
  }

  get #matches(): ReadonlyMap<string, Match> {
    return this.#driver.relay.matches
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
    this.#log.error({ match: name }, 'the match failed and was ended')
    for (const { seat } of sessions) {
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
}

const nothing = (): void => {}

/** A match seals ticks all the time, paused or not: without one for so long, it is broken. */
const suspicionMs = 3_000

function summarise(match: Match): MatchSummary {
  const { sessions } = match
  return {
    name: match.name,
    gameId: match.identity.gameId,
    gameVersion: match.identity.gameVersion,
    phase: match.phase,
    tick: match.log.sealedTick,
    seats: match.config.seats,
    players: sessions.flatMap(({ seat, name, link, visitor: { software } }) =>
      seat === undefined ? [] : [{ seat, name, isConnected: link >= 0, software }],
    ),
    spectators: sessions.filter(({ seat }) => seat === undefined).length,
  }
}
