/** Carries out the faults of a plan, and takes them all back when the quiet phase begins. */
import { unreachable } from '../../../base/assert.ts'
import type { NodeId } from '../node-id.ts'
import type { World } from '../world.ts'
import type { CustomOp, FaultOp, SleepOp, SlowOp } from './fault-op.ts'
import type { Undo } from './trouble.ts'

/** What only the owner of the nodes can do. Each returns what ends it. */
export interface FaultHost {
  readonly slow?: (node: NodeId, op: SlowOp) => Undo
  readonly custom?: (node: NodeId, op: CustomOp) => Undo
}

/** Nothing to take back. */
const nothing: Undo = () => {}

/**
 * Begins a fault now. The result ends it; {@link Faults} calls it in time. A node that is not in the
 * world is passed over.
 */
export function applyOp(world: World, op: FaultOp, host: FaultHost = {}): Undo {
  if (op.kind === 'partition') return applyPartition(world, op.groups, op.isOneWay)
  const id = world.nodeNamed(op.node)
  if (id === undefined) return nothing
  switch (op.kind) {
    case 'path':
      return world.trouble.addOverlay(id, op.way, op.patch)
    case 'clock-jump':
      world.trouble.jumpClock(id, op.byMs)
      return nothing
    case 'clock-freeze':
      return world.trouble.freezeClock(id)
    case 'clock-drift':
      world.trouble.setDrift(id, op.ppm)
      return () => world.trouble.setDrift(id)
    case 'pause':
      return applyPause(world, id, op.durationMs)
    case 'sleep':
      return applySleep(world, id, op)
    case 'no-links':
      return world.trouble.refuseLinks(id)
    case 'throttle':
      world.trouble.throttleTimers(id, op.intervalMs)
      return () => world.trouble.throttleTimers(id, 0)
    case 'reset':
      for (const link of streamsOf(world, id)) world.resetLink(link, op.lateMs)
      return nothing
    case 'half-open':
      for (const link of streamsOf(world, id)) world.vanishLink(link)
      return nothing
    case 'rebind':
      for (const end of world.endsOf(id)) if (end.side === 0) world.rebindLink(end.link)
      return nothing
    case 'slow':
      return host.slow?.(id, op) ?? nothing
    case 'custom':
      return host.custom?.(id, op) ?? nothing
    default:
      return unreachable(op)
  }
}

function applyPause(world: World, id: NodeId, durationMs: number): Undo {
  const endMs = world.nowMs + durationMs
  world.trouble.pauseNode(id, durationMs)
  // A pause ends by itself, and another may go on longer: only healing cuts it short.
  return () => {
    if (world.nowMs < endMs) world.trouble.resumeNode(id)
  }
}

/** A sleeping machine is cut off and stands still; what ends it early wakes it up. */
function applySleep(world: World, id: NodeId, op: SleepOp): Undo {
  const partition = world.trouble.partition([[id]])
  const wake = applyPause(world, id, op.durationMs)
  const thaw = op.isClockStopped ? world.trouble.freezeClock(id) : nothing
  return () => {
    thaw()
    world.trouble.heal(partition)
    wake()
  }
}

function applyPartition(
  world: World,
  groups: readonly (readonly string[])[],
  isOneWay: boolean,
): Undo {
  const known = groups.map((names) =>
    names.map((name) => world.nodeNamed(name)).filter((id) => id !== undefined),
  )
  const id = world.trouble.partition(known, isOneWay)
  return () => world.trouble.heal(id)
}

function streamsOf(world: World, id: NodeId) {
  return world
    .endsOf(id)
    .filter((end) => end.kind === 'stream')
    .map((end) => end.link)
}

/** All faults of one run. */
export class Faults {
  readonly #world: World
  readonly #host: FaultHost
  /** Faults that go on, with what ends each. */
  readonly #active = new Map<FaultOp, Undo>()
  #isHealed = false

  constructor(world: World, host: FaultHost = {}) {
    this.#world = world
    this.#host = host
  }

  /** Faults that have begun and not ended, for invariants that allow for them. */
  get active(): readonly FaultOp[] {
    return [...this.#active.keys()]
  }

  /** Puts all ops of a plan on the calendar. */
  schedule(ops: readonly FaultOp[]): void {
    for (const op of ops) this.#world.at(op.atMs, () => this.apply(op))
  }

  /** Begins one fault now and sees to its end. Does nothing in the quiet phase. */
  apply(op: FaultOp): void {
    if (this.#isHealed) return
    this.#world.note(`fault ${JSON.stringify(op)}`)
    this.#active.set(op, applyOp(this.#world, op, this.#host))
    this.#world.at(this.#world.nowMs + op.durationMs, () => this.#end(op))
  }

  /** Ends all faults and lets none begin any more: the quiet phase. */
  healAll(): void {
    this.#isHealed = true
    for (const op of this.#active.keys()) this.#end(op)
    this.#world.trouble.heal()
    this.#world.note('healed')
  }

  #end(op: FaultOp): void {
    const undo = this.#active.get(op)
    this.#active.delete(op)
    undo?.()
  }
}
