import type { Prng } from '../../base/prng.ts'
import type { FaultOp } from '../engine/faults/fault-op.ts'
import type { Profile } from '../engine/plan.ts'
import type { StormNode } from './storm-node.ts'

/** Laptops that are closed, and who opens them again. */
export interface Sleeps {
  readonly faults: readonly FaultOp[]
  /** Who comes anew because the seat is gone. */
  readonly nodes: readonly StormNode[]
  /** When the last one is awake and has had some time. */
  readonly untilMs: number
}

/**
 * Draws who sleeps (F-15). For less than a minute: the seat is kept, and the player goes on. For longer:
 * the session is over, which the player is told; he comes anew, and gets the state of the match.
 */
export function drawSleeps(
  prng: Prng,
  profile: Profile,
  nodes: readonly StormNode[],
  durationMs: number,
): Sleeps {
  const faults: FaultOp[] = []
  const again: StormNode[] = []
  let untilMs = 0
  const isOn = prng.chance(chances[profile] ?? 0)
  for (const node of nodes) {
    // The first player is awake, so that there is a match to the end.
    const isSleeper = node.kind === 'client' && node.name !== 'c0' && node.leavesAtMs === undefined
    if (!isOn || !isSleeper || node.role !== 'player' || !prng.chance(0.6)) continue
    const atMs = 5_000 + prng.below(Math.max(durationMs / 2, 1))
    const forMs = Math.round(
      prng.chance(0.4)
        ? prng.logUniform(20_000, keptMs)
        : prng.logUniform(goneMs, profile === 'longhaul' ? 3_000_000 : 240_000),
    )
    const isClockStopped = prng.chance(0.5)
    const name = node.name
    const op = { node: name, isClockStopped, atMs, durationMs: forMs }
    faults.push({ kind: 'sleep', fault: 'F-15', ...op })
    untilMs = Math.max(untilMs, atMs + forMs + 10_000)
    if (forMs < goneMs) continue
    const { hides: _hides, ...rest } = node
    const startsAtMs = atMs + forMs + 3_000
    again.push({ ...rest, name: `${name}-again`, startsAtMs, isReplacement: true })
  }
  return { faults, nodes: again, untilMs }
}

/** A seat is kept for longer than the one, and never for as long as the other. */
const keptMs = 45_000
const goneMs = 90_000

/** Where people look elsewhere, most close the lid. */
const chances: { readonly [P in Profile]?: number } = { hidden: 0.9, longhaul: 0.7 }
