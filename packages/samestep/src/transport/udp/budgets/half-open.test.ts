import { expect, test } from 'vitest'
import { handshakeMs } from '../limits.ts'
import { clientAddress } from '../testing/udp-world.ts'
import { HalfOpenTable } from './half-open.ts'

const here = clientAddress(1)

test('a handshake that is not finished in time frees its place, a finished one keeps it', () => {
  const table = new HalfOpenTable()
  const left: number[] = []
  for (let index = 0; index < 40; index++) {
    const leave = () => left.push(index)
    const state = { name: 'failed' } as const
    table.add({ key: `${index}`, from: here, sessionId: index, leave, state }, index)
  }
  table.finish(table.get('7')!)
  table.finish(table.get('7')!)
  expect([table.count, table.size, left]).toEqual([39, 40, []])
  const expired: number[] = []
  table.expire(handshakeMs + 16, ({ sessionId }) => expired.push(sessionId))
  const first = Array.from({ length: 17 }, (_, index) => index)
  expect(expired).toEqual(first)
  expect(left).toEqual(first.filter((index) => index !== 7))
  expect(table.wakeAtMs()).toBe(handshakeMs + 17)
  table.expire(handshakeMs + 40, () => {})
  expect([table.count, table.size, table.wakeAtMs()]).toEqual([0, 0, Number.POSITIVE_INFINITY])
  expect(table.getBySession(17)).toBeUndefined()
})
