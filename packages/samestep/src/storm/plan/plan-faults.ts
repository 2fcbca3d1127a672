import type { StormPlan } from './storm-plan.ts'

type Faults = Pick<StormPlan, 'faults'>

/** For how long a machine sleeps at once. */
export function sleepMs({ faults }: Faults, name: string): number {
  let most = 0
  for (const op of faults) {
    if (op.kind === 'sleep' && op.node === name) most = Math.max(most, op.durationMs)
  }
  return most
}

/** Whether the relay's clock stands still at times. */
export function isFrozen({ faults }: Faults): boolean {
  return faults.some((op) => op.kind === 'clock-freeze' && op.node === 'relay')
}

/**
 * Whether the relay's timers hardly run. It seals nothing then, although packets come: who runs several
 * ticks at a time waits for the rest of them.
 */
export function isUnwokenAt({ faults }: Faults, nowMs: number): boolean {
  return faults.some((op) => {
    const isOn = nowMs > op.atMs && nowMs < op.atMs + op.durationMs + wakeMs
    return op.kind === 'throttle' && op.node === 'relay' && isOn
  })
}

/** Until what a relay did whose timers hardly ran is known to everybody, also over a long line. */
const wakeMs = 5_000
