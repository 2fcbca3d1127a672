import type { ClockPlan } from '../engine/clock.ts'
import type { PlanNode } from '../engine/plan.ts'

/** A node of a storm: the relay, or a client with its habits. */
export type StormNode = PlanNode &
  (
    | { readonly kind: 'relay'; readonly clock: ClockPlan }
    | {
        readonly kind: 'client'
        readonly clock: ClockPlan
        readonly role: 'player' | 'spectator' | 'witness'
        readonly orderEveryMs: number
        readonly inputEveryMs: number
        /** When it first connects; at the beginning when left out. */
        readonly startsAtMs?: number
        /** When it leaves for good; never when left out. */
        readonly leavesAtMs?: number
        /** Leaves in whatever state it is then (F-19); otherwise once the match has begun. */
        readonly leavesAnyTime?: boolean
        /** Without a farewell: its machine is switched off. */
        readonly leavesSilently?: boolean
        /** When nobody looks at it, and for how long (F-13). */
        readonly hides?: readonly Hide[]
        /** Comes for a seat that somebody else lost: there is none more for it. */
        readonly isReplacement?: boolean
      }
  )

/** A time in which nobody looks at a client. */
export interface Hide {
  readonly atMs: number
  readonly forMs: number
}
