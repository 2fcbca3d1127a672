/**
 * Golden bytes. Other implementations can be checked against the same file. A change of a line here is a
 * change of the protocol; `docs/protocol.md` says under "Versions" when it needs another name.
 */
import { describe, expect, test } from 'vitest'
import { fromHex, toHex } from '../sim/hash/hex.ts'
import { messageTypes } from './messages/messages.ts'
import { wireCases } from './testing/vector-cases.ts'
import { readVectors } from './testing/vector-file.ts'
import {
  decodeBundlesVector,
  decodeBundleVector,
  decodeDeltaVector,
  decodeMessageVector,
  decodeTurnVector,
  encodeBundlesVector,
  encodeBundleVector,
  encodeDeltaVector,
  encodeMessageVector,
  encodeTurnVector,
  type MessageVector,
} from './testing/vectors.ts'

const vectors = readVectors()

test.each(vectors.messages)('$message: $title', ({ title, message, body, hex }) => {
  expect(toHex(encodeMessageVector({ title, message, body }))).toBe(hex)
  expect(decodeMessageVector(fromHex(hex))).toEqual({ message, body })
})

test.each(vectors.deltas)('an input changes: $title', ({ hex, ...vector }) => {
  expect(toHex(encodeDeltaVector(vector))).toBe(hex)
  expect(decodeDeltaVector(vector, fromHex(hex))).toEqual(vector.slots)
})

test.each(vectors.bundles)('a bundle: $title', ({ hex, ...vector }) => {
  expect(toHex(encodeBundleVector(vector))).toBe(hex)
  const { inputs, missing, orders, events } = vector
  expect(decodeBundleVector(vector, fromHex(hex))).toEqual({ inputs, missing, orders, events })
})

test.each(vectors.relayBundles)('RelayBundles: $title', ({ hex, ...vector }) => {
  expect(toHex(encodeBundlesVector(vector))).toBe(hex)
  const { firstTick, control, part, bundles } = vector
  const [whole = ''] = bundles
  expect(decodeBundlesVector(fromHex(hex), vector.nearTick)).toEqual({
    firstTick,
    control,
    bundles: part === null ? bundles : [whole.slice(2 * part.start, 2 * part.end)],
    part: part === null ? null : { totalBytes: whole.length / 2, start: part.start },
  })
})

test.each(vectors.clientTurns)('ClientTurn: $title', ({ hex, ...vector }) => {
  expect(toHex(encodeTurnVector(vector))).toBe(hex)
  const { title: _title, layout: _layout, near: _near, ...turn } = vector
  expect(decodeTurnVector(vector, fromHex(hex))).toEqual(turn)
})

test('every message and every case has its vector', () => {
  const names = new Set(vectors.messages.map(({ message }) => message))
  expect([...names].sort()).toEqual(Object.keys(messageTypes).sort())
  for (const [group, cases] of Object.entries(wireCases)) {
    const found = vectors[group as keyof typeof vectors].map(({ title }) => title)
    expect(found).toEqual(cases.map(({ title }) => title))
  }
})

/**
 * These two are read before both sides agreed on a protocol. A relay of the year 2040 must understand
 * the hello of today's client well enough to say why it refuses it, and today's client must understand
 * the refusal. If this test fails, undo the change that made it fail: there is no version to raise.
 */
describe('ClientHello and RelayRefuse are frozen for ever', () => {
  const frozen = [
    [
      'a hello of the first protocol',
      '0153535450a1cc85b595cdd195c1bdc410646f747301000000204080c0004181c1014282c2024383c3034484c4044585c5054686c6064787c707',
    ],
    [
      'a hello of somebody who speaks more',
      '0153535450a2cc85b595cdd195c1bde42873616d65737465702f31c899dcb0edf06799dcffffff3f00',
    ],
    [
      'a refusal',
      '02875d99dc5cda9b1b7316d656066257263797f6e6168809c8dc0c85b9b9bdd181b095d181e4bdd581a4b9e980e4bdd5c9819c85b59581d895c9cda5bdb981a4cd81c4ec80a4d181b4d5cdd181889581c800',
    ],
    ['a refusal without words', '020000000000'],
  ] as const

  test.each(frozen)('the bytes of %s may never change', (title, hex) => {
    const vector = vectors.messages.find((it) => it.title === title)
    expect(vector?.hex).toBe(hex)
    expect(toHex(encodeMessageVector(vector as MessageVector))).toBe(hex)
  })

  test('nor may their fields: neither their types nor their limits', () => {
    expect(messageTypes.ClientHello.number).toBe(1)
    expect(messageTypes.ClientHello.fields.describe()).toEqual({
      kind: 'struct',
      fields: [
        ['magic', { kind: 'u32' }],
        ['protocols', { kind: 'list', max: 8, item: { kind: 'text', max: 32 } }],
        ['gameId', { kind: 'text', max: 63 }],
        ['gameVersion', { kind: 'u32' }],
        ['fingerprint', { kind: 'bytes', max: 32 }],
      ],
    })
    expect(messageTypes.RelayRefuse.number).toBe(2)
    expect(messageTypes.RelayRefuse.fields.describe()).toEqual({
      kind: 'struct',
      fields: [
        ['reason', { kind: 'text', max: 32 }],
        ['item', { kind: 'text', max: 32 }],
        ['theirs', { kind: 'text', max: 80 }],
        ['ours', { kind: 'text', max: 80 }],
        ['message', { kind: 'text', max: 200 }],
      ],
    })
  })

  test('a hello begins with its number and SSTP', () => {
    expect(toHex(new Uint8Array([1, ...new TextEncoder().encode('SSTP')]))).toBe(
      frozen[0][1].slice(0, 10),
    )
  })
})
