import { expect, test } from 'vitest'
import { StreamChannel } from '../link/stream/stream-channel.ts'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { Client } from './client.ts'
import { ClientPump } from './client-pump.ts'
import { makeRunning } from './run/make-running.ts'

const still = defineGame({
  id: 'still',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 1 },
  state: {},
  orders: {},
  setup() {},
  step() {},
})

/** A client with a pump that writes down what it was told, in sequence. */
function start(onEvent: (told: string, pump: ClientPump) => void = () => {}) {
  const client = new Client(
    still,
    { match: 'friday', name: 'ada' },
    makeRunning,
  ) as unknown as Client
  const told: string[] = []
  const note = (what: string) => {
    told.push(what)
    onEvent(what, pump)
  }
  const pump: ClientPump = new ClientPump(client, {
    handleWantLink: () => note('want-link'),
    handleDigest: () => note('digest'),
    handleEvent: ({ type }) => note(type),
    send: () => note('packet'),
  })
  return { client, pump, told }
}

test('a client is emptied of what it tells, then of what it sends', () => {
  const { client, pump, told } = start()
  client.handleTime(0)
  pump.flush()
  expect(told).toEqual(['want-link'])
  client.handleLinkOpened((nowMs) => new StreamChannel(nowMs), 0)
  pump.flush()
  pump.flush()
  expect(told).toEqual(['want-link', 'packet'])
  client.handleLinkClosed(10)
  client.leave(20)
  pump.flush()
  expect(told).toEqual(['want-link', 'packet', 'link-lost', 'closed'])
})

test('what a listener does inside of an event is sent once, behind the events', () => {
  const { client, pump, told } = start((what, inner) => {
    if (what !== 'want-link') return
    client.handleLinkOpened((nowMs) => new StreamChannel(nowMs), 0)
    inner.flush()
    told.push('listener is done')
  })
  client.handleTime(0)
  pump.flush()
  expect(told).toEqual(['want-link', 'listener is done', 'packet'])
})

test('a hook that throws leaves the pump usable', () => {
  let isBroken = true
  const { client, pump, told } = start(() => {
    if (isBroken) throw new Error('of a hook')
  })
  client.handleTime(0)
  expect(() => pump.flush()).toThrow('of a hook')
  isBroken = false
  client.handleLinkOpened((nowMs) => new StreamChannel(nowMs), 0)
  pump.flush()
  expect(told).toEqual(['want-link', 'packet'])
})
