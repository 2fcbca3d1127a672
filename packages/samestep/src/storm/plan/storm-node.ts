import type { ClockPlan } from '../engine/clock.ts'
import type { PlanNode } from '../engine/plan.ts'

/** A node of a storm: the relay, or a client with its behaviour. */
export type StormNode = PlanNode &
  (
    | { readonly kind: 'relay'; readonly clock: ClockPlan }
    | {
        readonly kind: 'client'
        readonly clock: ClockPlan
        readonly role: 'player' | 'spectator' | 'witness'
        readonly orderEveryMs: number
        readonly inputEveryMs: number
        /** When it first connects. Defaults to the beginning. */
        readonly startsAtMs?: number
        /** When it leaves for good. Defaults to never. */
        readonly leavesAtMs?: number
        /** Leaves in whatever state it is then (F-19); otherwise only once the match has begun. */
        readonly leavesAnyTime?: boolean
        /** Without a goodbye: its machine is switched off. */
        readonly leavesSilently?: boolean
        /** When its page is hidden, and for how long (F-13). */
        readonly hides?: readonly Hide[]
        /** Joins for a seat that another client lost: there are no other free seats. */
        readonly isReplacement?: boolean
      }
  )

/** A time in which nobody looks at a client. */
export interface Hide {
  readonly atMs: number
  readonly forMs: number
}
