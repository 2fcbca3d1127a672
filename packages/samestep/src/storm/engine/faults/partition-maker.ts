/** Draws partitions, and the waves of clogs that no simple partition looks like. */
import type { FaultDraw } from './fault-draw.ts'
import type { FaultOp } from './fault-op.ts'

/** One partition, or one wave of clogs. */
export function makePartitionOps(draw: FaultDraw): readonly FaultOp[] {
  const span = draw.span(100, draw.level === 'mild' ? 10_000 : 20_000)
  switch (draw.prng.below(4)) {
    case 0:
      return [{ kind: 'partition', fault: 'F-09', groups: halves(draw), isOneWay: false, ...span }]
    case 1:
      return [{ kind: 'partition', fault: 'F-09', groups: halves(draw), isOneWay: true, ...span }]
    case 2: {
      const groups = [[draw.node()]]
      return [{ kind: 'partition', fault: 'F-09', groups, isOneWay: false, ...span }]
    }
    default:
      return makeSwizzle(draw, span.atMs, span.durationMs)
  }
}

/** A random half of the nodes; the others are the other half. At least one node is named. */
function halves(draw: FaultDraw): string[][] {
  const names = draw.prng.shuffle([...draw.names])
  return [names.slice(0, Math.max(1, names.length >> 1))]
}

/**
 * Clogs some nodes one after the other and opens them again in another sequence, so that for a while
 * everybody hears a different part of the world.
 *
 *     a  ────████████████──────        stopped in sequence a b c,
 *     b  ───────█████──────────        opened in sequence b c a
 *     c  ─────────███████──────
 */
function makeSwizzle(draw: FaultDraw, atMs: number, durationMs: number): readonly FaultOp[] {
  const { prng } = draw
  const names = prng.shuffle([...draw.names]).slice(0, 1 + prng.below(draw.names.length))
  const ends = prng.shuffle(names.map((_, index) => index + 1))
  // The first part of the wave stops nodes, the second opens them.
  const half = durationMs / 2
  return names.map((node, index) => {
    const startMs = Math.round(atMs + (half * index) / names.length)
    const endMs = Math.round(atMs + half + (half * (ends[index] ?? 1)) / names.length)
    const patch = { isClogged: true }
    const length = { atMs: startMs, durationMs: endMs - startMs }
    return { kind: 'path', fault: 'F-09', node, way: 'both', patch, ...length }
  })
}
