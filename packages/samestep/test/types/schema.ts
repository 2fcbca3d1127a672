import type { RecordOf, ValueOf } from '../../src/sim/schema/index.ts'
import {
  bool,
  bytes,
  encodeRecord,
  type f64,
  fixedField,
  i16,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  set,
  struct,
  text,
  u8,
  u16,
} from '../../src/sim/schema/index.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only for `true`. */
function yes<T extends true>(): T | undefined {
  return undefined
}

const stance = oneOf(['idle', 'walk', 'dead'])
const unit = struct({
  x: fixedField,
  hp: range(0, 100).default(100),
  stance,
  tag: optional(u8),
  targets: list(ref('units'), 8),
  name: text(20).since(2).was('title'),
  raw: bytes(4),
  gold: map(text(8), u16, 4),
  seen: set(u8, 4),
  inner: struct({ hot: bool.oneShot() }),
  old: i16.until(3),
})
type Unit = ValueOf<typeof unit>

// What a declaration infers.
yes<Equal<ValueOf<typeof bool>, boolean>>()
yes<Equal<ValueOf<typeof fixedField>, number>>()
yes<Equal<ValueOf<typeof f64>, number>>()
yes<Equal<ValueOf<typeof stance>, 'idle' | 'walk' | 'dead'>>()
yes<
  Equal<
    Unit,
    {
      x: number
      hp: number
      stance: 'idle' | 'walk' | 'dead'
      tag: number | undefined
      targets: number[]
      name: string
      raw: Uint8Array
      gold: Map<string, number>
      seen: Set<number>
      inner: { hot: boolean }
    }
  >
>()
const simple = struct({ x: fixedField, tag: optional(u8) })
yes<Equal<ValueOf<typeof simple>, { x: number; tag: number | undefined }>>()
const fields = { up: bool, aim: i16, gone: u8.since(1).until(2) }
yes<Equal<RecordOf<typeof fields>, { up: boolean; aim: number }>>()

// Modifiers keep the kind, so that its own members stay in reach.
yes<Equal<ValueOf<ReturnType<typeof stance.oneShot>>, 'idle' | 'walk' | 'dead'>>()
yes<Equal<typeof stance.values, readonly ('idle' | 'walk' | 'dead')[]>>()
stance.default('walk').indexOf('dead')
ref('units').since(2).table.length

// Mistakes that do not compile.
const good: ValueOf<typeof simple> = { x: 1, tag: undefined }
encodeRecord(simple, good)
// @ts-expect-error: a name that is not declared.
encodeRecord(simple, { x: 1, tag: 2, y: 3 })
// @ts-expect-error: a name that is missing.
encodeRecord(simple, { tag: 2 })
// @ts-expect-error: a text where a number is declared.
encodeRecord(simple, { x: '1', tag: 2 })
// @ts-expect-error: null is not undefined.
encodeRecord(simple, { x: 1, tag: null })
// @ts-expect-error: a word that is not in the list.
encodeRecord(stance, 'fly')
// @ts-expect-error: a default of another type.
bool.default(1)
// @ts-expect-error: a default that is none of the words.
stance.default('fly')
// @ts-expect-error: a word that is not in the list has no place.
stance.indexOf('fly')
// @ts-expect-error: items of a list have one type.
encodeRecord(list(u8, 3), [1, 'two'])
// @ts-expect-error: a list needs a maximum.
list(u8)
// @ts-expect-error: a map needs a maximum.
map(u8, u8)
// @ts-expect-error: a text needs a maximum.
text()
// @ts-expect-error: a field is a type, not a value.
struct({ x: 5 })
// @ts-expect-error: words are texts.
oneOf([1, 2])
// @ts-expect-error: keys of another type.
encodeRecord(map(u8, bool, 3), new Map([['a', true]]))
// @ts-expect-error: a retired field has no value.
encodeRecord(struct(fields), { up: true, aim: 1, gone: 3 })

/** After a check, the compiler knows the type. */
export function narrow(value: unknown): number {
  const checked: { check(value: unknown, path: string): asserts value is Unit } = unit
  checked.check(value, 'unit')
  return value.targets.length
}
