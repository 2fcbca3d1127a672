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

/** How much a relay logs. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** The UDP port of a relay for browsers, over WebRTC. */
export interface WebrtcPortOptions {
  /** Defaults to the TCP port plus one; 0 picks free ports. */
  readonly port?: number
  /**
   * The address that players are told to send to, for a relay behind address translation. Defaults to the
   * one at which they reached the relay.
   */
  readonly publicAddress?: string
}

/** The UDP port of a relay for native clients. */
export interface UdpPortOptions {
  /** Defaults to the TCP port; 0 picks a free one. */
  readonly port?: number
  /**
   * 32 secret random bytes in base64url. With them the relay keeps its identity after a restart, so that
   * addresses with its public key stay valid. Two running relays must not share a key.
   */
  readonly secretKey?: string
  /** A file with such a key; created if it is missing. */
  readonly secretKeyFile?: string
  /**
   * A file with the key of connect tickets (`issueTicket` of `samestep/udp`), in the same form; created if
   * it is missing. With it, clients need a ticket to connect over UDP.
   */
  readonly ticketKeyFile?: string
}

/** The options of a relay, all optional. `docs/operating.md` has the whole table. */
export interface RelayServerOptions {
  /** The address to listen on. Defaults to this machine only; `0.0.0.0` or `::` for all its addresses. */
  readonly host?: string
  /** Defaults to 7777; 0 picks a free port. */
  readonly port?: number
  /**
   * The URL at which players reach the relay, if it differs from where it listens: `https://relay.example`.
   */
  readonly publicUrl?: string
  /** Certificate and key, for `wss://` and `https://`. */
  readonly tls?: TlsFiles
  /** Allows unencrypted connections from other machines. */
  readonly insecure?: boolean
  /**
   * The exact origins of pages that may connect. Defaults to the relay's own pages, and all pages of this
   * machine while no other machine can reach the relay.
   */
  readonly origins?: readonly string[] | 'any'
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[]
  /** The UDP port, by default that of TCP, and the relay's key; false to turn UDP off. */
  readonly udp?: UdpPortOptions | false
  /** WebRTC; off by default. Needs the package `node-datachannel`, which you install yourself. */
  readonly webrtc?: WebrtcPortOptions | false
  /** A folder of static files to serve. */
  readonly pages?: string
  /**
   * A folder in which matches are journaled, so that they continue when the relay is restarted after a
   * crash. Each relay needs its own. Off by default. `samestep relay` uses one in the state directory of
   * its service.
   */
  readonly journal?: string | false
  /**
   * A file with a secret key, created if it is missing. Clients keep data, encrypted with this key, from
   * which a relay with the same key can continue their matches if this one is lost together with its disk,
   * or has no journal. Off by default. `samestep relay` uses one in the state directory of its service.
   */
  readonly recoveryKeyFile?: string | false
  /**
   * A folder for desync reports, of which the newest hundred are kept; `samestep desync show` reads them.
   * By default none are kept.
   */
  readonly desyncs?: string
  /**
   * Whether all players are sent the values that differ when a desync is explained. For development: in a
   * real match they may reveal another player's secrets. Defaults to false.
   */
  readonly showDesyncValues?: boolean
  /**
   * The debug level, from 0 to 4, that clients are asked to use. Each follows it up to its own
   * `relayDebugLevelMax`, so that no relay can slow down a released game. Defaults to 0.
   */
  readonly debugLevel?: number
  readonly matchesMax?: number
  /** How many existing matches one address may have created. Defaults to 64. */
  readonly matchesPerAddress?: number
  /** How many matches one address may create per minute. Defaults to 240. */
  readonly matchesPerMinute?: number
  /**
   * Who may create a match by being the first to join it: `anyone`, the default, or clients authorized to
   * do so (`token`). With `nobody`, only {@link RelayServer.createMatch} creates matches.
   */
  readonly createMatches?: 'anyone' | 'token' | 'nobody'
  /**
   * Who may join as a witness, which sees everything without delay and may be the referee: clients
   * authorized as one (`token`, the default), `anyone`, or `nobody`.
   */
  readonly witnesses?: 'anyone' | 'token' | 'nobody'
  /** Limits for clients that create a match by joining it. Anything above is refused, with the numbers. */
  readonly matchLimits?: Partial<MatchCaps>
  /** Whether a kick also blocks the address, including everybody else behind it. */
  readonly kickAddresses?: boolean
  /**
   * How much of a stall of the process, in ms, matches make up for by running at twice their pace. The rest
   * of a longer stall shows as a pause. From 0, where every stall is a pause, to 2000. Defaults to 200.
   */
  readonly makeUpMs?: number
  /**
   * Decides who may join, as whom and where; by default everybody may. It is called for every join, except
   * for a player who returns to a place that is still theirs.
   */
  readonly authorize?: Authorize
  /** Admits clients that have a signed token: a ready-made `authorize`. */
  readonly tokens?: TokenOptions
  /**
   * The maximum number of WebSockets at a time. Defaults to 16384. Others get a 503; pages and health
   * checks are still served.
   */
  readonly connectionsMax?: number
  /**
   * The maximum number of players and spectators per address, over all transports. Defaults to 256. Trusted
   * proxies are exempt.
   */
  readonly connectionsPerAddress?: number
  /** The maximum number of connections per address that have not identified themselves. */
  readonly strangersPerAddress?: number
  /** The number of processes that share the matches. Defaults to 1. */
  readonly workers?: number
  /**
   * Uses internals of Node and `ws`, and puts this thread to sleep (see `gatherMs`), to use less CPU per
   * player. For a process that does nothing else. Off by default; `samestep relay` turns it on. Workers use
   * the same setting as the process with the port.
   */
  readonly turbo?: boolean
  /**
   * How long packets are collected before they are read together, in ms. Defaults to 0.5 with `turbo` on
   * Linux, otherwise 0. The thread blocks for this long each time, so use it only in a process that has no
   * other work.
   */
  readonly gatherMs?: number
  /** Simulates bad connections, for tests and demonstrations: `latency=80,loss=2%`. */
  readonly conditions?: string
  /** A level, your own logger, or `'off'` or false for no log. */
  readonly log?: LogLevel | Logger | 'off' | false
}

