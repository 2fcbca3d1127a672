import { BitReader } from '../../base/bit-reader.ts'
import { WireError } from '../../base/errors.ts'
import { readExcerpt } from '../../desync/record-excerpt.ts'
import type { DesyncFile } from '../../desync/report-file.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { spectatorOf } from '../../sim/game/run/bundle.ts'
import { toHex } from '../../sim/hash/hex.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'

/** Something that happened at a tick, as the record tells it. */
export interface TimelineItem {
  readonly tick: number
  /** `seat 1`, `the relay`, `spectator 7`, or `match` for an event. */
  readonly who: string
  readonly what: string
}

/** What the record of a report says. */
export interface Timeline {
  readonly firstTick: number
  readonly lastTick: number
  readonly items: readonly TimelineItem[]
  /** Why there is no more of it. */
  readonly damage: string | undefined
}

/** The orders and events around a desync. With the game, orders have names and fields. */
export function timelineOf(file: DesyncFile, game?: Game): Timeline | undefined {
  const { record, config } = file
  if (record === undefined) return undefined
  const codec = new BundleCodec(config.seats, config.inputSlots)
  // Inputs are differences to inputs that are not known here: they are read over, and not told.
  const slots = new Uint32Array(codec.slotTotal)
  const missing = new Uint8Array(config.seats)
  const items: TimelineItem[] = []
  let tick = record.firstTick - 1
  try {
    const reader = new BitReader()
    for (const bundle of readExcerpt(record)) {
      tick += 1
      reader.reset(bundle)
      const { orders, events } = codec.decode(reader, slots, missing)
      reader.end()
      for (const { type, ...about } of events) {
        items.push({ tick, who: 'match', what: `${type} ${JSON.stringify(about)}` })
      }
      for (const { seat, bytes } of orders) {
        items.push({ tick, who: issuerOf(seat), what: orderText(bytes, game) })
      }
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    const damage = `the bundle of tick ${tick} cannot be read: ${error.message}`
    return { firstTick: record.firstTick, lastTick: tick - 1, items, damage }
  }
  return { firstTick: record.firstTick, lastTick: tick, items, damage: undefined }
}

function issuerOf(seat: number): string {
  if (seat >= 0) return `seat ${seat}`
  const member = spectatorOf(seat)
  return member === undefined ? 'the relay' : `spectator ${member}`
}

/** An order without its game is bytes. */
function orderText(bytes: Uint8Array, game: Game | undefined): string {
  const plain = `order 0x${toHex(bytes)}`
  if (game === undefined) return plain
  try {
    const { type, data } = game.orderCodec.decode(bytes)
    return `${type.name} ${JSON.stringify(data)}`
  } catch (error) {
    if (error instanceof WireError) return `${plain}, which is not an order of this game`
    throw error
  }
}

/** The lines of a timeline, those nearest to the bad tick where there are too many. */
export function timelineLines({ items, ...about }: Timeline, badTick: number): string[] {
  const { firstTick, lastTick, damage } = about
  const before = items.filter(({ tick }) => tick <= badTick)
  const behind = items.filter(({ tick }) => tick > badTick)
  const shown = [...before.slice(-linesBefore), ...behind.slice(0, linesBehind)]
  const lines = shown.map(
    ({ tick, who, what }) => `    tick ${tick}${tick === badTick ? ' (bad)' : ''}  ${who}: ${what}`,
  )
  const left = items.length - shown.length
  return [
    `  orders       ticks ${firstTick} to ${lastTick}${left > 0 ? `; ${left} more are left out` : ''}`,
    ...(lines.length === 0 ? ['    none'] : lines),
    ...(damage === undefined ? [] : [`    ${damage}`]),
  ]
}

const linesBefore = 24
const linesBehind = 6
