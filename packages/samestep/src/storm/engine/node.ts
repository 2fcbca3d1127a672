import type { PathPatch } from '../../netem/conditions.ts'
import type { Actor } from './actor.ts'
import type { ClockPlan } from './clock.ts'
import { LocalClock } from './clock.ts'
import type { LinkEnd } from './network/link.ts'
import type { NodeId } from './node-id.ts'

/** A fault on everything that a node sends, or on everything that it receives. */
export interface NodeOverlay {
  readonly way: 'out' | 'in' | 'both'
  readonly patch: PathPatch
}

/** What the world keeps about one node. */
export class WorldNode {
  readonly id: NodeId
  readonly name: string
  readonly clock: LocalClock
  /** `undefined` while the process is not running. */
  actor: Actor | undefined
  /** True when the machine vanished instead of the process: not even a refusal comes back. */
  isDark = false
  readonly ends = new Set<LinkEnd>()
  readonly overlays = new Set<NodeOverlay>()
  /** Why no link can be opened here: above 0 while there are reasons. */
  shortages = 0

  /** The node's own timer event, and the local time for which it was set. */
  readonly timerSlot: number
  wakeMs = Number.NaN
  /** By how much the clock was set back since then. */
  setBackMs = 0
  lastTimerUs = Number.NEGATIVE_INFINITY
  /** Whether the timer was due again the moment it had fired, and how often that happens. */
  isHasty = false
  wakes = 0
  hastyWakes = 0
  throttleUs = 0

  /** From the beginning of a pause until its end is an event: an equal time is not enough. */
  isPaused = false
  pausedUntilUs = 0
  readonly resumeSlot: number
  /** Events that arrived while the node was paused, first come first. */
  readonly deferred: number[] = []

  constructor(
    id: NodeId,
    name: string,
    clock: ClockPlan,
    slots: { readonly timer: number; readonly resume: number },
    nowUs: number,
  ) {
    this.id = id
    this.name = name
    this.clock = new LocalClock(clock, nowUs)
    this.timerSlot = slots.timer
    this.resumeSlot = slots.resume
  }
}
