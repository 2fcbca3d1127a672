import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inviteTo, nextName, readLink } from './link.ts'

test('an address without anything is a match of two', () => {
  expect(readLink('http://localhost:7777/')).toMatchObject({
    match: 'dots-for-2',
    seats: 2,
    transport: 'websocket',
    conditions: '',
    isInWorker: false,
    debugLevel: 0,
    desync: 'warn',
  })
})

test('an address says the match, the seats, the transport, the name and who plays', () => {
  const href =
    'http://h/?seats=3&transport=webrtc&name=Ada&conditions=wifi&worker&debug=2&desync=resync#match=friday%20night'
  expect(readLink(href)).toEqual({
    match: 'friday night',
    seats: 3,
    role: 'player',
    transport: 'webrtc',
    name: 'Ada',
    conditions: 'wifi',
    isInWorker: true,
    debugLevel: 2,
    desync: 'resync',
  })
})

test.each(['x', '-1', '0', '99', '2.5', ''])('seats=%s is no way to break the page', (seats) => {
  const link = readLink(`http://h/?seats=${seats}`)
  expect(link.seats).toBeGreaterThanOrEqual(1)
  expect(link.seats).toBeLessThanOrEqual(8)
  expect(Number.isInteger(link.seats)).toBe(true)
})

test('an invitation names the match, and not who invites or how bad their line is', () => {
  const own = 'http://h/?seats=3&name=Ada&conditions=awful&transport=webrtc'
  const href = inviteTo('friday night', own)
  expect(href).not.toMatch(/Ada|awful/)
  expect(readLink(href)).toMatchObject({ match: 'friday night', seats: 3, transport: 'webrtc' })
})

test('the next match of a name is another one every time', () => {
  expect(nextName('friday')).toBe('friday.2')
  expect(nextName('friday.2')).toBe('friday.3')
  expect(nextName('v1.9')).toBe('v1.10')
})

test('the game is small, and uses nothing but the public API', () => {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
  const lines = ['game.ts', 'main.ts'].flatMap((name) => read(name).trimEnd().split('\n'))
  expect(lines.length).toBeLessThanOrEqual(200)
  const sources = readdirSync(import.meta.dirname).filter((name) => /(?<!\.test)\.ts$/.test(name))
  expect(sources).toContain('main.ts')
  for (const name of sources) {
    for (const [, from] of read(name).matchAll(/from '([^']+)'/g)) {
      expect(from).toMatch(/^(?:samestep(?:\/\w+)?|\.\/[\w-]+\.ts)$/)
    }
  }
})
