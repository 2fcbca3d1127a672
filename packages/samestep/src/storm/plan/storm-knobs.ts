import type { Prng } from '../../base/prng.ts'
import type { DebugLevel } from '../../client/debug/debug-level.ts'
import { waitingOrdersMax } from '../../wire/limits.ts'
import type { LobbyConfig, MatchConfig, MissingPolicy } from '../../wire/messages/match-config.ts'
import { pauseLevels } from '../../wire/messages/match-config.ts'
import { makeCounterStart } from '../engine/faults/fault-maker.ts'
import type { Json } from '../engine/json.ts'
import type { Profile } from '../engine/plan.ts'
import type { Flip } from './desync-knobs.ts'

/** What a relay allows makers of matches. */
export interface RelayCaps {
  readonly matchesMax: number
  readonly matchesPerAddress: number
  readonly matchesPerMinute: number
}

/** The settings of a match; each has its default in half of the plans. */
export interface StormKnobs {
  readonly inputDelay: number
  /** By how many ticks the delay may grow beyond `inputDelay`, which is then the minimum. */
  readonly inputDelaySpan: number
  readonly missing: MissingPolicy
  /** Where the packet numbers of datagram channels start (F-30). */
  readonly firstNumber: number
  /** Where the epochs of datagram channels start, which have 16 bits (F-30). */
  readonly firstEpoch: number
  /** How many orders of one seat the relay may queue; few, so that some are refused. */
  readonly waitingOrdersMax: number
  /** Plays a game with inputs and orders of the maximum size, if no other is given. */
  readonly isWide: boolean
  readonly lagMode: MatchConfig['lagMode']
  readonly batching: MatchConfig['batching']
  /** Only where the match waits for inputs. */
  readonly lagStretch: boolean
  readonly lobbyStart: LobbyConfig['start']
  readonly onLoadDrop: LobbyConfig['onLoadDrop']
  readonly countdownMs: number
  readonly pauseMsMax: number
  /** Whether honest players chat, pause, change the speed and vote. */
  readonly hasWishes: boolean
  /** Seats that the owner gives to bots. */
  readonly botSeats: number
  /** Ticks per second of the built-in game; a given game has its own. */
  readonly tickRate: number
  /** Whether the match has the default input delay, instead of the two settings for it. */
  readonly hasDefaultDelay: boolean
  /** Whether ticks run when they are due and cost time; otherwise all run at once and cost nothing. */
  readonly isPaced: boolean
  /** How many ticks clients run at once, each client with its own phase; 1 to run them as they arrive. */
  readonly ticksPerRun: number
  /** A desync on purpose; `null` for none. */
  readonly flip: Flip | null
  /** What happens when machines differ. */
  readonly desync: MatchConfig['desync']
  /** Whether a client with another map tries to join. */
  readonly hasForeigner: boolean
  /** How often the relay dies and comes back, on average. */
  readonly crashesPerMinute: number
  /** Plays the built-in game with orders that have rules, instead of the toy game. */
  readonly hasOrderRules: boolean
  /** Limits for clients that create matches; none if `null`. */
  readonly caps: RelayCaps | null
  /** Whether an `authorize` function decides about joins. */
  readonly isAuthorizing: boolean
  /** Who receives a spectator's chat. */
  readonly spectatorsReach: LobbyConfig['spectatorsReach']
  /** Which orders run in a pause; `classes` are those of buildings. */
  readonly pauseLevel: MatchConfig['orders']['whenPaused']
  /** Whether the match forbids jokes. */
  readonly isSerious: boolean
  /** How far spectators are behind the players. */
  readonly spectatorDelayMs: number
  /** Whether bots also hold controls, besides issuing orders. */
  readonly botsHold: boolean
  /** How often each client moves between a stream and datagrams; 0 if the relay has only one door. */
  readonly movesPerMinute: number
  /** The debug level of the first client. */
  readonly debugLevel: DebugLevel
}

/** What a knob is when a plan does not name it. */
export const knobDefaults: StormKnobs = {
  inputDelay: 3,
  inputDelaySpan: 0,
  missing: { kind: 'idle', waitMs: 0 },
  firstNumber: 0,
  firstEpoch: 0,
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
  tickRate: 30,
  hasDefaultDelay: false,
  isPaced: false,
  ticksPerRun: 1,
  flip: null,
  desync: 'warn',
  hasForeigner: false,
  crashesPerMinute: 0,
  hasOrderRules: false,
  caps: null,
  isAuthorizing: false,
  spectatorsReach: 'spectators',
  pauseLevel: 'declared',
  isSerious: false,
  spectatorDelayMs: 0,
  botsHold: false,
  movesPerMinute: 0,
  debugLevel: 0,
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
    ...(profile === 'relay-crash' ? { crashesPerMinute: 2 + prng.below(20) } : {}),
    ...(profile === 'boundary' ? { firstNumber: makeCounterStart(prng, profile, [2 ** 16]) } : {}),
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
    ...(prng.chance(chance) ? { spectatorsReach: 'all' } : {}),
  }
}

