import { UsageError } from '../../base/errors.ts'
import type { ContentManifest } from '../../sim/game/definition/content.ts'
import { checkContent, sortedContent } from '../../sim/game/definition/content.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { checkSeats } from '../../sim/game/run/simulation-options.ts'
import { fromHex } from '../../sim/hash/hex.ts'
import type { StructField } from '../../sim/schema/index.ts'
import { encodeRecord } from '../../sim/schema/index.ts'
import {
  delayMsMaxDefault,
  delayMsStartDefault,
  delayTicksMinDefault,
  inputAheadTicksMax,
  ticksIn,
} from '../../wire/limits.ts'
import type { MatchConfig, OrdersConfig } from '../../wire/messages/match-config.ts'
import {
  lobbyDefaults,
  makeMatchConfig,
  matchConfig,
  paceDefaults,
} from '../../wire/messages/match-config.ts'
import { InputMapping } from '../../wire/ticks/input-layout.ts'
import type { ClientOptions, OrderOptions } from './client-options.ts'
import { withPreset } from './presets.ts'

/**
 * The match as this client wants it, if it is the first to ask.
 *
 * @throws UsageError `SS_BAD_VALUE` for options that are none of the game, and for rules that no match
 * has; `SS_BAD_ARGUMENT` for seats that the game is not for, and for a delay that cannot be.
 */
export function makeConfig<G extends GameShape, R>(
  game: Game<G, R>,
  given: ClientOptions<G>,
): MatchConfig {
  const options = withPreset(given)
  checkMemory(options.desyncMemoryBytes)
  const chosen = { ...game.optionsCodec.makeDefault(), ...options.options }
  game.optionsCodec.check(chosen, 'options')
  const config = makeMatchConfig({
    seats: checkSeats(game, options.seats ?? game.seats.min),
    tickRate: game.tickRate,
    ...delayOf(game, options.inputDelay),
    missing: options.missing ?? { kind: 'idle', waitMs: 0 },
    ...lagProtectionOf(options),
    batching: options.batching ?? 'never',
    lobby: { ...lobbyDefaults, ...options.lobby },
    pace: { ...paceDefaults, ...options.pace },
    referee: options.referee ?? 'nobody',
    desync: options.desync ?? 'warn',
    ...orderRulesOf(game),
    orders: orderOptionsOf(game, options.orders),
    inputSlots: [...new InputMapping(game.inputCodec.fields).layout],
    options: encodeRecord(game.optionsCodec, chosen),
    content: contentOf(game, options.content ?? {}),
  })
  const fields: StructField<object> = matchConfig
  fields.check(config, 'match')
  return config
}

/** The files of the game and those of the match, in the sequence that relays take. */
function contentOf<G extends GameShape, R>(
  game: Game<G, R>,
  wished: ContentManifest,
): MatchConfig['content'] {
  checkContent(wished)
  for (const [name, hash] of Object.entries(wished)) {
    const declared = game.content[name]
    if (declared !== undefined && declared !== hash) {
      throw new UsageError(
        'SS_BAD_VALUE',
        `Cannot use this content: '${name}' is ${hash.slice(0, 8)}…, and the game was defined with ${declared.slice(0, 8)}…`,
      )
    }
  }
  const content: ContentManifest = { ...game.content, ...wished }
  // In one form of Unicode: file systems differ in how they write the same name.
  const normal = Object.entries(content).map(([name, hash]) => [name.normalize('NFC'), hash])
  const all: ContentManifest = Object.fromEntries(normal)
  checkContent(all)
  return sortedContent(all).map(([name, hash]) => ({ name, hash: fromHex(hash) }))
}

function checkMemory(bytes = 0): void {
  if (Number.isInteger(bytes) && bytes >= 0 && bytes <= memoryBytesMax) return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot keep ${bytes} bytes to explain desyncs: desyncMemoryBytes must be a whole number from 0 to ${memoryBytesMax}`,
  )
}

/** More than a page may have; a state is 64 MiB at the most. */
const memoryBytesMax = 1_073_741_824

/** A word stands for what to do about loaded machines. */
function lagProtectionOf<G extends GameShape>({
  lagProtection = {},
  missing,
}: ClientOptions<G>): Pick<MatchConfig, 'lagMode' | 'lagStretch'> {
  const wished = typeof lagProtection === 'string' ? { mode: lagProtection } : lagProtection
  const { mode = 'off', stretch = false } = wished
  if (stretch && missing?.kind !== 'wait') {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot stretch ticks: missing is '${missing?.kind ?? 'idle'}'; it must be { kind: 'wait', … }, because no tick waits otherwise`,
    )
  }
  return { lagMode: mode, lagStretch: stretch }
}

