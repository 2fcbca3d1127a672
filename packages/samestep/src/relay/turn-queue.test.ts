import { expect, test } from 'vitest'
import { Session } from './session.ts'
import { SessionGuard } from './session-guard.ts'
import { TurnQueue } from './turn-queue.ts'

function sessionOf(member: number): Session {
  return new Session(new Uint8Array(16), 'ada', 0, member, new SessionGuard(0, 20, undefined, 0))
}

test('gives turns in the sequence of their arrival, with their times, whoever sent them', () => {
  const queue = new TurnQueue()
  const sessions = [0, 1, 2].map(sessionOf)
  let pushed = 0
  let taken = 0
  const take = () => {
    const session = queue.shift()
    if (session === undefined) return false
    expect([session.member, queue.atMs]).toEqual([taken % 3, taken * 1.5])
    expect([...queue.bytes]).toEqual(new Array(taken % 40).fill(taken & 255))
    taken += 1
    return true
  }
  for (let turn = 0; turn < 400; turn++) {
    for (let count = turn % 5; count > 0; count--) {
      const bytes = new Uint8Array(pushed % 40).fill(pushed & 255)
      if (!queue.push(sessions[pushed % 3]!, bytes, pushed * 1.5)) break
      pushed += 1
    }
    if (turn % 2 === 0) take()
    if (turn % 7 === 0) while (take());
    expect(queue.isEmpty).toBe(taken === pushed)
  }
  while (take());
  expect(taken).toBe(pushed)
  expect(pushed).toBeGreaterThan(200)
})

test('takes nothing that it has no room for, and has room again when it is empty', () => {
  const queue = new TurnQueue()
  const session = sessionOf(0)
  expect(queue.push(session, new Uint8Array(129), 0)).toBe(false)
  for (let round = 0; round < 3; round++) {
    let count = 0
    while (queue.push(session, new Uint8Array(100), 0)) count += 1
    expect(count).toBe(10)
    while (queue.shift() !== undefined) count -= 1
    expect(count).toBe(0)
    while (queue.push(session, new Uint8Array(1), 0)) count += 1
    expect(count).toBe(32)
    while (queue.shift() !== undefined);
  }
})

test('keeps nobody who was taken', () => {
  const queue = new TurnQueue()
  queue.push(sessionOf(0), new Uint8Array(3), 0)
  queue.shift()
  expect(queue.shift()).toBeUndefined()
})
