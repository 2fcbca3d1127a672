import { describe, expect, test } from 'vitest'
import { ClientWorld } from '../testing/client-world.ts'

test('a client says what it wants to be woken for', () => {
  const world = new ClientWorld()
  const { client } = world
  expect(client.wakeReason()).toBe('retry')
  world.enterLobby()
  // Once per second it says that it is here; silence is given five.
  expect(client.wakeReason()).toBe('here')
  world.breakLink()
  expect(client.wakeReason()).toBe('retry')
})

test('asking for the time or for the reason changes neither', () => {
  const world = new ClientWorld().enterLobby()
  const { client } = world
  const [atMs, reason] = [client.wakeAtMs(), client.wakeReason()]
  for (let count = 0; count < 3; count++) {
    expect([client.wakeAtMs(), client.wakeReason()]).toEqual([atMs, reason])
  }
})

describe('a client that is asked everything, over and over, plays on as one that is not', () => {
  test.each(['lobby', 'match'] as const)('in a %s', (where) => {
    const play = (ask: (client: ClientWorld['client'], nowMs: number) => void) => {
      const world = where === 'lobby' ? new ClientWorld().enterLobby() : new ClientWorld().sit()
      const trail: unknown[] = []
      for (let round = 0; round < 40; round++) {
        ask(world.client, world.nowMs + 300)
        world.wait(33)
        if (where === 'match' && round % 7 !== 3) world.tick()
        world.settle()
        ask(world.client, world.nowMs + 2_000)
        const { cursors, statistics, status } = world.client
        trail.push([cursors, statistics, status, world.client.wakeAtMs()])
      }
      return trail
    }
    expect(play(askEverything)).toEqual(play(() => {}))
  })
})

/** Every getter and every question of a client and of its pacer. */
function askEverything(client: ClientWorld['client'], nowMs: number): void {
  for (const machine of [
    client,
    client.running?.pacer,
    client.running?.pacer.load,
    client.running?.pacer.arrivals,
  ]) {
    if (machine === undefined) continue
    const names = Object.entries(Object.getOwnPropertyDescriptors(Object.getPrototypeOf(machine)))
    for (const [name, { get }] of names) if (get !== undefined) Reflect.get(machine, name)
  }
  client.playState(nowMs)
  client.wakeAtMs()
  client.wakeReason()
  client.running?.pacer.wakeAtMs()
}
