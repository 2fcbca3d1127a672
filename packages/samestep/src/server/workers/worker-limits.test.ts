import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { until } from '../../transport/testing/recorder.ts'
import type { RelayServer } from '../relay-server.ts'
import { startRelay } from '../start-relay.ts'
import { TestPlayer } from '../testing/player.ts'

let relay: RelayServer
const players: TestPlayer[] = []

beforeAll(async () => {
  // Workers run from the source here, as this test does.
  vi.stubEnv('NODE_OPTIONS', '--import tsx')
  relay = await startRelay({ port: 0, log: false, workers: 2, matchesPerAddress: 4 })
}, 30_000)

afterAll(async () => {
  for (const player of players) player.stop()
  await relay.close()
  vi.unstubAllEnvs()
})

/** Waits until there are so many matches in all, and every worker has heard of them. */
async function settled(total: number): Promise<void> {
  // What a worker answers comes after what it told before: the first answer brings news to the process
  // with the port, and the second one comes after every worker was told.
  for (const _ of ['news', 'told']) {
    const sum = async () => {
      const { workers } = await relay.status()
      return workers!.reduce((all, { matches }) => all + matches, 0)
    }
    await expect.poll(sum, { timeout: 20_000 }).toBe(total)
  }
}

async function make(name: string): Promise<TestPlayer> {
  const player = new TestPlayer(relay.url, { match: name, seats: 2 })
  players.push(player)
  await until(() => player.seat !== undefined || player.closed !== undefined, 'an answer')
  return player
}

test('an address makes as many matches as it may at all workers together', async () => {
  for (let made = 1; made <= 4; made++) {
    expect((await make(`match ${made}`)).seat).toBe(0)
    await settled(made)
  }
  // Whichever worker a name belongs to, it makes none any more.
  for (let at = 0; at < 6; at++) {
    const refused = await make(`one more ${at}`)
    expect(refused.closed?.message).toContain('as many matches as it may make: 4')
  }
  await settled(4)
  // One that is over gives its place back, at whichever worker.
  await relay.kick('match 1', 0)
  await settled(3)
  expect((await make('after all')).seat).toBe(0)
}, 60_000)
