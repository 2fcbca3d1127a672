import { BitReader } from '../../../base/bit-reader.ts'
import { BitWriter } from '../../../base/bit-writer.ts'
import { UsageError, WireError } from '../../../base/errors.ts'
import { orderBytesMax, orderKindsMax, orderRateMax } from '../../limits.ts'
import type { AnyField, Json, RecordOf } from '../../schema/field.ts'
import type { StructField } from '../../schema/index.ts'
import { struct } from '../../schema/index.ts'

/** Who may issue an order. */
export type OrderIssuer = (typeof orderIssuers)[number]

/** All values of {@link OrderIssuer}. */
export const orderIssuers = ['player', 'relay', 'spectator', 'everybody'] as const

/** The fields of one kind of order. */
export type OrderFields = { readonly [name: string]: AnyField }

/**
 * Who may issue an order, when, and how often. The relay enforces these rules without knowing the game, and
 * every simulation enforces them again, because a relay can be wrong or lie (ORD-08, ORD-09).
 */
export interface OrderRules {
  /**
   * `player` (the default), `spectator`, `everybody` for both, or `relay` for only the program that runs
   * the relay. The `seat` of an order that was not issued by a player is below 0: see {@link spectatorOf}.
   */
  readonly by?: OrderIssuer
  /**
   * The maximum size in bytes, if it is smaller than the fields allow; larger orders are refused before
   * they are sent.
   */
  readonly maxBytes?: number
  /**
   * Whether the order also runs while the match is paused; needs an `apply`. Other orders are held until
   * the pause ends, up to 32 per seat.
   */
  readonly whenPaused?: boolean
  /**
   * The maximum number of these orders that run per seat and tick; further ones are queued. All spectators
   * together count as one seat.
   */
  readonly maxPerTick?: number
  /**
   * The maximum number per seat and second, on average. By default only the limit for all orders applies.
   */
  readonly perSecond?: number
  /** The maximum burst with {@link perSecond}. Defaults to twice that number. */
  readonly burst?: number
  /**
   * A name of your choice by which a match forbids groups of orders, or lets them run in a pause: see the
   * option `orders` of `joinMatch`.
   */
  readonly class?: string
}

/** The rules that a match sets for one kind of order. */
export interface KindPolicy {
  /** Whether the match forbids it. */
  readonly isForbidden: boolean
  /** Whether it runs while the match is paused. */
  readonly runsPaused: boolean
}

/** An order with its own rules, made by {@link order}. */
export interface OrderDeclaration<F extends OrderFields = OrderFields> {
  readonly isOrder: true
  readonly fields: F
  readonly rules: OrderRules
}

/** The orders of a game: fields alone, or {@link order} where rules are needed. */
export type OrderDeclarations = { readonly [name: string]: OrderFields | OrderDeclaration }

/** The fields of an order, however it was declared. */
export type FieldsOfOrder<D> =
  D extends OrderDeclaration<infer F> ? F : D extends OrderFields ? D : never

/** The data of an order, by its name. */
export type OrderData<O extends OrderDeclarations, K extends keyof O> = RecordOf<
  FieldsOfOrder<O[K]>
>

/** One order as `validate`, `apply` and `step` see it. */
export type OrderOf<O extends OrderDeclarations> = {
  readonly [K in keyof O & string]: {
    readonly type: K
    readonly seat: number
    readonly data: OrderData<O, K>
  }
}[keyof O & string]

/**
 * Declares an order together with its rules.
 *
 * @example
 * ```ts
 * orders: {
 *   move: { units: list(ref('units'), 200), x: fixed, y: fixed },
 *   resign: order({}, { whenPaused: true, maxPerTick: 1 }),
 * }
 * ```
 */
export function order<const F extends OrderFields>(
  fields: F,
  rules: OrderRules,
): OrderDeclaration<F> {
  return { isOrder: true, fields, rules }
}

/** The default of {@link OrderRules.maxPerTick}: more than a player can issue, few enough to run. */
const ordersPerTickDefault = 32

/** The largest cap per tick: as many as one bundle holds. */
const orderCapMax = 127

/** One kind of order, ready for use. */
export interface OrderType {
  readonly name: string
  readonly index: number
  readonly codec: StructField<object>
  readonly by: OrderIssuer
  /** The maximum size in bytes. */
  readonly bytesMax: number
  readonly whenPaused: boolean
  readonly maxPerTick: number
  /** 0 for no limit of its own. */
  readonly perSecond: number
  readonly burst: number
  readonly class: string
}

/** Turns orders into bytes and back. An order is its kind's number and its fields, bit-packed. */
export class OrderCodec {
  readonly types: readonly OrderType[]
  readonly #byName: ReadonlyMap<string, OrderType>
  readonly #kindBits: number
  readonly #writer = new BitWriter()
  readonly #reader = new BitReader()

  constructor(declarations: OrderDeclarations) {
    const entries = Object.entries(declarations)
    if (entries.length > orderKindsMax) {
      throw new UsageError(
        'SS_BAD_DEFINITION',
        `Cannot declare ${entries.length} orders: a game has at most ${orderKindsMax}`,
      )
    }
    const kindBits = 32 - Math.clz32(Math.max(entries.length - 1, 0))
    this.#kindBits = kindBits
    this.types = entries.map(([name, declaration], index) =>
      makeOrderType(name, index, declaration, kindBits),
    )
    this.#byName = new Map(this.types.map((type) => [type.name, type]))
  }

