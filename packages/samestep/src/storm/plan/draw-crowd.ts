import type { Prng } from '../../base/prng.ts'
import type { StormNode } from './storm-node.ts'

/** Draws people who watch: most from the first moment on, some later. */
export function drawCrowd(prng: Prng, count: number, durationMs: number): StormNode[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `watcher-${index}`,
    kind: 'client',
    clock: { offsetMs: prng.below(86_400_000), isMonotonic: true },
    role: 'spectator',
    startsAtMs: prng.chance(0.7) ? 0 : prng.below(Math.max(durationMs, 1)),
    orderEveryMs: 0,
    inputEveryMs: 0,
  }))
}
