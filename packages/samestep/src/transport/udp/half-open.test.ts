import { expect, test } from 'vitest'
import { HalfOpenTable } from './half-open.ts'
import { halfOpenMax, handshakeMs } from './limits.ts'
import { clientAddress } from './testing/udp-world.ts'

const here = clientAddress(1)

test('T-04 unfinished handshakes are bounded in all', () => {
  const table = new HalfOpenTable()
  const state = { name: 'failed' } as const
  const add = (index: number) =>
    table.add(
      { key: `${index}`, group: `${index >> 4}`, from: here, sessionId: index, state },
      index,
    )
  for (let index = 0; index < halfOpenMax; index++) {
    expect(table.refusal(`${index >> 4}`)).toBeUndefined()
    add(index)
  }
  expect(table.refusal('another')).toBe('half-open')
  table.finish(table.get('17')!)
  table.finish(table.get('17')!)
  expect(table.refusal('another')).toBeUndefined()
  expect([table.count, table.size]).toEqual([halfOpenMax - 1, halfOpenMax])
  expect(table.refusal('0')).toBe('group')
  const expired: number[] = []
  table.expire(handshakeMs + 16, ({ sessionId }) => expired.push(sessionId))
  expect(expired).toEqual(Array.from({ length: 17 }, (_, index) => index))
  expect(table.wakeAtMs()).toBe(handshakeMs + 17)
  table.expire(handshakeMs + halfOpenMax, () => {})
  expect([table.count, table.size, table.wakeAtMs()]).toEqual([0, 0, Number.POSITIVE_INFINITY])
  expect(table.getBySession(17)).toBeUndefined()
})
