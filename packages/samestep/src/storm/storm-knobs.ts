import type { Prng } from '../base/prng.ts'
import { waitingOrdersMax } from '../wire/limits.ts'
import type { LobbyConfig, MatchConfig, MissingPolicy } from '../wire/match-config.ts'
import type { Json, Profile } from './engine/plan.ts'

/** Settings of a match, each at its default half of the time. */
export interface StormKnobs {
  readonly inputDelay: number
  /** By how many ticks the delay may grow beyond `inputDelay`, which is then the least. */
  readonly inputDelaySpan: number
  readonly missing: MissingPolicy
  /** Where the packet numbers of datagram channels start (F-30). */
  readonly firstNumber: number
  /** Orders of one seat that may wait in the relay; few, so that some are refused. */
  readonly waitingOrdersMax: number
  /** Plays a game with inputs and orders of the largest size, when no other is given. */
  readonly isWide: boolean
  readonly lagMode: MatchConfig['lagMode']
  readonly batching: MatchConfig['batching']
  /** Only where the match waits for inputs. */
  readonly lagStretch: boolean
  readonly lobbyStart: LobbyConfig['start']
  readonly onLoadDrop: LobbyConfig['onLoadDrop']
  readonly countdownMs: number
  readonly pauseMsMax: number
  /** Whether honest players talk, pause, change the speed and vote. */
  readonly hasWishes: boolean
  /** Seats that the owner gives to bots. */
  readonly botSeats: number
  /** Ticks are run when they are due, and cost time; otherwise all at once, for nothing. */
  readonly isPaced: boolean
}

/** What a knob is when a plan does not name it. */
export const knobDefaults: StormKnobs = {
  inputDelay: 3,
  inputDelaySpan: 0,
  missing: { kind: 'idle', waitMs: 0 },
  firstNumber: 0,
  waitingOrdersMax,
  isWide: false,
  lagMode: 'off',
  batching: 'never',
  lagStretch: false,
  lobbyStart: 'when-full',
  onLoadDrop: 'abort',
  countdownMs: 3_000,
  pauseMsMax: 60_000,
  hasWishes: false,
  botSeats: 0,
  isPaced: false,
}

type Knobs = { readonly [name: string]: Json }

/** Draws what concerns inputs, orders and packets. */
export function makeKnobs(prng: Prng, profile: Profile): Knobs {
  const missing: MissingPolicy = prng.pick([
    { kind: 'idle', waitMs: 0 },
    { kind: 'repeat', waitMs: 0 },
    { kind: 'wait', waitMs: Math.round(prng.logUniform(10, 500)) },
  ] as const)
  return {
    ...(prng.chance(0.5) ? { inputDelay: prng.below(9) } : {}),
    ...(prng.chance(0.5) ? { missing: { kind: missing.kind, waitMs: missing.waitMs } } : {}),
    ...(prng.chance(0.2) ? { waitingOrdersMax: 1 + prng.below(3) } : {}),
    ...(profile === 'boundary' ? { firstNumber: 65_535 - prng.below(200) } : {}),
    ...(profile === 'boundary' && prng.chance(0.5) ? { isWide: true } : {}),
  }
}

/** How often the room around the match is not the simple one, by profile. */
const roomChances: { readonly [P in Profile]?: number } = {
  churn: 0.75,
  flood: 0.5,
  hidden: 0.4,
  slow: 0.3,
  lagswitch: 0.3,
}

/**
 * Draws what concerns the room around the match, of a stream of its own: what is drawn of inputs and
 * faults stays as it was.
 */
export function makeRoomKnobs(prng: Prng, profile: Profile, botsMax: number): Knobs {
  const chance = roomChances[profile] ?? 0.25
  const hasWishes = prng.chance(chance)
  const isAsked = prng.chance(chance)
  const lobbyStart = prng.pick(['when-ready', 'by-owner'] as const)
  const onLoadDrop = prng.pick(['abort', 'continue'] as const)
  const countdownMs = prng.pick([0, 500, 3_000])
  const bots = Math.min(1 + prng.below(2), botsMax)
  const lagMode = prng.pick(['median', 'maximum'] as const)
  // Short, so that some end by themselves.
  const pauseMsMax = Math.round(prng.logUniform(1_000, 10_000))
  const isSlow = profile === 'slow'
  return {
    ...(prng.chance(0.4) ? { inputDelay: prng.below(3), inputDelaySpan: 1 + prng.below(8) } : {}),
    ...(prng.chance(isSlow ? 0.7 : 0.15) ? { lagMode } : {}),
    ...(isAsked ? { lobbyStart, onLoadDrop, countdownMs } : {}),
    ...(hasWishes ? { hasWishes } : {}),
    ...(hasWishes || prng.chance(0.5) ? { pauseMsMax } : {}),
    ...(prng.chance(chance) && bots > 0 ? { botSeats: bots } : {}),
    ...(isSlow || prng.chance(0.15) ? { isPaced: true } : {}),
  }
}

/** Draws how ticks are paced and packed, of a stream of its own for the same reason. */
export function makePaceKnobs(prng: Prng): Knobs {
  return {
    ...(prng.chance(0.4) ? { batching: 'adaptive' } : {}),
    ...(prng.chance(0.6) ? { lagStretch: true } : {}),
  }
}
