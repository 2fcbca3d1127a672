/** What the process with the port and its workers say to each other. */
import type { IncomingHttpHeaders } from 'node:http'
import type { JoinDecision, JoinRequest } from '../authorize.ts'
import type { JournalPlace } from '../journal/journal-options.ts'
import type { MatchRules } from '../match-rules.ts'
import type { NewMatch } from '../new-match.ts'
import type { CoreNumbers } from '../relay-core.ts'
import type { LogLevel, MatchSummary, RelayServerOptions } from '../relay-server.ts'
import type { OriginOptions } from '../settings/origin-rule.ts'
import type { MakerChange, MakersElsewhere } from '../shared-makers.ts'

/** How a worker is made. */
export interface WorkerSetup {
  readonly index: number
  readonly count: number
  /** The secret by which matches are spread over workers: the same for all of them. */
  readonly pinKey: Uint8Array
  readonly rules: MatchRules
  /** Whether the process with the port decides who may join. */
  readonly isAuthorizing: boolean
  readonly turbo: boolean
  readonly gatherMs: number
  readonly createMatches: RelayServerOptions['createMatches']
  readonly origin: OriginOptions
  readonly trustedProxies: readonly string[]
  readonly strangersPerAddress: number | undefined
  readonly log: LogLevel | 'silent'
  readonly journal: JournalPlace | undefined
}

/** A request for an upgrade. Its socket travels beside the message. */
export interface HandedRequest {
  readonly method: string
  readonly url: string
  readonly httpVersion: string
  readonly headers: IncomingHttpHeaders
  /** What came behind the head already, whether somebody has looked at it or not. */
  readonly head: Uint8Array
}

/** What a worker is asked. */
export type WorkerQuestion =
  | { readonly what: 'numbers' }
  | { readonly what: 'summaries' }
  | { readonly what: 'decide'; readonly match: string; readonly decision: 'resume' | 'end' }
  | { readonly what: 'kick'; readonly match: string; readonly seat: number }
  | { readonly what: 'order'; readonly match: string; readonly bytes: Uint8Array }
  | { readonly what: 'create'; readonly match: NewMatch }

/** From the port to a worker. */
export type ToWorker =
  | { readonly type: 'begin'; readonly setup: WorkerSetup }
  /** `id` is of this worker's connections, and never given twice. */
  | { readonly type: 'upgrade'; readonly id: number; readonly request: HandedRequest }
  | { readonly type: 'ask'; readonly id: number; readonly question: WorkerQuestion }
  /** What was decided about a join. */
  | { readonly type: 'authorized'; readonly id: number; readonly decision: JoinDecision }
  /** What addresses made, or lost, in other workers. */
  | { readonly type: 'makers'; readonly elsewhere: MakersElsewhere }
  | { readonly type: 'stop' }

/** A worker's numbers. */
export interface WorkerNumbers extends CoreNumbers {
  readonly refused: Readonly<Record<string, number>>
}

/** A worker's answer to any question. */
export type WorkerAnswer =
  | WorkerNumbers
  | readonly MatchSummary[]
  | boolean
  /** Why a match cannot be made, if it cannot. */
  | { readonly problem: string | undefined }

/** From a worker to the port. */
export type FromWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly answer: WorkerAnswer }
  /** A connection that was handed over is closed, or did not arrive. */
  | { readonly type: 'ended'; readonly id: number }
  /** Somebody wants to join: may it? */
  | { readonly type: 'authorize'; readonly id: number; readonly request: JoinRequest }
  /** Somebody made a match here, or such a match is over. */
  | { readonly type: 'maker'; readonly change: MakerChange }
  | { readonly type: 'log'; readonly line: string }
