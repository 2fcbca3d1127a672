import { expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { strangersMax } from '../../wire/limits.ts'
import type { Link } from './link-state.ts'
import { LinkTable } from './link-table.ts'

function open(table: LinkTable, id: number): Link | undefined {
  return table.open(id, (nowMs) => new StreamChannel(nowMs), `10.0.0.${id}`, 0)
}

test('a link is found by its number until it is forgotten, with its address', () => {
  const table = new LinkTable()
  const link = open(table, 7)!
  expect([table.get(7), table.size, link.address]).toEqual([link, 1, '10.0.0.7'])
  table.forget(link)
  expect([table.get(7), table.size, link.isOpen]).toEqual([undefined, 0, false])
  expect(table.timers.soonestMs()).toBe(Number.POSITIVE_INFINITY)
})

test('strangers are counted until they are let in, sent away, or gone: each once', () => {
  const table = new LinkTable()
  const links = Array.from({ length: strangersMax }, (_, id) => open(table, id)!)
  expect(open(table, -1)).toBeUndefined()
  const ending = { name: 'ending', code: 1, untilMs: 9 } as const
  table.settle(links[0]!, ending)
  expect(open(table, strangersMax)).toBeDefined()
  expect(open(table, -1)).toBeUndefined()
  // It counted when it was sent away.
  table.forget(links[0]!)
  expect(open(table, -1)).toBeUndefined()
  table.forget(links[1]!)
  expect(open(table, strangersMax + 1)).toBeDefined()
  expect(open(table, -1)).toBeUndefined()
})

test('REL-16 what went over links that are gone still counts, once', () => {
  const table = new LinkTable()
  const [one, other] = [open(table, 1)!, open(table, 2)!]
  one.channel.sendControl(Uint8Array.of(1, 2, 3), 0)
  one.channel.pollPacket()
  other.channel.handlePacket(Uint8Array.of(0x80, 1), 0)
  const sums = () => [table.lanes.control.bytesSent, table.lanes.tick.bytesReceived]
  expect(sums()).toEqual([3, 2])
  table.forget(one)
  expect(sums()).toEqual([3, 2])
  table.forget(other)
  expect(sums()).toEqual([3, 2])
})
