/**
 * Every message as JSON, for tools: overlays, captures, error reports (WIR-16). Nothing is decided by
 * it, and it has no way back: the bytes are the protocol.
 *
 * Messages of running ticks say only what is new, so that whoever looks at one alone does not know
 * everything. What the context lacks is shown as it travels: `tickLow` instead of `tick`, a change `by`
 * so much instead of `to` a value, bytes instead of what is in them.
 */
import { BitReader } from '../base/bit-reader.ts'
import { WireError } from '../base/errors.ts'
import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { syncHashFromWords } from '../sim/hash/hashes.ts'
import { toHex } from '../sim/hash/hex.ts'
import type { AnyField, Json } from '../sim/schema/field.ts'
import { tickBits } from './limits.ts'
import { decodeMessage, messageTypes } from './messages/messages.ts'
import { BundleCodec, type BundleContent } from './ticks/bundle-codec.ts'
import type { TurnReport } from './ticks/client-turn.ts'
import { isClientTurn, readClientTurn, readTurnHead, turnSlotsMax } from './ticks/client-turn.ts'
import type { InputLayout } from './ticks/input-layout.ts'
import { slotBits } from './ticks/input-layout.ts'
import { isRelayBundles, type RelayControl, readRelayBundles } from './ticks/relay-bundles.ts'
import { SlotDelta } from './ticks/slot-delta.ts'
import type { TurnHash } from './ticks/turn-hash.ts'

/** What is known of the match that a message belongs to. Everything may be left out. */
export interface RenderContext {
  /** A tick near those of the message. */
  readonly nearTick?: number
  /** An order number near those of the message; 0 by default, while `nearTick` is known. */
  readonly nearOrderNumber?: number
  readonly seatCount?: number
  readonly layout?: InputLayout
  /** Names of the slots, in sequence; numbers otherwise. */
  readonly slotNames?: readonly string[]
  /** The slots of all seats in the tick before the message's first, seat by seat. */
  readonly slots?: Uint32Array
}

/** A rendered message. */
export type Rendered = { readonly [key: string]: Json }

/**
 * Shows a message. Bytes that are none give `{ error, code, offset }`; nothing is ever thrown.
 */
export function renderMessage(bytes: Uint8Array, context: RenderContext = {}): Rendered {
  try {
    if (isRelayBundles(bytes)) return renderBundles(bytes, context)
    if (isClientTurn(bytes)) return renderTurn(bytes, context)
    return renderControl(bytes)
  } catch (error) {
    return renderError(error)
  }
}

function renderError(error: unknown): Rendered {
  if (!(error instanceof WireError)) throw error
  return { error: error.message, code: error.code, offset: error.offset }
}

function renderControl(bytes: Uint8Array): Rendered {
  const { name, body } = decodeMessage(bytes)
  const fields = messageTypes[name].fields as unknown as AnyField
  return { type: name, bytes: bytes.byteLength, body: fields.toJson(body) }
}

/** Far enough from the start that no truncated number can lie before it, and a multiple of all. */
const somewhere = 2 ** 20

/** A number as it is, or only its low bits where nothing near is known. */
function numberEntry(
  name: string,
  value: number,
  near: number | undefined,
  bits: number,
): Rendered {
  return near === undefined ? { [`${name}Low`]: value % 2 ** bits } : { [name]: value }
}

function renderBundles(bytes: Uint8Array, context: RenderContext): Rendered {
  const { nearTick } = context
  const message = readRelayBundles(bytes, nearTick ?? somewhere)
  const { firstTick, isExact, control, bundles, part } = message
  return {
    type: 'RelayBundles',
    bytes: bytes.byteLength,
    ...numberEntry('tick', firstTick, isExact ? firstTick : nearTick, tickBits),
    ...(control === undefined ? {} : { control: renderControlBlock(control) }),
    ...(part === undefined
      ? { bundles: renderAll(bundles, context) }
      : { part: { ...part, bytes: toHex(bundles[0] as Uint8Array) } }),
  }
}

function renderReport({ token, ...report }: TurnReport): Rendered {
  return token === undefined ? { ...report } : { ...report, token }
}

function renderControlBlock(control: RelayControl): Rendered {
  return { ...control, refusals: control.refusals.map((refusal) => ({ ...refusal })) }
}

function renderAll(bundles: readonly Uint8Array[], context: RenderContext): Json[] {
  const { seatCount, layout } = context
  if (seatCount === undefined || layout === undefined) {
    return bundles.map((bundle) => ({ bytes: toHex(bundle) }))
  }
  const view = new BundleView(seatCount, layout, context)
  return bundles.map((bundle) => view.render(bundle))
}

/** Shows bundles one after the other; each is a difference to the one before. */
class BundleView {
  readonly #codec: BundleCodec
  readonly #layout: InputLayout
  readonly #names: readonly string[]
  readonly #areValuesKnown: boolean
  readonly #before: Uint32Array
  readonly #after: Uint32Array
  readonly #missing: Uint8Array
  readonly #reader = new BitReader()
  #isBroken = false

