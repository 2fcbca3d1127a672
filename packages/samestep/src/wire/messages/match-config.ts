import { orderIssuers } from '../../sim/game/orders/order.ts'
import {
  contentFilesMax,
  contentNameBytesMax,
  orderBytesMax,
  orderKindsMax,
  orderRateMax,
  seatsMax,
  tickRateMax,
} from '../../sim/limits.ts'
import type { StructField } from '../../sim/schema/index.ts'
import { bool, bytes, list, oneOf, range, struct, text, u32 } from '../../sim/schema/index.ts'
import {
  afkMsMax,
  countdownMsMax,
  inputAheadTicksMax,
  inputSlotsMax,
  loadMsMax,
  optionsBytesMax,
  orderClassesMax,
  ordersPerTickMax,
  pauseMsMax,
  pausesMax,
  spectatorDelayMsMax,
  spectatorsMax,
} from '../limits.ts'
import { slotForms } from '../ticks/input-layout.ts'
import { lateJoins, visibilities } from './room-actions.ts'

/**
 * What a match is made with. Whoever asks for a match first decides all of it; those who come later
 * take it as it is, and only what follows from the game must be the same for everybody.
 */

const missingPolicy = struct({
  kind: oneOf(['idle', 'repeat', 'wait']),
  /** How long `wait` waits: less than the patience of those who hear nothing meanwhile. */
  waitMs: range(0, 4_000),
})

const inputSlot = struct({
  form: oneOf(slotForms),
  /** The largest value: the relay takes no other, and the bits follow from it. */
  max: u32,
  initial: u32,
  isOneShot: bool,
})

/** How a match starts, and who may join. */
const lobbyConfig = struct({
  start: oneOf(['when-full', 'when-ready', 'by-owner']),
  playersMin: range(1, seatsMax),
  countdownMs: range(0, countdownMsMax),
  loadIdleMs: range(1_000, loadMsMax),
  loadMs: range(1_000, loadMsMax),
  onLoadDrop: oneOf(['abort', 'continue']),
  lateJoin: oneOf(lateJoins),
  visibility: oneOf(visibilities),
  spectatorsMax: range(0, spectatorsMax),
  /** How far spectators are behind the players. */
  spectatorDelayMs: range(0, spectatorDelayMsMax),
  /** How long a player may be idle before others are told; 0 for no limit. */
  afkMs: range(0, afkMsMax),
  /** What happens to an idle player: nothing more, a bot takes over, or the player is removed. */
  onAfk: oneOf(['tell', 'bot', 'remove']),
  /** Who plays for a player whose connection is lost: nobody, or a bot until the player is back. */
  onAway: oneOf(['idle', 'bot']),
  /** How long an empty lobby or match is kept. */
  emptyMs: range(0, loadMsMax),
  /**
   * Who receives a spectator's chat. Players do not by default: a spectator sees what their opponents hide.
   */
  spectatorsReach: oneOf(['spectators', 'all']),
})

/** Who may ask for a pause or another speed: each may do what those before it may. */
export const paceRanks = ['player', 'owner', 'vote', 'relay'] as const

/** Whose word counts besides that of the players. */
export const referees = ['nobody', 'witness'] as const

/** What follows when machines have different states, besides that everybody is told. */
export const desyncPolicies = ['warn', 'halt', 'resync'] as const

const paceRank = oneOf(paceRanks)

/** Who may pause and change the speed, and how often. */
const paceConfig = struct({
  pauseBy: paceRank,
  speedBy: paceRank,
  pausesMax: range(0, pausesMax),
  pauseMsMax: range(1_000, pauseMsMax),
})

/** Which orders run in a pause: those that say so, none, all, or those of some classes. */
export const pauseLevels = ['declared', 'nothing', 'everything', 'classes'] as const

const classBits = range(0, 2 ** orderClassesMax - 1)

/** Which orders the match allows. Classes are bits: class 3 is `1 << 3`. */
const ordersConfig = struct({
  whenPaused: oneOf(pauseLevels),
  /** Classes that run in a pause, where `whenPaused` says so. */
  pausedClasses: classBits,
  /** Classes that are not allowed at all. */
  forbiddenClasses: classBits,
})

/** What the relay knows of one kind of order. */
const orderKind = struct({
  by: oneOf(orderIssuers),
  /** The most that its bytes can be. */
  maxBytes: range(0, orderBytesMax),
  whenPaused: bool,
  maxPerTick: range(1, ordersPerTickMax),
  classIndex: range(0, orderClassesMax - 1),
})

