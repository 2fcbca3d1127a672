import type { DebugLevel } from '../../client/debug/debug-level.ts'
import type { LagProtectionOptions, OrderOptions } from '../../client/membership/client-options.ts'
import type {
  LobbyConfig,
  MatchConfig,
  MissingPolicy,
  PaceConfig,
} from '../../wire/messages/match-config.ts'
import type { Hide } from './storm-node.ts'

/** How an honest client of a storm behaves. Plain data, for plans. */
export interface ClientPlan {
  readonly name: string
  readonly match: string
  readonly seats: number
  /** What lets it in, where somebody decides about that. */
  readonly token?: string | undefined
  readonly role: 'player' | 'spectator' | 'witness'
  readonly inputDelay?: number | { readonly min: number; readonly max: number }
  readonly missing: MissingPolicy
  readonly lagProtection: LagProtectionOptions
  readonly batching?: MatchConfig['batching']
  readonly desync?: MatchConfig['desync']
  readonly lobby: Partial<LobbyConfig>
  readonly pace: Partial<PaceConfig>
  readonly orders?: OrderOptions
  readonly botSeats: number
  /** Whether bots that think there hold controls, besides issuing orders. */
  readonly botsHold?: boolean
  /** How closely it looks at its own ticks. */
  readonly debugLevel?: DebugLevel
  readonly hasWishes: boolean
  readonly isPaced: boolean
  /** How often it changes between a stream and datagrams, besides when it has to; never when left out. */
  readonly movesPerMinute?: number
  /** How it groups ticks that it does not run when they are due. */
  readonly ticksPerRun: number
  readonly phase: number
  /** Mean time between two orders; 0 for none. */
  readonly orderEveryMs: number
  /** Mean time between two changes of what is held; 0 for none. */
  readonly inputEveryMs: number
  /** When it leaves for good, in the world's time; never when left out. */
  readonly leavesAtMs?: number | undefined
  /** Leaves in whatever state it is then. */
  /** Without a goodbye: its machine is switched off. */
  readonly leavesSilently?: boolean | undefined
  readonly leavesAnyTime?: boolean | undefined
  readonly hides?: readonly Hide[] | undefined
  readonly isReplacement?: boolean | undefined
}