  constructor(seatCount: number, layout: InputLayout, context: RenderContext) {
    this.#codec = new BundleCodec(seatCount, layout)
    this.#layout = layout
    this.#names = layout.map((_, index) => context.slotNames?.[index] ?? String(index))
    this.#areValuesKnown = context.slots !== undefined
    const { slotTotal, delta } = this.#codec
    this.#before = new Uint32Array(slotTotal)
    this.#after = new Uint32Array(slotTotal)
    this.#missing = new Uint8Array(seatCount)
    for (let seat = 0; seat < seatCount; seat++) {
      delta.writeInitial(this.#after, seat * delta.slotCount)
    }
    if (context.slots !== undefined) this.#after.set(context.slots.subarray(0, slotTotal))
  }

  render(bundle: Uint8Array): Rendered {
    // Behind a bundle that cannot be read nobody knows what the next one is relative to.
    if (this.#isBroken) return { bytes: toHex(bundle) }
    this.#before.set(this.#after)
    try {
      this.#reader.reset(bundle)
      const content = this.#codec.decode(this.#reader, this.#after, this.#missing)
      this.#reader.end()
      return this.#renderContent(content)
    } catch (error) {
      this.#isBroken = true
      return { bytes: toHex(bundle), ...renderError(error) }
    }
  }

  #renderContent({ orders, events }: BundleContent): Rendered {
    const inputs = this.#renderInputs()
    const missing = [...this.#missing.keys()].filter((seat) => this.#missing[seat] === 1)
    return {
      ...(Object.keys(inputs).length > 0 ? { inputs } : {}),
      ...(missing.length > 0 ? { missing } : {}),
      ...(orders.length > 0
        ? { orders: orders.map((order) => ({ ...order, bytes: toHex(order.bytes) })) }
        : {}),
      ...(events.length > 0 ? { events: events.map(renderEvent) } : {}),
    }
  }

  /** What changed, by seat and by slot; a one-shot that is let go is no change. */
  #renderInputs(): Rendered {
    const { delta, seatCount } = this.#codec
    const inputs: { [seat: string]: Json } = {}
    for (let seat = 0; seat < seatCount; seat++) {
      const start = seat * delta.slotCount
      const mask = delta.changedMask(this.#before, start, this.#after, start)
      if (mask === 0) continue
      const changes: { [slot: string]: Json } = {}
      for (let index = 0; index < delta.slotCount; index++) {
        if (((mask >>> index) & 1) === 0) continue
        changes[this.#names[index] as string] = this.#renderChange(start, index)
      }
      inputs[String(seat)] = changes
    }
    return inputs
  }

  #renderChange(start: number, index: number): Json {
    const slot = this.#layout[index] as InputLayout[number]
    const after = this.#after[start + index] as number
    if (slot.isOneShot || this.#areValuesKnown) return { to: after }
    const unused = 32 - slotBits(slot)
    return { by: ((after - (this.#before[start + index] as number)) << unused) >> unused }
  }
}

function renderEvent(event: SystemEvent): Rendered {
  // A relay that asks for itself has no seat, and JSON has no undefined.
  if (event.type === 'hand-over') return { ...event, member: event.member ?? null }
  return 'seat' in event ? { ...event, seat: event.seat ?? null } : { ...event }
}

function renderTurn(bytes: Uint8Array, context: RenderContext): Rendered {
  const { nearTick } = context
  const near = nearTick ?? somewhere
  const head = readTurnHead(bytes, near)
  const { received, controlSeen, report, hash } = head
  const rendered: Rendered = {
    type: 'ClientTurn',
    bytes: bytes.byteLength,
    ...numberEntry('received', received, nearTick, tickBits),
    controlSeen,
    ...(report === undefined ? {} : { report: renderReport(report) }),
    ...(hash === undefined ? {} : { hash: renderHash(received, hash, nearTick) }),
  }
  if (head.hasInputs && context.layout === undefined) return { ...rendered, hasMore: true }
  return { ...rendered, ...renderTurnRest(bytes, context, near) }
}

function renderHash(
  received: number,
  { executedTick, tick, lo, hi }: TurnHash,
  nearTick: number | undefined,
): Rendered {
  const position =
    nearTick === undefined
      ? { behind: received - executedTick, before: executedTick - tick }
      : { executedTick, tick }
  return { ...position, hash: syncHashFromWords(lo, hi) }
}

function renderTurnRest(bytes: Uint8Array, context: RenderContext, near: number): Rendered {
  const { layout = [], nearTick } = context
  const delta = new SlotDelta(layout)
  const nearOrder = nearTick === undefined ? undefined : (context.nearOrderNumber ?? 0)
  const slots = new Uint32Array(turnSlotsMax(delta))
  const turn = readClientTurn(
    bytes,
    delta,
    { nearReceived: near, nearInputTick: near, nearOrderNumber: nearOrder ?? somewhere },
    slots,
  )
  const { firstInputTick, inputCount, inputs, heldMs, firstOrderNumber, orders } = turn
  const rows = Array.from({ length: inputCount }, (_, index) => [
    ...inputs.subarray(index * delta.slotCount, (index + 1) * delta.slotCount),
  ])
  return {
    ...(inputCount === 0
      ? {}
      : { ...numberEntry('inputTick', firstInputTick, nearTick, 16), heldMs, inputs: rows }),
    ...(orders.length === 0
      ? {}
      : {
          ...numberEntry('orderNumber', firstOrderNumber, nearOrder, 16),
          orders: orders.map((order) => toHex(order)),
        }),
  }
}
