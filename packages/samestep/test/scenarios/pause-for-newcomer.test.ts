import { expect, test } from 'vitest'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { u32 } from '../../src/sim/schema/index.ts'
import { single } from '../../src/sim/state/single.ts'
import { isComing } from '../../src/wire/codes.ts'

const counter = defineGame({
  id: 'counter',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 3 },
  state: { one: single({ ticks: u32 }) },
  step({ state }) {
    state.one.ticks += 1
  },
})

/** What docs/rejoin.md shows: the owner's client pauses while a player is on the way. */
test('JOIN-12 a match goes on while somebody joins, unless its owner has its client pause', async () => {
  for (const isPausing of [false, true]) {
    const world = await playTogether(counter, {
      players: 2,
      seats: 3,
      seed: 1,
      lobby: { start: 'by-owner' },
    })
    const [owner] = world.matches
    await world.advance(200)
    for (const match of world.matches) {
      match.act({ type: 'set-ready', isReady: true, optionsRevision: match.room!.optionsRevision })
    }
    await world.advance(200)
    owner!.act({ type: 'start' })
    await world.advanceUntil(() => owner!.room?.phase === 'running')
    // Longer than the relay lets newcomers run everything from the beginning.
    await world.advance(15_000)
    let isPaused = false
    if (isPausing) {
      owner!.on('room', ({ members }) => {
        const isWanted = members.some(
          ({ role, presence }) => role === 'player' && isComing(presence),
        )
        if (isWanted !== isPaused) owner!.act({ type: isWanted ? 'pause' : 'resume' })
        isPaused = isWanted
      })
    }
    const before = owner!.simulation.tick
    const joining = world.join()
    await world.advance(4_000)
    const newcomer = await joining
    expect(newcomer.playState().name).toBe('active')
    const ran = owner!.simulation.tick - before
    if (isPausing) expect(ran).toBeLessThanOrEqual(72)
    else expect(ran).toBeGreaterThanOrEqual(78)
    const then = owner!.simulation.tick
    await world.advance(1_000)
    expect(owner!.simulation.tick - then).toBeGreaterThanOrEqual(19)
    world.expectInSync()
    world.close()
  }
})