/** Draws how ticks are paced and packed, of a stream of its own for the same reason. */
export function makePaceKnobs(prng: Prng): Knobs {
  return {
    ...(prng.chance(0.4) ? { batching: 'adaptive' } : {}),
    ...(prng.chance(0.6) ? { lagStretch: true } : {}),
  }
}

/** Draws whether a client flips a field, and how clients group their ticks, of a stream of its own for the same reason. */
export function makeFlipKnobs(prng: Prng, clients: readonly string[], durationMs: number): Knobs {
  const isFlipped = prng.chance(0.4)
  const client = prng.pick(clients)
  const tick = 1 + Math.floor(prng.logUniform(1, (durationMs * 30) / 1_000))
  const isBrief = prng.chance(0.5)
  // A single tick that differs is easily seen where every tick is reported.
  const isGrouped = prng.chance(0.3) || (isFlipped && isBrief)
  return {
    ...(isGrouped ? { ticksPerRun: 2 + prng.below(4) } : {}),
    ...(isFlipped ? { flip: { client, tick, isBrief } } : {}),
  }
}

/** Rates besides the usual one. Fast ones are the rarer the more a plan at them costs. */
const tickRates = [10, 10, 60, 60, 60, 60, 120, 120, 240] as const

/** Rates of matches that last for hours: their number of ticks is what they cost. */
const longhaulRates = [1, 1, 2, 2, 5] as const

/** Draws how fast the game is, and whether far players are cared for, of a stream of its own as well. */
export function makeRateKnobs(prng: Prng, profile: Profile): Knobs {
  const isLong = profile === 'longhaul'
  const tickRate = prng.pick(isLong ? longhaulRates : tickRates)
  return {
    ...(prng.chance(0.25) || isLong ? { tickRate } : {}),
    ...(prng.chance(0.4) ? { hasDefaultDelay: true } : {}),
  }
}

/**
 * Draws whether orders have rules, of a stream of its own as well. Most of these rules are about pauses,
 * so that they come with people who pause; `mayWish` where the plan can have such.
 */
export function makeOrderKnobs(prng: Prng, mayWish: boolean): Knobs {
  const hasOrderRules = prng.chance(0.3)
  const hasWishes = prng.chance(0.7) && mayWish
  const pauseMsMax = Math.round(prng.logUniform(1_000, 10_000))
  const pauseLevel = prng.pick(pauseLevels)
  const isSerious = prng.chance(0.5)
  if (!hasOrderRules) return {}
  return {
    hasOrderRules,
    ...(hasWishes ? { hasWishes, pauseMsMax } : {}),
    ...(pauseLevel === 'declared' ? {} : { pauseLevel }),
    ...(isSerious ? { isSerious } : {}),
  }
}

/** Draws where counters start that begin anew with every link (F-30). */
export function makeEpochKnobs(prng: Prng, profile: Profile): Knobs {
  const firstEpoch = makeCounterStart(prng, profile, [2 ** 16])
  return profile === 'boundary' ? { firstEpoch: Math.max(firstEpoch, 2 ** 16 - 40) } : {}
}

/** Draws who gets in, and how many matches somebody may make, of a stream of its own as well. */
export function makeDoorKnobs(prng: Prng): Knobs {
  const matchesPerAddress = 1 + prng.below(8)
  const matchesPerMinute = 1 + prng.below(30)
  // Now and then the relay is full before any address has had its share.
  const matchesMax = 2 + prng.below(16)
  return {
    ...(prng.chance(0.7) ? { caps: { matchesMax, matchesPerAddress, matchesPerMinute } } : {}),
    ...(prng.chance(0.25) ? { isAuthorizing: true } : {}),
  }
}

/** Draws how much later than the players spectators see the match, where there are some. */
export function makeAudienceKnobs(prng: Prng, hasSpectators: boolean): Knobs {
  const spectatorDelayMs = Math.round(prng.logUniform(300, 8_000))
  return hasSpectators && prng.chance(0.6) ? { spectatorDelayMs } : {}
}

/** Draws who else comes by, of a stream of its own as well. */
export function makeVisitorKnobs(prng: Prng): Knobs {
  return prng.chance(0.2) ? { hasForeigner: true } : {}
}

/** Draws at which level the first client debugs. Seldom: it costs several times a tick. */
export function makeDebugKnobs(prng: Prng): Knobs {
  const debugLevel = prng.pick([1, 2, 3, 4])
  return prng.chance(0.1) ? { debugLevel } : {}
}

/** Draws what bots do, of a stream of its own as well. */
export function makeBotKnobs(prng: Prng): Knobs {
  return prng.chance(0.6) ? { botsHold: true } : {}
}

/** Draws whether the relay has a better door, and how often clients use it, of a stream of its own as well. */
export function makeMoveKnobs(prng: Prng): Knobs {
  const movesPerMinute = Math.round(prng.logUniform(1, 30))
  return prng.chance(0.3) ? { movesPerMinute } : {}
}
