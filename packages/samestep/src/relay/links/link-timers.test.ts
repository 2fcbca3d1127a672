import { expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import type { Link } from './link-state.ts'
import { handshakeMsMax, makeLink } from './link-state.ts'
import { LinkTimers } from './link-timers.ts'

function linkUntil(serial: number, untilMs: number): Link {
  return makeLink(serial, serial, new StreamChannel(0), untilMs - handshakeMsMax)
}

test('links that are due together come in the sequence in which they were opened', () => {
  const timers = new LinkTimers()
  const links = [linkUntil(2, 10), linkUntil(0, 30), linkUntil(1, 20), linkUntil(3, 99)]
  for (const link of links) timers.schedule(link)
  expect(timers.soonestMs()).toBe(10)
  expect(timers.takeDue(9)).toEqual([])
  expect(timers.takeDue(30).map(({ serial }) => serial)).toEqual([0, 1, 2])
  expect(timers.soonestMs()).toBe(99)
})

test('a link that was due is without a deadline until it is scheduled again', () => {
  const timers = new LinkTimers()
  const link = linkUntil(0, 10)
  timers.schedule(link)
  expect(timers.takeDue(10)).toEqual([link])
  expect(timers.takeDue(10)).toEqual([])
  timers.schedule(link)
  expect(timers.takeDue(10)).toEqual([link])
})

test('a link that is gone is never due, and cannot come back', () => {
  const timers = new LinkTimers()
  const link = linkUntil(0, 10)
  timers.schedule(link)
  link.isOpen = false
  timers.forget(link)
  link.state = { name: 'ending', code: 1, untilMs: 5 }
  timers.schedule(link)
  expect(timers.soonestMs()).toBe(Number.POSITIVE_INFINITY)
})
