import type { Match } from '../../relay/match/match.ts'
import { ticksIn, windowTicksFor } from '../../wire/limits.ts'
import type { World } from '../engine/world.ts'

/**
 * When all is quiet, a relay keeps no more ticks than somebody may still need (L-05). `neededTick` is the
 * oldest that it needed when it sealed: a newer state may have come since, and ticks are dropped with
 * the next one sealed.
 */
export function checkLog(world: World, { log, config }: Match, neededTick: number): void {
  const { sealedTick, firstTick } = log
  const windowTicks = windowTicksFor(config.tickRate)
  // Ticks behind a state are kept with it: for a player who is alone, one of 20 s ago.
  const { spectatorDelayMs } = config.lobby
  // Those who see the match later need its ticks later, and begin with a state that is older still.
  const laterMs = spectatorDelayMs === 0 ? 0 : 2 * spectatorDelayMs + stateMsMax
  const mostMs = stateMsMax + laterMs
  const stateTicks =
    laterMs > 0
      ? ticksIn(mostMs, config.tickRate)
      : Math.min(sealedTick - neededTick, ticksIn(mostMs, config.tickRate))
  world.always('L-05', sealedTick - firstTick < Math.max(windowTicks, stateTicks + 2), () => {
    return `The log keeps ${sealedTick - firstTick} ticks`
  })
}

/** The oldest that a state may be which the relay keeps: it is fetched anew every 20 s. */
const stateMsMax = 30_000
