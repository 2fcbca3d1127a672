/** What a relay in a process can be told, and what it offers: the words of `samestep/server`. */

import type { Logger } from 'pino'
import type { MatchCaps } from '../relay/links/match-caps.ts'
import type { GameShape } from '../sim/game/definition/context.ts'
import type { Game } from '../sim/game/definition/define-game.ts'
import type { OrderData } from '../sim/game/orders/order.ts'
import type { Conditioner } from '../transport/conditioner/conditioner.ts'
import type { TlsFiles } from '../transport/node/tls-files.ts'
import type { Software } from '../wire/messages/software.ts'
import type { Authorize } from './authorize.ts'
import type { LineNumbers } from './logs/line-numbers.ts'
import type { CreateMatchOptions } from './new-match.ts'
import type { TokenOptions } from './tokens/check-tokens.ts'

/** How much a relay writes into its log. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** The UDP port of a relay for browsers, by WebRTC. */
export interface WebrtcPortOptions {
  /** The one after TCP's when left out; 0 for any that are free. */
  readonly port?: number
  /**
   * The address that players are told to send to, where a router translates it. When left out it is the
   * one at which they reached the relay.
   */
  readonly publicAddress?: string
}

/** The UDP port of a relay for native clients. */
export interface UdpPortOptions {
  /** That of TCP when left out; 0 for any that is free. */
  readonly port?: number
  /**
   * 32 secret random bytes in base64url. With them the relay is the same one after a restart, so that
   * addresses with its public key stay good; no two relays at once may have the same.
   */
  readonly secretKey?: string
  /** A file that holds such a key; made if it is missing. */
  readonly secretKeyFile?: string
  /**
   * A file with the key of connect tickets (`issueTicket` of `samestep/udp`), in the same form; made if
   * it is missing. Nobody gets in by UDP without a ticket then.
   */
  readonly ticketKeyFile?: string
}

/** How a relay is started. Everything may be left out; `docs/operating.md` has the whole table. */
export interface RelayServerOptions {
  /** Where to listen: this machine only when left out, `0.0.0.0` or `::` for all its addresses. */
  readonly host?: string
  /** 7777 when left out; 0 for any that is free. */
  readonly port?: number
  /** Where players reach it, when that is not where it listens: `https://relay.example`. */
  readonly publicUrl?: string
  /** Certificate and key: makes it `wss://` and `https://`. */
  readonly tls?: TlsFiles
  /** Allows connections without encryption from other machines. */
  readonly insecure?: boolean
  /**
   * Pages that may connect, by their exact origin. When left out: the relay's own pages, and every
   * page of this machine while nobody else can reach the relay.
   */
  readonly origins?: readonly string[] | 'any'
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies?: readonly string[]
  /** The port for UDP, that of TCP when left out, and who the relay is there; false for none. */
  readonly udp?: UdpPortOptions | false
  /** WebRTC: off when left out. Needs the package `node-datachannel`, which you install yourself. */
  readonly webrtc?: WebrtcPortOptions | false
  /** A folder of files to serve as pages. */
  readonly pages?: string
  /**
   * A folder in which matches are kept, so that they go on when a relay is started again after a crash;
   * one relay each. Off when left out. `samestep relay` keeps one in the state directory of its service.
   */
  readonly journal?: string | false
  /**
   * A file with a secret key, made if it is missing. Clients keep, encrypted under it, what a relay with
   * the same key needs to go on with their matches when this one is lost, with its disk or without a
   * journal. Off when left out. `samestep relay` keeps one in the state directory of its service.
   */
  readonly recoveryKeyFile?: string | false
  /**
   * A folder in which a report of each desync is kept, the newest hundred: `samestep desync show` reads
   * them. None are kept when left out.
   */
  readonly desyncs?: string
  /**
   * Whether all players are told the values that differ when a desync is explained. For development: in a
   * match they may be another player's secret. Not when left out.
   */
  readonly showDesyncValues?: boolean
  /**
   * The debug level, from 0 to 4, that clients are asked for. Each follows it as far as its own
   * `relayDebugLevelMax` allows, so that no relay can slow down a released game. 0 when left out.
   */
  readonly debugLevel?: number
  readonly matchesMax?: number
  /** Matches that one address may have made and that still exist: 64 when left out. */
  readonly matchesPerAddress?: number
  /** Matches that one address may make in a minute: 240 when left out. */
  readonly matchesPerMinute?: number
  /**
   * Who may make a match by being the first to join it: `anyone` when left out, or whoever was
   * authorized to (`token`). With `nobody`, only {@link RelayServer.createMatch} makes any.
   */
  readonly createMatches?: 'anyone' | 'token' | 'nobody'
  /**
   * Who may come to a match as a witness, which sees everything at once and whose word may decide:
   * whoever was authorized as one (`token`) when left out, `anyone`, or `nobody`.
   */
  readonly witnesses?: 'anyone' | 'token' | 'nobody'
  /** What whoever makes a match by joining may choose. More is refused, with the numbers. */
  readonly matchLimits?: Partial<MatchCaps>
  /** Whether a kick also blocks the address, and everybody else behind it. */
  readonly kickAddresses?: boolean
  /**
   * Milliseconds of a stall of the process that matches make up, at twice their pace; what is longer
   * shows as a pause. From 0, where every stall is a pause, to 2000; 200 when left out.
   */
  readonly makeUpMs?: number
  /**
   * Decides who may join, as whom and where; everybody may when left out. It is asked for every join
   * but that of a player who comes back to a place that it still has.
   */
  readonly authorize?: Authorize
  /** Lets in whoever has a signed token: a ready-made `authorize`. */
  readonly tokens?: TokenOptions
  /** WebSockets at once: 16384 when left out. More get 503; pages and health are still answered. */
  readonly connectionsMax?: number
  /**
   * Players and spectators of one address at once, over all transports: 256 when left out. Trusted
   * proxies are exempt.
   */
  readonly connectionsPerAddress?: number
  /** Connections of one address that have not said who they are. */
  readonly strangersPerAddress?: number
  /** Processes that share the matches; 1 when left out. */
  readonly workers?: number
  /**
   * Uses Node's and `ws`'s insides, and rests this thread (see `gatherMs`), for less CPU per player. For a
   * process that does nothing but relay: off when left out, where `samestep relay` has it on. Workers
   * have what the process with the port has.
   */
  readonly turbo?: boolean
  /**
   * How long packets may gather before they are read together, in ms; when left out, 0.5 with `turbo` on
   * Linux, otherwise 0. The thread stands still that long, again and again: for a process that has no
   * other work.
   */
  readonly gatherMs?: number
  /** Makes every connection worse, for tests and demonstrations: `latency=80,loss=2%`. */
  readonly conditions?: string
  /** A level, a logger of yours, or `'off'` or false for silence. */
  readonly log?: LogLevel | Logger | 'off' | false
}

