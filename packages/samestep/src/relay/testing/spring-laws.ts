/**
 * Spring's lag protection as the catalogue describes it (LAG-01 to LAG-04, LAG-06, LAG-07), mistakes
 * included (C-09), and written from that description. It is what our own law is measured against: the
 * tests beside show the numbers of the catalogue first, and then where and why ours answers otherwise.
 */

/** Spring's simulation rate. */
export const springTickRate = 30

/** A player as Spring's server sees him. */
export interface SpringPlayer {
  /** Load at the speed of now, as a share; Spring knows none above 1. */
  readonly cpu: number
  readonly pingMs: number
  readonly isReconnecting: boolean
}

/** LAG-04: how far a player's last answer lies behind, in ms; network and slowness in one number. */
export function springPingMs(serverTick: number, answeredTick: number, speed: number): number {
  return ((serverTick - answeredTick) * 1_000) / (springTickRate * speed)
}

/** C-09: the mark of a reconnecting player goes when his ping, in **ms**, is below 60 **ticks**. */
export function springClearsReconnecting(player: SpringPlayer): boolean {
  return player.pingMs < 2 * springTickRate
}

/** The load that the speed is chosen by. C-09: reconnecting players are left out of the maximum only. */
export function springReference(players: readonly SpringPlayer[], mode: 'median' | 'max'): number {
  const loads = players.map(({ cpu }) => Math.min(Math.max(cpu, 0), 1))
  if (mode === 'max') {
    return Math.max(0, ...loads.filter((_, index) => players[index]?.isReconnecting === false))
  }
  const sorted = [...loads].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2
}

/** LAG-01 to LAG-03: the speed two seconds later. */
export function springSpeed(
  players: readonly SpringPlayer[],
  mode: 'median' | 'max',
  speed: number,
  userSpeed: number,
): number {
  const reference = springReference(players, mode)
  if (reference <= 0) return speed
  const target = mode === 'median' ? 0.6 : 0.75
  const wanted = Math.min(Math.max((speed * target) / reference, 0.1), userSpeed)
  return (wanted + speed) / 2
}

/** LAG-06: the fastest that a host which also plays can serve. */
export function springHostSpeedMax(tickMs: number): number {
  return ((1_000 / tickMs) * (1 - 0.15)) / springTickRate
}