type Delays = Pick<MatchConfig, 'inputDelay' | 'inputDelayMin' | 'inputDelayMax'>

/**
 * Orders run at the next open tick whatever the delay: without inputs there is nothing to delay. With
 * them, one tick is the least. An input is made when a tick comes, so the one for that same tick would
 * be made after it was sealed: with no delay at all, every input would be late.
 */
function delayOf<G extends GameShape, R>(
  game: Game<G, R>,
  wished: ClientOptions<G>['inputDelay'],
): Delays {
  const hasInputs = game.inputCodec.names.length > 0
  const least = hasInputs ? 1 : 0
  if (wished === undefined && hasInputs) return defaultDelays(game.tickRate)
  const delay = wished ?? 0
  const { min, max } = typeof delay === 'number' ? { min: delay, max: delay } : delay
  const isRange =
    Number.isInteger(min) && Number.isInteger(max) && min >= least && max <= delayTicksMax
  if (!isRange || min > max) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot delay inputs by ${min} to ${max} ticks: write whole numbers from ${least} to ${delayTicksMax}, the smaller one first${hasInputs ? '; an input for the tick that just ran would always be late' : ''}`,
    )
  }
  return { inputDelay: Math.min(min + 1, max), inputDelayMin: min, inputDelayMax: max }
}

/** The longest delay that a match can have. */
const delayTicksMax = inputAheadTicksMax - 1

/** In ms, so that a far player is as far at every tick rate. */
function defaultDelays(tickRate: number): Delays {
  const min = delayTicksMinDefault
  const max = Math.max(ticksIn(delayMsMaxDefault, tickRate), min)
  const start = Math.max(ticksIn(delayMsStartDefault, tickRate), min)
  return { inputDelay: Math.min(start, max), inputDelayMin: min, inputDelayMax: max }
}

/**
 * From names of classes to bits. A class with rates of its own has several numbers, one for each kind.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a class that the game has not, and for orders in a pause of a
 * game that could not carry them out.
 */
function orderOptionsOf<G extends GameShape, R>(
  game: Game<G, R>,
  { whenPaused = 'declared', forbid = [] }: OrderOptions = {},
): OrdersConfig {
  const isByClass = typeof whenPaused !== 'string'
  if ((isByClass || whenPaused === 'everything') && game.definition.apply === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot let orders of game '${game.id}' run while paused: step does not run then, and it has no apply`,
    )
  }
  return {
    whenPaused: isByClass ? 'classes' : whenPaused,
    pausedClasses: isByClass ? classBitsOf(game, whenPaused) : 0,
    forbiddenClasses: classBitsOf(game, forbid),
  }
}

function classBitsOf<G extends GameShape, R>(game: Game<G, R>, names: readonly string[]): number {
  const { types } = game.orderCodec
  const numbers = [...new Set(types.map(classOf))]
  const known = [...new Set(types.map((type) => type.class))].filter((name) => name !== '')
  let bits = 0
  for (const name of names) {
    if (!known.includes(name)) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot name the class '${name}' of orders: the classes of game '${game.id}' are ${known.join(', ') || 'none'}`,
      )
    }
    for (const type of types) if (type.class === name) bits |= 1 << numbers.indexOf(classOf(type))
  }
  return bits
}

/** What the relay may know of the game's orders: no names, no fields, only the rules. */
function orderRulesOf<G extends GameShape, R>(
  game: Game<G, R>,
): Pick<MatchConfig, 'orderKinds' | 'orderClasses'> {
  const { types } = game.orderCodec
  const classes = [...new Set(types.map(classOf))]
  return {
    orderKinds: types.map((type) => ({
      by: type.by,
      maxBytes: type.bytesMax,
      whenPaused: type.whenPaused,
      maxPerTick: type.maxPerTick,
      classIndex: classes.indexOf(classOf(type)),
    })),
    orderClasses: classes.map((name) => {
      const limited = types.find((type) => classOf(type) === name && type.perSecond > 0)
      return { perSecond: limited?.perSecond ?? 0, burst: limited?.burst ?? 0 }
    }),
  }
}

/** A kind with a rate of its own is a class of its own. */
function classOf(type: {
  readonly name: string
  readonly class: string
  readonly perSecond: number
}) {
  return type.perSecond > 0 ? `#${type.name}` : type.class
}
