/** What the process with the port and its workers say to each other. */
import type { IncomingHttpHeaders } from 'node:http'
import type { OriginOptions } from './origin-rule.ts'
import type { CoreNumbers } from './relay-core.ts'
import type { LogLevel, MatchSummary } from './relay-server.ts'

/** How a worker is made. */
export interface WorkerSetup {
  readonly index: number
  readonly count: number
  readonly matchesMax: number
  readonly gatherMs: number
  readonly createMatches: 'anyone' | 'nobody'
  readonly origin: OriginOptions
  readonly trustedProxies: readonly string[]
  readonly strangersPerAddress: number | undefined
  readonly log: LogLevel | 'silent'
}

/** A request for an upgrade. Its socket travels beside the message. */
export interface HandedRequest {
  readonly method: string
  readonly url: string
  readonly httpVersion: string
  readonly headers: IncomingHttpHeaders
  /** What came behind the head already. */
  readonly head: Uint8Array
}

/** What a worker is asked. */
export type WorkerQuestion =
  | { readonly what: 'numbers' }
  | { readonly what: 'summaries' }
  | { readonly what: 'kick'; readonly match: string; readonly seat: number }

/** From the port to a worker. */
export type ToWorker =
  | { readonly type: 'begin'; readonly setup: WorkerSetup }
  | { readonly type: 'upgrade'; readonly request: HandedRequest }
  | { readonly type: 'ask'; readonly id: number; readonly question: WorkerQuestion }
  | { readonly type: 'stop' }

/** A worker's numbers. */
export interface WorkerNumbers extends CoreNumbers {
  readonly refused: Readonly<Record<string, number>>
}

/** A worker's answer to any question. */
export type WorkerAnswer = WorkerNumbers | readonly MatchSummary[] | boolean

/** From a worker to the port. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: WorkerAnswer }
  | { readonly type: 'log'; readonly line: string }
