import { expect, test } from 'vitest'
import { playTogether } from '../../src/driver/together/index.ts'
import { patient } from './patient-game.ts'

test('who gets the state of a match has its jobs and its sleepers, too', async () => {
  const world = await playTogether(patient, {
    players: 2,
    seats: 4,
    lobby: { start: 'by-owner', countdownMs: 0 },
    guard: false,
  })
  const [ada, ben] = world.matches
  ada?.act({ type: 'start' })
  await world.advanceUntil(() => world.matches.every(({ status }) => status === 'active'))
  // Some are always on their way, whenever the state is taken.
  const keepBusy = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 200) {
      ada?.order('mix', { row: (passed / 200) % 64, terms: [passed % 1_000, 7] })
      ben?.order('nap', { row: (passed / 100) % 64, ticks: 33 })
      await world.advance(200)
    }
  }
  await keepBusy(60_000)
  const joining = world.join()
  await keepBusy(1_000)
  const late = await joining
  // It came with the state: nobody runs two thousand ticks in a second that it has to fetch as well.
  expect(late.cursors.simulatedTick).toBeGreaterThan(0)
  const { digest } = late.simulation.view.all
  await keepBusy(6_000)
  expect(late.simulation.view.all.digest).not.toBe(digest)
  expect(late.simulation.view.mixes.waiting.length).toBeGreaterThan(0)
  world.expectInSync()
  world.close()
})
