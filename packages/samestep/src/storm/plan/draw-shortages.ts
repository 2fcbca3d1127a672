import type { Prng } from '../../base/prng.ts'
import type { FaultOp } from '../engine/faults/fault-op.ts'
import type { Profile } from '../engine/plan.ts'

/**
 * Draws times in which a machine has no more sockets (F-23): nothing that it opens, and no stream that
 * comes to it, becomes a link. At the beginning its streams break, so that somebody wants one.
 */
export function drawShortages(
  prng: Prng,
  profile: Profile,
  names: readonly string[],
  durationMs: number,
): FaultOp[] {
  const ops: FaultOp[] = []
  const isOn = prng.chance(chances[profile] ?? 0)
  for (let left = isOn ? 1 + prng.below(3) : 0; left > 0; left--) {
    const node = prng.chance(0.4) ? 'relay' : prng.pick(names)
    const longestMs = Math.min(shortageMsMax, durationMs)
    const lengthMs = Math.round(prng.logUniform(Math.min(500, longestMs), longestMs))
    const atMs = prng.below(durationMs - lengthMs + 1)
    ops.push({ kind: 'no-links', fault: 'F-23', node, atMs, durationMs: lengthMs })
    ops.push({ kind: 'reset', fault: 'F-23', node, lateMs: 0, atMs: atMs + 1, durationMs: 0 })
  }
  return ops
}

/** Well below the minute for which a seat is kept, and so are the waits of clients after it. */
const shortageMsMax = 15_000

const chances: { readonly [P in Profile]?: number } = {
  stormy: 0.2,
  churn: 0.3,
  'relay-crash': 0.2,
  radioactive: 0.4,
}
