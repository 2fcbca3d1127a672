import { WireError } from '../../src/base/errors.ts'
import type { AnyField } from '../../src/sim/schema/index.ts'
import {
  bool,
  bytes,
  decodeRecord,
  encodeRecord,
  f32,
  f64,
  fixedField,
  i8,
  i16,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from '../../src/sim/schema/index.ts'
import type { Digest } from './index.ts'

/** Values per type: enough to meet every branch, few enough for an engine that only interprets. */
const rounds = 200

/** Two FNV-1a hashes with different starts: 64 bits without BigInt. */
class Fnv {
  #low = 0x811c_9dc5
  #high = 0x1234_5679

  byte(value: number): void {
    this.#low = Math.imul(this.#low ^ value, 0x0100_0193)
    this.#high = Math.imul(this.#high ^ value, 0x0100_0193)
  }

  bytes(values: Uint8Array): void {
    for (const value of values) this.byte(value)
    this.byte(values.length & 0xff)
  }

  text(value: string): void {
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index)
      this.byte(unit & 0xff)
      this.byte(unit >>> 8)
    }
  }

  hex(): string {
    const word = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
    return word(this.#high) + word(this.#low)
  }
}

/** A small generator of its own, so that a fault in the library's cannot hide one here. */
class Source {
  #state = 0x2545_f491

  u32(): number {
    this.#state = (this.#state + 0x6d2b_79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }

  below(limit: number): number {
    return this.u32() % limit
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.u32() & 0xff)
  }

  number(): number {
    switch (this.below(8)) {
      case 0:
        return [0, -0, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY][
          this.below(5)
        ]!
      case 1:
        return (this.u32() - 0x8000_0000) / (1 + this.below(1000))
      case 2:
        return -this.u32() * 1e-320
      default:
        return (this.u32() / 7) * (this.below(2) === 0 ? 1e30 : -1e-30)
    }
  }
}

const alphabet = ['a', 'Z', '0', 'é', '€', '😀', '\u0000', '\uffff']
const makeText = (source: Source): string =>
  Array.from({ length: source.below(6) }, () => alphabet[source.below(alphabet.length)]!).join('')
const whole = (min: number, max: number) => (source: Source) => min + source.below(max - min + 1)
const words = ['idle', 'walk', 'attack', 'dead', 'fled'] as const

type Case = readonly [name: string, field: AnyField, make: (source: Source) => unknown]

const cases: readonly Case[] = [
  ['bool', bool, (source) => source.below(2) === 1],
  ['u8', u8, whole(0, 0xff)],
  ['u16', u16, whole(0, 0xffff)],
  ['u32', u32, (source) => source.u32()],
  ['i8', i8, whole(-0x80, 0x7f)],
  ['i16', i16, whole(-0x8000, 0x7fff)],
  ['i32', i32, (source) => source.u32() | 0],
  ['fixed', fixedField, (source) => source.u32() | 0],
  ['f32', f32, (source) => source.number()],
  ['f64', f64, (source) => source.number()],
  ['seat', seat, whole(0, 63)],
  ['ref', ref('units'), (source) => source.u32()],
  ['range', range(-77, 1000), whole(-77, 1000)],
  ['oneOf', oneOf(words), (source) => words[source.below(words.length)]],
  ['text', text(30), makeText],
  ['bytes', bytes(30), (source) => source.bytes(source.below(31))],
  [
    'list',
    list(f32, 7),
    (source) => Array.from({ length: source.below(8) }, () => source.number()),
  ],
  ['optional', optional(u16), (source) => (source.below(2) === 0 ? undefined : source.below(9))],
  [
    'map',
    map(text(24), f64, 5),
    (source) =>
      new Map(
        Array.from({ length: source.below(6) }, () => [makeText(source), source.number()] as const),
      ),
  ],
  [
    'set',
    set(i8, 9),
    (source) => new Set(Array.from({ length: source.below(10) }, () => source.below(128))),
  ],
]

const everything = struct(Object.fromEntries(cases.map(([name, field]) => [name, field])))

function makeEverything(source: Source): { [name: string]: unknown } {
  return Object.fromEntries(cases.map(([name, , make]) => [name, make(source)]))
}

/** Digests a read of bytes that are most likely wrong: the value, or how it was refused. */
function digestStranger(hash: Fnv, field: AnyField, source: Uint8Array): void {
  try {
    hash.text(JSON.stringify(field.toJson(decodeRecord(field, source))))
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    hash.text(`${error.code} ${error.offset}`)
  }
}

function digestField(field: AnyField, make: (source: Source) => unknown): string {
  const hash = new Fnv()
  const source = new Source()
  hash.text(JSON.stringify(field.describe()))
  for (let round = 0; round < rounds; round++) {
    const encoded = encodeRecord(field, make(source))
    const value: unknown = decodeRecord(field, encoded)
    hash.bytes(encoded)
    hash.bytes(encodeRecord(field, value))
    hash.text(JSON.stringify(field.toJson(value)))
    digestStranger(hash, field, source.bytes(source.below(16)))
    if (encoded.length > 0) encoded[source.below(encoded.length)]! ^= 1 << source.below(8)
    digestStranger(hash, field, encoded)
  }
  return hash.hex()
}

/** One digest per type, and one for a record of all of them. */
export function schemaDigests(): Digest[] {
  const digests = cases.map(([name, field, make]) => ({ name, digest: digestField(field, make) }))
  return [...digests, { name: 'struct', digest: digestField(everything, makeEverything) }]
}
