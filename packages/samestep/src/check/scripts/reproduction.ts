/**
 * A script as a file: small enough to read, exact enough to run. Orders and inputs are written as
 * the values that they are, so that a person can change one and try again.
 */
import { UsageError, WireError } from '../../base/errors.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import type { Json } from '../../sim/schema/field.ts'
import type { CheckId, LaneId } from '../lanes/lane.ts'
import { checkIds } from '../lanes/lane.ts'
import type { Script, ScriptItem } from './script.ts'

/** What is needed to run a failed check again. Plain JSON. */
export interface Reproduction {
  readonly samestep: 'check'
  readonly version: 1
  readonly game: string
  readonly check: CheckId
  /**
   * The check lane that shows the failure, or `all` if it depends on what the others leave behind in
   * modules.
   */
  readonly lane: LaneId | 'all'
  readonly seed: number
  readonly seats: number
  readonly options: Json
  readonly ticks: number
  readonly items: readonly ReproductionItem[]
}

/** One order, input or event. Bytes that are not an order are written as hex digits. */
export type ReproductionItem =
  | { readonly tick: number; readonly seat: number; readonly order: string; readonly data: Json }
  | { readonly tick: number; readonly seat: number; readonly bytes: string }
  | { readonly tick: number; readonly seat: number; readonly input: Json }
  | { readonly tick: number; readonly event: Json }

/** Writes a script down. */
export function makeReproduction(
  game: Game,
  script: Script,
  check: CheckId,
  lane: LaneId | 'all',
): Reproduction {
  const { seed, seats, options, ticks, items } = script
  return {
    samestep: 'check',
    version: 1,
    game: game.id,
    check,
    lane,
    seed,
    seats,
    options: game.optionsCodec.toJson({ ...game.optionsCodec.makeDefault(), ...options }),
    ticks,
    items: items.map((item) => writeItem(game, item)),
  }
}

function writeItem(game: Game, item: ScriptItem): ReproductionItem {
  const { tick } = item
  if (item.kind === 'event') return { tick, event: { ...item.event } as unknown as Json }
  if (item.kind === 'input') {
    return { tick, seat: item.seat, input: game.inputCodec.toJson(item.input as never) }
  }
  const { seat, bytes } = item.order
  try {
    const { type, data } = game.orderCodec.decode(bytes)
    return { tick, seat, order: type.name, data: type.codec.toJson(data as object) }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return { tick, seat, bytes: toHex(bytes) }
  }
}

/**
 * Parses a reproduction.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for a file that is not a reproduction, or is of another game.
 */
export function readReproduction(
  game: Game,
  json: unknown,
): { readonly script: Script; readonly check: CheckId; readonly lane: LaneId | 'all' } {
  const file = json as Partial<Reproduction> | null
  if (typeof file !== 'object' || file?.samestep !== 'check' || file.version !== 1) {
    refuse('it is not a reproduction of a check')
  }
  if (file.game !== game.id) refuse(`it is of the game '${file.game}', and this is '${game.id}'`)
  const { seed, seats, ticks, items, check, lane, options } = file
  const areNumbers = [seed, seats, ticks].every((value) => Number.isSafeInteger(value))
  if (!areNumbers || !Array.isArray(items) || !checkIds.includes(check as CheckId)) {
    refuse('seed, seats, ticks, items or check are missing')
  }
  const read = items.map((item) => readItem(game, item as ReproductionItem))
  const script: Script = {
    seed: seed as number,
    seats: seats as number,
    options: game.optionsCodec.fromJson(options ?? {}, 'options') as object,
    ticks: ticks as number,
    items: read.sort((a, b) => a.tick - b.tick),
  }
  return { script, check: check as CheckId, lane: (lane ?? 'original') as LaneId | 'all' }
}

function readItem(game: Game, item: ReproductionItem): ScriptItem {
  const { tick } = item
  if ('event' in item) return { tick, kind: 'event', event: item.event as unknown as SystemEvent }
  const { seat } = item
  if ('input' in item) {
    const input = game.inputCodec.fromJson(item.input, 'input') as object
    return { tick, kind: 'input', seat, input }
  }
  if ('bytes' in item) return { tick, kind: 'order', order: { seat, bytes: fromHex(item.bytes) } }
  const type = game.orderCodec.types.find(({ name }) => name === item.order)
  if (type === undefined) refuse(`the game has no order '${item.order}'`)
  const bytes = game.orderCodec.encode(item.order, type.codec.fromJson(item.data, item.order))
  return { tick, kind: 'order', order: { seat, bytes } }
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function fromHex(text: string): Uint8Array {
  if (!/^(?:[0-9a-f]{2})*$/.test(text)) refuse(`'${text}' is not hex digits`)
  return Uint8Array.from(text.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16))
}

function refuse(problem: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot read the reproduction: ${problem}`)
}
