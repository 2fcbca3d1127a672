import { expect, test } from 'vitest'
import { streamPacketBytesMax } from '../wire/limits.ts'
import { PacketBatch } from './packet-batch.ts'

const packet = (size: number, value: number) => new Uint8Array(size).fill(value)

test('packets come back as they came, in their sequence, whatever becomes of the bytes lent', () => {
  const batch = new PacketBatch()
  const lent = packet(5, 1)
  expect(batch.add(7, lent, 10.5)).toBe(true)
  lent.fill(9)
  expect(batch.add(2 ** 40, packet(3, 2), 11)).toBe(true)
  expect(batch.count).toBe(2)
  expect([batch.linkOf(0), batch.atMsOf(0), batch.bytesOf(0)]).toEqual([7, 10.5, packet(5, 1)])
  expect([batch.linkOf(1), batch.atMsOf(1), batch.bytesOf(1)]).toEqual([2 ** 40, 11, packet(3, 2)])
})

test('after it was cleared, there is room again', () => {
  const batch = new PacketBatch()
  for (let round = 0; round < 3; round++) {
    let count = 0
    while (batch.add(count, packet(1, round), 0)) count += 1
    expect(count).toBe(4_096)
    expect(batch.bytesOf(4_095)).toEqual(packet(1, round))
    batch.clear()
    expect(batch.count).toBe(0)
  }
})

test('the largest packet always fits an empty one, and what does not fit is refused whole', () => {
  const batch = new PacketBatch()
  for (let index = 0; index < 4; index++) {
    expect(batch.add(index, packet(streamPacketBytesMax, index), 0)).toBe(true)
  }
  expect(batch.add(4, packet(1, 4), 0)).toBe(false)
  expect(batch.count).toBe(4)
  expect(batch.bytesOf(3)).toEqual(packet(streamPacketBytesMax, 3))
})
