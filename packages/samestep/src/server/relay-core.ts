/** The relay machine of one process, driven, guarded at its edges, and told about in the log. */
import type { Logger } from 'pino'
import { RelayDriver } from '../driver/machines/relay-driver.ts'
import type { AuthorizationRequest } from '../relay/links/authorization.ts'
import type { Match } from '../relay/match/match.ts'
import { Relay } from '../relay/relay.ts'
import type { Connection } from '../transport/connection.ts'
import { withoutPort } from '../transport/node/address-block.ts'
import { PacketRest } from '../transport/node/turbo/packet-rest.ts'
import { machineTiming } from '../transport/timing.ts'
import { closeCodes } from '../wire/codes.ts'
import type { Doors } from '../wire/messages/doors.ts'
import { noDoors } from '../wire/messages/doors.ts'
import type { AddressLedger } from './address-ledger.ts'
import type { Authorize } from './authorize.ts'
import { decide, requestOf } from './authorize.ts'
import { DesyncReports } from './desync-reports.ts'
import type { Journal, JournalState } from './journal/journal.ts'
import type { JournalPlace } from './journal/journal-options.ts'
import { openJournal } from './journal/open-journal.ts'
import { FaultLog } from './logs/fault-log.ts'
import type { LineNumbers } from './logs/line-numbers.ts'
import { lineNumbersOf } from './logs/line-numbers.ts'
import { MatchLog } from './logs/match-log.ts'
import type { MatchRules } from './match-rules.ts'
import type { NewMatch } from './new-match.ts'
import { RandomPool } from './random-pool.ts'
import type { MatchSummary } from './relay-server.ts'
import type { SharedMakers } from './shared-makers.ts'
import { StalledMatches } from './stalled-matches.ts'
import { guardTimers } from './workers/guarded-timing.ts'

/** What a core is made with. */
export interface RelayCoreOptions extends MatchRules {
  readonly log: Logger
  /** Who made how many matches, where several processes share the limits. */
  readonly makers?: SharedMakers | undefined
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

/** Drives the relay machine of this process and reports what happens in it. */
export class RelayCore {
  readonly #log: Logger
  readonly #driver: RelayDriver
  readonly #accepted: Record<string, number> = {}
  /** Errors of the relay itself. */
  readonly faults: FaultLog
  readonly #stalled: StalledMatches
  readonly #addressOf: RelayCoreOptions['addressOf']
  readonly #ledger: RelayCoreOptions['ledger']
  /** By link: what gives its place in the ledger back. */
  readonly #places = new Map<number, () => void>()
  #onEmpty: (() => void) | undefined
  /** The doors that players are told of, besides the one that they came in by. */
  doors: Doors = noDoors
  readonly #journal: Journal | undefined

  constructor(options: RelayCoreOptions) {
    const { log, gatherMs = 0, authorize } = options
    this.#log = log
    this.faults = new FaultLog(log)
    this.#stalled = new StalledMatches(
      () => this.#matches,
      (match) => this.#endBroken(match),
    )
    this.#addressOf = (remote) => options.addressOf(remote)
    this.#ledger = options.ledger
    const rest = new PacketRest({
      restMs: gatherMs,
      nowMs: machineTiming.nowMs,
      wakeAtMs: () => this.#driver.wakeAtMs,
    })
    const random = new RandomPool()
    const relay = new Relay({
      ...options,
      randomBytes: (count) => random.take(count),
      doors: () => this.doors,
      collectsDesyncStates: options.desyncs !== undefined,
      isAuthorizing: authorize !== undefined,
      mayCreate: (name, permission) => options.mayCreate(name, permission),
      meterMs: machineTiming.nowMs,
      isRecorded: options.journal !== undefined,
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
            this.faults.note(error)
            this.#stalled.suspect()
            return
          }
          connection.close(closeCodes['bad-message'], 'Internal relay error')
          this.faults.note(error, { remote: connection.remote })
        },
        handleClosed: (link, connection, code) => {
          this.#places.get(link)?.()
          this.#places.delete(link)
          log.debug({ remote: connection.remote, code }, 'connection closed')
          if (this.#driver.connectionCount === 0) this.#onEmpty?.()
        },
      },
      guardTimers(machineTiming, (error) => this.faults.note(error)),
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
      faults: this.faults.count,
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
        this.faults.note(error, { match: history.match.name })
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
      this.faults.note(error, { remote })
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
      const answer = await decide(authorize, asked, (error) => this.faults.note(error, { remote }))
      // The token itself is a secret of the player.
      const { match } = request
      if ('refused' in answer)
        this.#log.debug({ remote, match, why: answer.refused }, 'join refused')
      return answer
    }
  }

  /** Tells everybody that the relay goes down, and waits until they are gone, but not for ever. */
  async stop(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      this.#onEmpty = resolve
      setTimeout(resolve, farewellMsMax)
    })
    this.#stalled.stop()
    try {
      this.#driver.stop()
    } catch (error) {
      this.faults.note(error)
    }
    if (this.#driver.connectionCount > 0) await gone
    this.#journal?.close()
  }

  get #matches(): ReadonlyMap<string, Match> {
    return this.#driver.relay.matches
  }

  #endBroken({ name, sessions }: Match): void {
    this.#log.error({ match: name }, 'the match failed and was ended')
    for (const { seat } of sessions) {
      if (seat === undefined) continue
      try {
        this.kick(name, seat)
      } catch (error) {
        this.faults.note(error)
      }
    }
  }
}

const nothing = (): void => {}

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
