/** Who does the relaying behind the port: this process, or several others. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Logger } from 'pino'
import type { Conditioner } from '../transport/conditioner.ts'
import type { CoreNumbers } from './relay-core.ts'
import type { MatchSummary, RelayServerOptions, WorkerStatus } from './relay-server.ts'

/** What every crew is made with. */
export interface CrewOptions {
  readonly options: RelayServerOptions
  readonly log: Logger
  /** Where the front listens. */
  readonly host: string
  readonly port: number
}

/** What a crew has, in numbers. */
export interface CrewNumbers extends CoreNumbers {
  readonly refused: Readonly<Record<string, number>>
  readonly restarts: number
  readonly workers?: readonly WorkerStatus[]
}

/** A transport beside the WebSocket. */
export interface CrewListener {
  readonly transport: 'udp' | 'webrtc'
  readonly url: string
  close(): Promise<void>
}

/** See above. */
export interface Crew {
  readonly listeners: readonly CrewListener[]
  readonly notices: readonly string[]
  readonly conditioner: Conditioner | undefined
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  numbers(): Promise<CrewNumbers>
  summaries(): Promise<readonly MatchSummary[]>
  kick(match: string, seat: number): Promise<boolean>
  noteFault(error: unknown): void
  /** Tells everybody, and ends. */
  stop(): Promise<void>
}

/** The most matches, unless somebody says otherwise. Each takes about 100 KB at most of the time. */
export const matchesMaxDefault = 10_000
