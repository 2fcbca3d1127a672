/**
 * Golden bytes: what a record looked like when the format was fixed. Other implementations can be
 * checked against the same file; a change here is a change of the format, and breaks replays.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord } from './index.ts'
import { type SchemaVector, schemaCases } from './testing/vector-cases.ts'

const file = new URL('../../../test/vectors/schema.json', import.meta.url)
const { records } = JSON.parse(readFileSync(file, 'utf8')) as {
  readonly records: readonly SchemaVector[]
}

const hexOf = (it: Uint8Array): string => Buffer.from(it).toString('hex')
const bytesOf = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'))

test.each(records)('$name $value is $hex', ({ name, type, value, hex }) => {
  const field = schemaCases.find((it) => it.name === name)!.field
  expect(field.describe()).toStrictEqual(type)
  expect(hexOf(encodeRecord(field, field.fromJson(value, name)))).toBe(hex)
  expect(field.toJson(decodeRecord(field, bytesOf(hex)))).toStrictEqual(value)
})

test('every case has golden bytes, in the sequence of the cases', () => {
  const cases = schemaCases.flatMap(({ name, values }) => values.map((value) => ({ name, value })))
  expect(records.map(({ name, value }) => ({ name, value }))).toEqual(cases)
})
