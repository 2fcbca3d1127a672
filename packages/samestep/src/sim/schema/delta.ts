/**
 * Records as differences, for inputs: most ticks, most players hold what they held before.
 *
 *     1 bit    0: every field has its baseline, and that is all
 *     n bits   a mask, one bit per field, the first field lowest
 *     …        the fields whose bit is set, in sequence; a bool is the opposite of its baseline
 *
 * A record of a single field leaves out the first bit. The baseline of a held field is its value in
 * the previous record; that of a one-shot field is its default, so that a shot is fired once and
 * costs nothing in the ticks after. Both sides must have the same previous record: for inputs the
 * seat's previous sealed one, which nobody can have seen differently.
 */
import type { BitReader } from '../../base/bit-reader.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { Loose, Member, StructField } from './struct.ts'

/** Masks of records with more fields than bits in a word. Shared: nothing here calls itself. */
const maskWords: number[] = []

/** The most bits that one difference takes. */
export function deltaBitsMax<T extends object>(record: StructField<T>): number {
  const { members } = record
  const head = members.length > 1 ? 1 : 0
  return members.reduce((sum, { isBool, type }) => sum + 1 + (isBool ? 0 : type.bitsMax), head)
}

/** Appends what turns `previous` into `value`. Both must fit the record: they are trusted. */
export function writeDelta<T extends object>(
  out: BitWriter,
  record: StructField<T>,
  value: NoInfer<T>,
  previous: NoInfer<T>,
): void {
  const { members } = record
  const count = members.length
  const isChanged = findChanges(members, value as Loose, previous as Loose)
  if (count > 1) {
    out.bits(isChanged ? 1 : 0, 1)
    if (!isChanged) return
  }
  for (let first = 0; first < count; first += 32) {
    out.bits(maskWords[first >>> 5]!, Math.min(32, count - first))
  }
  for (let index = 0; index < count; index++) {
    if (((maskWords[index >>> 5]! >>> (index & 31)) & 1) === 0) continue
    const { name, type, isBool } = members[index]!
    // A changed bool has one possible value, which needs no bit.
    if (!isBool) type.write(out, (value as Loose)[name])
  }
}

/**
 * The record that {@link writeDelta} wrote against the same `previous`, which stays as it is. Held
 * lists and objects are shared with `previous`: treat records as read-only.
 */
export function readDelta<T extends object>(
  input: BitReader,
  record: StructField<T>,
  previous: NoInfer<T>,
): T {
  return readDeltaInto(input, record, previous, {} as T)
}

/**
 * As {@link readDelta}, into an object that is there: makes no garbage when all fields are scalars.
 * `target` may be `previous` itself; but when a `WireError` is thrown, `target` is half-written, so
 * keep two records and swap them where the bytes are a stranger's.
 */
export function readDeltaInto<T extends object>(
  input: BitReader,
  record: StructField<T>,
  previous: NoInfer<T>,
  target: NoInfer<T>,
): T {
  const { members } = record
  const count = members.length
  readMask(input, count)
  for (let index = 0; index < count; index++) {
    const member = members[index]!
    const baseline = baselineOf(member, previous as Loose)
    const isChanged = ((maskWords[index >>> 5]! >>> (index & 31)) & 1) === 1
    ;(target as Loose)[member.name] = isChanged ? readChanged(input, member, baseline) : baseline
  }
  return target
}

/**
 * The record of a seat whose input did not come and that holds on to its last one: held fields stay,
 * one-shot fields go back to their defaults. It costs one bit as a difference.
 */
export function heldInput<T extends object>(record: StructField<T>, previous: NoInfer<T>): T {
  return heldInputInto(record, previous, {} as T)
}

/** As {@link heldInput}, into an object that is there, which may be `previous` itself. */
export function heldInputInto<T extends object>(record: StructField<T>, previous: T, target: T): T {
  for (const member of record.members) {
    ;(target as Loose)[member.name] = baselineOf(member, previous as Loose)
  }
  return target
}

/** What a field is when a difference does not mention it. */
function baselineOf(member: Member, previous: Loose): unknown {
  if (!member.isOneShot) return previous[member.name]
  return member.initial === undefined ? member.type.makeDefault() : member.initial
}

/** Fills {@link maskWords} and says whether any bit is set. */
function findChanges(members: readonly Member[], value: Loose, previous: Loose): boolean {
  let any = 0
  let word = 0
  for (let index = 0; index < members.length; index++) {
    const member = members[index]!
    const now = value[member.name]
    const baseline = baselineOf(member, previous)
    const isSame = now === baseline || (!member.isExact && member.type.equals(now, baseline))
    if (!isSame) word |= 1 << (index & 31)
    if ((index & 31) === 31 || index === members.length - 1) {
      maskWords[index >>> 5] = word
      any |= word
      word = 0
    }
  }
  return any !== 0
}

/** Fills {@link maskWords} from the bits of a stranger. */
function readMask(input: BitReader, count: number): void {
  const isChanged = count <= 1 || input.bits(1) === 1
  let any = 0
  for (let first = 0; first < count; first += 32) {
    const word = isChanged ? input.bits(Math.min(32, count - first)) : 0
    maskWords[first >>> 5] = word
    any |= word
  }
  if (count > 1 && isChanged && any === 0) {
    throw input.fault('SS_WIRE_NOT_CANONICAL', 'Cannot read a difference that changes nothing')
  }
}

function readChanged(input: BitReader, { type, isBool }: Member, baseline: unknown): unknown {
  if (isBool) return !baseline
  const value: unknown = type.read(input)
  if (!type.equals(value, baseline)) return value
  throw input.fault(
    'SS_WIRE_NOT_CANONICAL',
    `Cannot read a difference: a ${type.kind} is marked as changed and is not`,
  )
}