/** Where a relay can be reached, by transport. */
export interface RelayUrls {
  readonly http: string
  readonly websocket: string
  readonly udp?: string
  readonly webrtc?: string
}

/** One match, for whoever operates the relay. */
export interface MatchSummary {
  readonly name: string
  readonly gameId: string
  readonly gameVersion: number
  readonly phase: string
  /** The newest tick that is sealed. */
  readonly tick: number
  readonly seats: number
  readonly players: readonly PlayerSummary[]
  readonly spectators: number
}

/** One player of a match. */
export interface PlayerSummary {
  readonly seat: number
  readonly name: string
  readonly isConnected: boolean
  /** What its client says that it runs on; `undefined` when it said nothing. */
  readonly software: Software | undefined
}

/** What happened since the start, and never goes down. */
export interface RelayCounters {
  /** Connections that were taken, by transport. */
  readonly accepted: Readonly<Record<string, number>>
  /** Requests for a connection that were turned away, by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** Errors of our own that were met at the edge. Above 0, somebody should read the log. */
  readonly faults: number
  /** Connections that were dropped because there were too many, or no file descriptors left. */
  readonly dropped: number
  /** Workers that died and were started again. */
  readonly restarts: number
  /** How often the UDP port could not send, broke, or was opened again. The log says what it was. */
  readonly troubles: number
}

/** How a relay is. */
export interface RelayStatus {
  readonly status: 'ok' | 'stopping'
  readonly version: string
  readonly uptimeSeconds: number
  readonly matches: number
  readonly links: number
  readonly players: number
  readonly counters: RelayCounters
  /** Whether the journal is written; `off` where there is none, `failing` where the disk does not take it. */
  readonly journal: 'off' | 'ok' | 'failing'
  /** What went over the lines, and how they are. */
  readonly lines: LineNumbers
  /** Each worker's share, if there are workers. */
  readonly workers?: readonly WorkerStatus[]
}

/** One worker's share. */
export interface WorkerStatus {
  readonly worker: number
  /** 0 while it is being started again. */
  readonly pid: number
  readonly matches: number
  readonly links: number
  readonly players: number
}

/** A relay that runs. */
export interface RelayServer {
  /** Where clients connect: `ws://127.0.0.1:7777`. */
  readonly url: string
  readonly urls: RelayUrls
  readonly port: number
  /** True when strangers on the way can read along. */
  readonly isInsecure: boolean
  /** What somebody should know who starts it: what was left out, and why. */
  readonly notices: readonly string[]
  /** Makes every connection worse, while it runs. Missing where there are workers. */
  readonly conditioner: Conditioner | undefined
  /** The address that a player opens to get into a match. */
  joinUrl(match: string): string
  status(): Promise<RelayStatus>
  matches(): Promise<readonly MatchSummary[]>
  /** Lets a match go on that is paused, or halted by a desync. False when there is none, or it goes on. */
  resume(match: string): Promise<boolean>
  /** Ends a match: everybody leaves it with `match-over`. False when there is none. */
  endMatch(match: string): Promise<boolean>
  /** Removes a player. False when there is no such seat. */
  kick(match: string, seat: number): Promise<boolean>
  /**
   * Issues an order of the relay itself, one that the game declares with `by: 'relay'`: it is sealed into
   * the next tick, for everybody the same. False when there is no such match, it does not run, or too
   * many orders wait. Rejects with `SS_BAD_ORDER` for an order that is not the relay's, `SS_BAD_VALUE`
   * for data that does not fit.
   *
   * @example
   * ```ts
   * await relay.order('friday', dots, 'weather', { rain: true })
   * ```
   */
  order<G extends GameShape, R, K extends keyof G['orders'] & string>(
    match: string,
    game: Game<G, R>,
    name: K,
    data: OrderData<G['orders'], K>,
  ): Promise<boolean>
  /**
   * Makes a match that players then join by its name, whatever `createMatches` and `matchLimits` say.
   * Rejects with `SS_CANNOT_CREATE` when the name is taken, or there are too many matches.
   *
   * @example
   * ```ts
   * await relay.createMatch({ match: 'final', game: dots, seats: 2, keepMs: 600_000 })
   * ```
   */
  createMatch<G extends GameShape, R>(options: CreateMatchOptions<G, R>): Promise<void>
  /** Reads certificate and key again, for connections to come. */
  reloadTls(): void
  /**
   * Reads the key of `tokens` again, for joins to come; those who are in stay. Throws `SS_BAD_ARGUMENT`
   * when it cannot be used: then the old one goes on. Does nothing where no token is checked.
   */
  reloadTokens(): void
  /** Tells everybody, and ends within about a second. Safe to call twice. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