  /** The kind of an order, by its first bits; `undefined` if there is no such kind. */
  typeOf(bytes: Uint8Array): OrderType | undefined {
    if (bytes.length === 0) return this.#kindBits === 0 ? this.types[0] : undefined
    return this.types[(bytes[0] as number) & ((1 << this.#kindBits) - 1)]
  }

  /**
   * The bytes of one order.
   *
   * @throws UsageError `SS_BAD_ORDER` for an unknown name, `SS_BAD_VALUE` for data that does not fit.
   */
  encode(name: string, data: unknown): Uint8Array {
    const type = this.#byName.get(name)
    if (type === undefined) {
      const known = this.types.map((other) => other.name).join(', ') || 'none'
      throw new UsageError('SS_BAD_ORDER', `Cannot issue order '${name}': the orders are ${known}`)
    }
    const codec: StructField<object> = type.codec
    codec.check(data, name)
    const bytes = this.#write(type, data)
    if (bytes.byteLength <= type.bytesMax) return bytes
    throw new UsageError(
      'SS_BAD_VALUE',
      `Cannot issue order '${name}' of ${bytes.byteLength} bytes: the limit is ${type.bytesMax}`,
    )
  }

  /** Whether valid data for a kind, such as random test data, keeps within its `maxBytes`. */
  fits(type: OrderType, data: unknown): boolean {
    return this.#write(type, data).byteLength <= type.bytesMax
  }

  #write(type: OrderType, data: unknown): Uint8Array {
    const codec: StructField<object> = type.codec
    this.#writer.reset()
    this.#writer.bits(type.index, this.#kindBits)
    codec.write(this.#writer, data as object)
    return this.#writer.finish()
  }

  /** @throws WireError for anything but the canonical bytes of one declared order. */
  decode(bytes: Uint8Array): { readonly type: OrderType; readonly data: unknown } {
    if (bytes.byteLength > orderBytesMax) {
      throw new WireError(
        'SS_WIRE_TOO_LARGE',
        0,
        `An order has ${bytes.byteLength} bytes; the limit is ${orderBytesMax}`,
      )
    }
    const reader = this.#reader
    reader.reset(bytes)
    const index = reader.bits(this.#kindBits)
    const type = this.types[index]
    if (type === undefined) {
      throw new WireError(
        'SS_WIRE_UNKNOWN',
        0,
        `Order kind ${index} is not declared: there are ${this.types.length}`,
      )
    }
    if (bytes.byteLength > type.bytesMax) {
      throw reader.fault('SS_WIRE_TOO_LARGE', `Order '${type.name}' is too large`)
    }
    const data = type.codec.read(reader)
    reader.end()
    return { type, data }
  }

  describe(): Json {
    return this.types.map((type) => {
      const { name, codec, by, whenPaused, maxPerTick, class: group, bytesMax } = type
      const own = bytesMax < bytesMaxOf(codec, this.#kindBits) ? { maxBytes: bytesMax } : {}
      return [name, { fields: codec.describe(), by, whenPaused, maxPerTick, class: group, ...own }]
    })
  }
}

/** The maximum size of the fields, with the bits for the kind. */
function bytesMaxOf(codec: StructField<object>, kindBits: number): number {
  return Math.ceil((kindBits + codec.bitsMax) / 8)
}

/** The maximum size of one kind: what its fields can take, or less if its rules say so. */
function orderBytesMaxOf(
  name: string,
  codec: StructField<object>,
  kindBits: number,
  maxBytes: number | undefined,
): number {
  const bytesMax = bytesMaxOf(codec, kindBits)
  if (maxBytes !== undefined && !(Number.isInteger(maxBytes) && maxBytes >= 1)) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot allow order '${name}' ${maxBytes} bytes: write a whole number from 1 to ${orderBytesMax}`,
    )
  }
  const least = Math.min(bytesMax, maxBytes ?? bytesMax)
  if (least <= orderBytesMax) return least
  throw new UsageError(
    'SS_BAD_DEFINITION',
    `Cannot declare order '${name}' of up to ${bytesMax} bytes: an order must fit in ${orderBytesMax}; shorten its lists, give it maxBytes, or send it in pieces`,
  )
}

function makeOrderType(
  name: string,
  index: number,
  declaration: OrderFields | OrderDeclaration,
  kindBits: number,
): OrderType {
  const { fields, rules } = isDeclaration(declaration)
    ? declaration
    : { fields: declaration, rules: {} as OrderRules }
  const { by = 'player', whenPaused = false, maxPerTick = ordersPerTickDefault } = rules
  if (!orderIssuers.includes(by)) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot let '${String(by)}' issue order '${name}': write by: ${orderIssuers.map((each) => `'${each}'`).join(' or ')}`,
    )
  }
  if (!Number.isInteger(maxPerTick) || maxPerTick < 1 || maxPerTick > orderCapMax) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot allow ${maxPerTick} orders '${name}' per tick: write a whole number from 1 to ${orderCapMax}`,
    )
  }
  const { perSecond = 0, burst = 2 * perSecond } = rules
  if (!isRate(perSecond, 0) || !isRate(burst, perSecond === 0 ? 0 : 1)) {
    throw new UsageError(
      'SS_BAD_DEFINITION',
      `Cannot allow ${perSecond} orders '${name}' per second and ${burst} at once: write whole numbers up to ${orderRateMax}`,
    )
  }
  const codec = struct(fields) as StructField<object>
  return {
    name,
    index,
    codec,
    by,
    bytesMax: orderBytesMaxOf(name, codec, kindBits, rules.maxBytes),
    whenPaused,
    maxPerTick,
    perSecond,
    burst,
    class: rules.class ?? '',
  }
}

function isRate(value: number, min: number): boolean {
  return Number.isInteger(value) && value >= min && value <= orderRateMax
}

function isDeclaration(
  declaration: OrderFields | OrderDeclaration,
): declaration is OrderDeclaration {
  return declaration.isOrder === true
}
