/** What a relay in a process can be told, and what it offers: the words of `samestep/server`. */
import type { Logger } from 'pino'
import type { Conditioner } from '../transport/conditioner.ts'
import type { TlsFiles } from '../transport/node/http-server.ts'

/** How much a relay writes into its log. */
export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace'

/** A UDP port of a relay. */
export interface PortOptions {
  /** 0 for any that is free. */
  readonly port: number
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
  /** The UDP port for WebRTC, the one after TCP's when left out; false for none. */
  readonly webrtc?: PortOptions | false
  /** A folder of files to serve as pages. */
  readonly pages?: string
  readonly matchesMax?: number
  /** Who may make a match by being the first to join it. */
  readonly createMatches?: 'anyone' | 'nobody'
  /** Connections of TCP at once; more are let go before they cost anything. */
  readonly connectionsMax?: number
  /** Connections of one address that have not said who they are. */
  readonly strangersPerAddress?: number
  /** Processes that share the matches; 1 when left out. */
  readonly workers?: number
  /**
   * How long packets may gather before they are read together, in ms; when left out, 0.5 on Linux and 0
   * elsewhere. This thread stands still that long, again and again: 0 where it has other work to do.
   */
  readonly gatherMs?: number
  /** Makes every connection worse, for tests and demonstrations: `latency=80,loss=2%`. */
  readonly conditions?: string
  /** A level, a logger of yours, or false for silence. */
  readonly log?: LogLevel | Logger | false
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
  /** Removes a player. False when there is no such seat. */
  kick(match: string, seat: number): Promise<boolean>
  /** Reads certificate and key again, for connections to come. */
  reloadTls(): void
  /** Tells everybody, and ends within about a second. Safe to call twice. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
