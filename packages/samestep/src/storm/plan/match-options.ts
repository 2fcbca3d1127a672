import type { LagProtectionOptions, OrderOptions } from '../../client/membership/client-options.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { ruledGameId } from '../games/ruled-game.ts'
import { isOutsider } from './attack-kinds.ts'
import type { ClientPlan } from './client-plan.ts'
import type { StormKnobs } from './storm-knobs.ts'
import type { StormPlan } from './storm-plan.ts'
import { knobsOf } from './storm-plan.ts'

/** What everybody in a storm calls its match. */
export const matchName = 'storm'

/** What a client of a plan asks for. */
export type MatchOptions = Pick<
  ClientPlan,
  'match' | 'seats' | 'missing' | 'batching' | 'lobby' | 'pace' | 'orders' | 'desync'
> & {
  readonly lagProtection: LagProtectionOptions
  readonly inputDelay?: number | { readonly min: number; readonly max: number }
}

/** The match as everybody in a plan asks for it. */
export function optionsOf(plan: StormPlan, game: Game): MatchOptions {
  const knobs = knobsOf(plan)
  const { inputDelaySpan, missing, lagMode, lobbyStart, botSeats } = knobs
  const { onLoadDrop, countdownMs, pauseMsMax, spectatorsReach } = knobs
  const inputDelay = Math.max(knobs.inputDelay, game.inputCodec.names.length > 0 ? 1 : 0)
  const range = { min: inputDelay, max: inputDelay + inputDelaySpan }
  const players = plan.nodes.filter((node) => {
    return node.kind === 'client' && node.role === 'player' && node.isReplacement !== true
  })
  const seated = plan.attackers.filter(({ kind }) => !isOutsider(kind))
  return {
    match: matchName,
    seats: players.length + seated.length + botSeats,
    ...(knobs.hasDefaultDelay ? {} : { inputDelay: inputDelaySpan === 0 ? inputDelay : range }),
    missing,
    lagProtection: { mode: lagMode, stretch: knobs.lagStretch && missing.kind === 'wait' },
    batching: knobs.batching,
    desync: knobs.desync,
    // Longer than any fault lasts: nobody is dropped for the weather.
    lobby: {
      start: lobbyStart,
      onLoadDrop,
      countdownMs,
      loadIdleMs: 60_000,
      spectatorsReach,
      spectatorDelayMs: knobs.spectatorDelayMs,
    },
    pace: { pauseMsMax },
    ...(game.id === ruledGameId ? { orders: ordersOf(knobs) } : {}),
  }
}

/** What our own game with rules is played with. */
function ordersOf({ pauseLevel, isSerious }: StormKnobs): OrderOptions {
  return {
    whenPaused: pauseLevel === 'classes' ? ['building'] : pauseLevel,
    forbid: isSerious ? ['jokes'] : [],
  }
}