/** The URLs of a relay, by transport. */
export interface RelayUrls {
  readonly http: string
  readonly websocket: string
  readonly udp?: string
  readonly webrtc?: string
}

/** Summary of a match, for the operator of the relay. */
export interface MatchSummary {
  readonly name: string
  readonly gameId: string
  readonly gameVersion: number
  readonly phase: string
  /** The newest sealed tick. */
  readonly tick: number
  readonly seats: number
  readonly players: readonly PlayerSummary[]
  readonly spectators: number
}

/** Summary of a player in a match. */
export interface PlayerSummary {
  readonly seat: number
  readonly name: string
  readonly isConnected: boolean
  /** What the client reports that it runs on; `undefined` if it reported nothing. */
  readonly software: Software | undefined
}

/** Counters since the start of the relay; they never decrease. */
export interface RelayCounters {
  /** Accepted connections, by transport. */
  readonly accepted: Readonly<Record<string, number>>
  /** Refused connection requests, by reason. */
  readonly refused: Readonly<Record<string, number>>
  /** Internal errors that were caught. If it is above 0, read the log. */
  readonly faults: number
  /** Connections dropped because there were too many, or no file descriptors left. */
  readonly dropped: number
  /** Workers that died and were restarted. */
  readonly restarts: number
  /** How often the UDP port could not send, failed or was reopened. The log has the details. */
  readonly troubles: number
}

/** The status of a relay. */
export interface RelayStatus {
  readonly status: 'ok' | 'stopping'
  readonly version: string
  readonly uptimeSeconds: number
  readonly matches: number
  readonly links: number
  readonly players: number
  readonly counters: RelayCounters
  /** Whether the journal is being written: `off` if there is none, `failing` if the disk refuses writes. */
  readonly journal: 'off' | 'ok' | 'failing'
  /** Traffic and latency of the connections. */
  readonly lines: LineNumbers
  /** Each worker's share, if there are workers. */
  readonly workers?: readonly WorkerStatus[]
}

/** One worker's share. */
export interface WorkerStatus {
  readonly worker: number
  /** 0 while it is being restarted. */
  readonly pid: number
  readonly matches: number
  readonly links: number
  readonly players: number
}

/** A running relay. */
export interface RelayServer {
  /** The URL for clients: `ws://127.0.0.1:7777`. */
  readonly url: string
  readonly urls: RelayUrls
  readonly port: number
  /** True if others on the network can read the traffic. */
  readonly isInsecure: boolean
  /** Notes for the operator, such as what was not started, and why. */
  readonly notices: readonly string[]
  /** Changes the simulated conditions of all connections at run time; `undefined` if there are workers. */
  readonly conditioner: Conditioner | undefined
  /** The URL that a player opens to join a match. */
  joinUrl(match: string): string
  status(): Promise<RelayStatus>
  matches(): Promise<readonly MatchSummary[]>
  /**
   * Resumes a match that is paused, or halted by a desync. False if there is no such match or it runs
   * already.
   */
  resume(match: string): Promise<boolean>
  /** Ends a match: all members leave it with `match-over`. False if there is no such match. */
  endMatch(match: string): Promise<boolean>
  /** Removes a player. False if there is no such seat. */
  kick(match: string, seat: number): Promise<boolean>
  /**
   * Issues an order as the relay, one that the game declares with `by: 'relay'`. It is sealed into the next
   * tick, the same for everybody. False if there is no such match, it does not run, or too many orders are
   * queued. Rejects with `SS_BAD_ORDER` for an order that the relay may not issue, and with `SS_BAD_VALUE`
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
   * Creates a match that players then join by its name, regardless of `createMatches` and `matchLimits`.
   * Rejects with `SS_CANNOT_CREATE` if the name is taken or there are too many matches.
   *
   * @example
   * ```ts
   * await relay.createMatch({ match: 'final', game: dots, seats: 2, keepMs: 600_000 })
   * ```
   */
  createMatch<G extends GameShape, R>(options: CreateMatchOptions<G, R>): Promise<void>
  /** Reloads certificate and key, for new connections. */
  reloadTls(): void
  /**
   * Reloads the key of `tokens`, for new joins; connected players stay. Throws `SS_BAD_ARGUMENT` if the key
   * is unusable, and keeps the old one. Does nothing if tokens are not checked.
   */
  reloadTokens(): void
  /** Tells all clients, and stops within about a second. Safe to call twice. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
