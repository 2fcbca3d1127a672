/**
 * The faults of a plan, as data. Each begins at `atMs` and ends by itself after `durationMs`; those
 * that have no length (a jump, a reset) have a `durationMs` of 0. Nodes are called by name: an op
 * whose nodes are not in the world does nothing, so a plan can lose nodes without a repair.
 */
import type { PathPatch } from '../../../netem/conditions.ts'
import type { Json } from '../json.ts'

/** The row of the fault model that an op comes from. */
export type FaultId =
  /** Latency. */
  | 'F-01'
  /** Jitter. */
  | 'F-02'
  /** Random loss. */
  | 'F-03'
  /** Burst loss. */
  | 'F-04'
  /** Duplication. */
  | 'F-05'
  /** Reordering. */
  | 'F-06'
  /** Corruption. */
  | 'F-07'
  /** Half-open links. */
  | 'F-08'
  /** Partitions and clogs. */
  | 'F-09'
  /** NAT rebinding. */
  | 'F-10'
  /** Clocks. */
  | 'F-11'
  /** Slow node. */
  | 'F-12'
  /** Hidden tab: throttled timers. */
  | 'F-13'
  /** Stopped event loop. */
  | 'F-14'
  /** A suspended machine. */
  | 'F-15'
  /** Sockets: resets, low bandwidth. */
  | 'F-23'
  /** All clients lose their links in the same second. */
  | 'F-29'

interface OpBase {
  readonly fault: FaultId
  readonly atMs: number
  readonly durationMs: number
}

/** Changes what a node sends, receives, or both. */
export interface PathOp extends OpBase {
  readonly kind: 'path'
  readonly node: string
  readonly way: 'out' | 'in' | 'both'
  readonly patch: PathPatch
}

/** Separates groups; all nodes that are not named form one more. */
export interface PartitionOp extends OpBase {
  readonly kind: 'partition'
  readonly groups: readonly (readonly string[])[]
  /** Only packets from an earlier group to a later one are lost. */
  readonly isOneWay: boolean
}

/** Sets a node's clock by so much. */
export interface ClockJumpOp extends OpBase {
  readonly kind: 'clock-jump'
  readonly node: string
  readonly byMs: number
}

/** Stops a node's clock. */
export interface ClockFreezeOp extends OpBase {
  readonly kind: 'clock-freeze'
  readonly node: string
}

/** Lets a node's clock drift by another figure. */
export interface ClockDriftOp extends OpBase {
  readonly kind: 'clock-drift'
  readonly node: string
  readonly ppm: number
}

/** Stops a node's event loop. */
export interface PauseOp extends OpBase {
  readonly kind: 'pause'
  readonly node: string
}

/** Puts a machine to sleep: nothing runs on it, and nothing that is sent to it is kept. */
export interface SleepOp extends OpBase {
  readonly kind: 'sleep'
  readonly node: string
  /** Whether its clock stands still meanwhile, as on some systems. */
  readonly isClockStopped: boolean
}

/** Leaves a node without sockets: what it opens, and streams that are opened to it, fail at once. */
export interface NoLinksOp extends OpBase {
  readonly kind: 'no-links'
  readonly node: string
}

/** Throttles a node's timers. */
export interface ThrottleOp extends OpBase {
  readonly kind: 'throttle'
  readonly node: string
  readonly intervalMs: number
}

/** Breaks a node's streams; one side of each hears of it `lateMs` after the other. */
export interface ResetOp extends OpBase {
  readonly kind: 'reset'
  readonly node: string
  readonly lateMs: number
}

/** Leaves all streams that a node has now half open. */
export interface HalfOpenOp extends OpBase {
  readonly kind: 'half-open'
  readonly node: string
}

/** Gives a node another address on every link that it opened. */
export interface RebindOp extends OpBase {
  readonly kind: 'rebind'
  readonly node: string
}

/** Makes a node's ticks cost `factor` times their budget. Only the node's owner can do that. */
export interface SlowOp extends OpBase {
  readonly kind: 'slow'
  readonly node: string
  readonly factor: number
}

/** Anything else that the owner of the nodes knows how to do: a crash, a full disk. */
export interface CustomOp extends Omit<OpBase, 'fault'> {
  readonly kind: 'custom'
  readonly fault: string
  readonly node: string
  readonly data: Json
}

/** One timed fault. */
export type FaultOp =
  | PathOp
  | PartitionOp
  | ClockJumpOp
  | ClockFreezeOp
  | ClockDriftOp
  | PauseOp
  | SleepOp
  | NoLinksOp
  | ThrottleOp
  | ResetOp
  | HalfOpenOp
  | RebindOp
  | SlowOp
  | CustomOp