const orderClass = struct({ perSecond: range(0, orderRateMax), burst: range(0, orderRateMax) })

/** A file that the game depends on, and the SHA-256 of what is in it. */
const contentFile = struct({ name: text(contentNameBytesMax), hash: bytes(32) })

/** All that a match is made with. */
export const matchConfig = struct({
  seats: range(1, seatsMax),
  tickRate: range(1, tickRateMax),
  /** Ticks between making an input and executing it, at the start; and where it may move to. */
  inputDelay: range(0, inputAheadTicksMax - 1),
  inputDelayMin: range(0, inputAheadTicksMax - 1),
  inputDelayMax: range(0, inputAheadTicksMax - 1),
  missing: missingPolicy,
  lagMode: oneOf(['off', 'median', 'maximum']),
  /** Whether a match that waits for inputs makes its ticks up to a tenth longer instead. */
  lagStretch: bool,
  /** Whether ticks may share packets when a client's link is too slow for one packet per tick. */
  batching: oneOf(['never', 'adaptive']),
  lobby: lobbyConfig,
  pace: paceConfig,
  orders: ordersConfig,
  /** Who decides which state is right when players disagree: nobody, or a witness. */
  referee: oneOf(referees),
  /** What follows when machines differ: nothing, everybody stops, or the minority gets the state. */
  desync: oneOf(desyncPolicies),
  orderKinds: list(orderKind, orderKindsMax),
  orderClasses: list(orderClass, orderClassesMax),
  inputSlots: list(inputSlot, inputSlotsMax),
  options: bytes(optionsBytesMax),
  /** By name, each once: who joins must have the same files. */
  content: list(contentFile, contentFilesMax),
})

/** What a match is made with. */
export type MatchConfig = typeof matchConfig extends StructField<infer T> ? T : never

/** What happens when the input of a seat is missing as its tick is to be sealed. */
export type MissingPolicy = MatchConfig['missing']

/** How a match starts, and who may join. */
export type LobbyConfig = MatchConfig['lobby']

/** Who may pause and change the speed, and how often. */
export type PaceConfig = MatchConfig['pace']

/** The files that everybody in a match must have. */
export type ContentList = MatchConfig['content']
/** Which orders a match allows. */
export type OrdersConfig = MatchConfig['orders']

/** The parts of a config that follow from the game: they must be the same for everybody. */
export const gameConfigKeys = ['tickRate', 'inputSlots', 'orderKinds', 'orderClasses'] as const

/** A config of which only what is given differs from the usual. */
export function makeMatchConfig(
  given: Partial<MatchConfig> & Pick<MatchConfig, 'seats' | 'tickRate'>,
): MatchConfig {
  const inputDelay = given.inputDelay ?? 3
  return {
    inputDelay,
    inputDelayMin: inputDelay,
    inputDelayMax: inputDelay,
    missing: { kind: 'idle', waitMs: 0 },
    lagMode: 'off',
    lagStretch: false,
    batching: 'never',
    lobby: lobbyDefaults,
    pace: paceDefaults,
    orders: ordersDefaults,
    referee: 'nobody',
    desync: 'warn',
    orderKinds: [],
    orderClasses: [],
    inputSlots: [],
    options: new Uint8Array(0),
    content: [],
    ...given,
  }
}

/** The simple case: as many players as seats, and off it goes. */
export const lobbyDefaults: LobbyConfig = {
  start: 'when-full',
  playersMin: 1,
  countdownMs: 3_000,
  loadIdleMs: 30_000,
  loadMs: 180_000,
  onLoadDrop: 'abort',
  lateJoin: 'players',
  visibility: 'unlisted',
  spectatorsMax,
  spectatorDelayMs: 0,
  afkMs: 0,
  onAfk: 'tell',
  onAway: 'idle',
  emptyMs: 0,
  spectatorsReach: 'spectators',
}

/** Three pauses of a minute for everybody: long enough for the door bell, too short to wear out. */
export const paceDefaults: PaceConfig = {
  pauseBy: 'player',
  speedBy: 'owner',
  pausesMax: 3,
  pauseMsMax: 60_000,
}

/** All orders, and in a pause those that say so. */
export const ordersDefaults: OrdersConfig = {
  whenPaused: 'declared',
  pausedClasses: 0,
  forbiddenClasses: 0,
}
