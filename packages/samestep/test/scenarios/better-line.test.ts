/** A session that moves between a stream and datagrams while it is played: nothing is lost, doubled or late. */
import { describe, expect, test } from 'vitest'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { makeToyGame } from '../../src/storm/games/toy-game.ts'
import type { Role } from './stage.ts'
import { Stage, stream } from './stage.ts'

/** Often enough to have a better door, and too seldom to move of its own will. */
const movesPerMinute = 0.000_1

function stageWith(ada: Role, bob: Role = {}): Stage {
  return new Stage(
    { ada: { line: stream, movesPerMinute, ...ada }, bob: { line: stream, ...bob } },
    1,
    { hasBetterDoor: true },
  )
}

/** The kinds of the links that a player has. */
function linesOf(stage: Stage, name = 'ada'): string {
  return stage.world
    .endsOf(stage.nodeOf(name))
    .map(({ kind }) => kind)
    .join(' ')
}

function killDatagrams(stage: Stage): void {
  for (const { link, kind } of stage.world.endsOf(stage.nodeOf('ada'))) {
    if (kind === 'datagram') stage.world.vanishLink(link)
  }
}

function expectWhole(stage: Stage): void {
  stage.finish()
  expect(stage.oracle.unsettled()).toEqual([])
  for (const name of ['ada', 'bob']) expect(stage.endsOf(name)).not.toContain('lost')
  const { sealedTick } = stage.oracle
  for (const { client } of stage.players) {
    expect(sealedTick - client.cursors.simulatedTick).toBeLessThanOrEqual(12)
  }
}

describe.each([10, 30, 60, 120])('at %i ticks per second', (tickRate) => {
  const game = makeToyGame(tickRate) as unknown as Game
  const intervalMs = 1_000 / tickRate

  test('a session moves to datagrams and back, and no tick comes late for it', () => {
    // Whoever comes first makes the match: enough for the line, so that only a move could make inputs late.
    const inputDelay = 3 + Math.ceil(60 / intervalMs)
    const stage = stageWith({ game, inputDelay }, { game, inputDelay })
    const ada = stage.player('ada')
    stage.runUntil(() => linesOf(stage) === 'datagram')
    stage.run(2_000)
    const lateBefore = ada.client.statistics.lateInputs
    // One more would be too many: a relay allows six at once.
    for (let count = 0; count < 2; count++) {
      expect(ada.client.tryMove('home')).toBe(true)
      stage.runUntil(() => linesOf(stage) === 'stream')
      stage.run(1_000)
      expect(ada.client.tryMove('udp')).toBe(true)
      stage.runUntil(() => linesOf(stage) === 'datagram')
      stage.run(1_000)
    }
    const toMs = stage.world.nowMs
    // The line itself shakes; a picture of 60 per second is longer than that.
    expect(stage.runGapMs('ada', 1_000, toMs - 100)).toBeLessThan(intervalMs + 16)
    expect(stage.runGapMs('bob', 1_000, toMs - 100)).toBeLessThan(intervalMs + 16)
    expect(ada.client.statistics.lateInputs).toBe(lateBefore)
    // To the others, nothing has happened at all.
    expect([...(stage.relay.presences.get(0) ?? [])]).not.toContain('silent')
    expectWhole(stage)
  })

  test('datagrams that just stop coming are left for the stream within two seconds', () => {
    const stage = stageWith({ game }, { game })
    const ada = stage.player('ada')
    stage.runUntil(() => linesOf(stage) === 'datagram')
    stage.run(2_000)
    const fromMs = stage.world.nowMs
    killDatagrams(stage)
    stage.runUntil(() => linesOf(stage) === 'stream', 3_000)
    stage.run(500)
    expect(stage.runGapMs('ada', fromMs, stage.world.nowMs)).toBeLessThan(2_000)
    expect(stage.runGapMs('bob', fromMs, stage.world.nowMs)).toBeLessThan(intervalMs + 12)
    expect(ada.client.status).toBe('active')
    // It is tried again, after a pause.
    stage.runUntil(() => linesOf(stage) === 'datagram', 10_000)
    expectWhole(stage)
  })
})

test('pauses grow while datagrams do not last', () => {
  const stage = stageWith({})
  const movedAtMs: number[] = []
  for (let count = 0; count < 4; count++) {
    stage.runUntil(() => linesOf(stage) === 'datagram', 200_000)
    movedAtMs.push(stage.world.nowMs)
    killDatagrams(stage)
    stage.runUntil(() => linesOf(stage) === 'stream', 5_000)
  }
  const pauses = movedAtMs.slice(1).map((atMs, index) => atMs - movedAtMs[index]!)
  expect(pauses[0]).toBeGreaterThan(5_000)
  expect(pauses[1]).toBeGreaterThan(15_000)
  expect(pauses[2]).toBeGreaterThan(45_000)
  expectWhole(stage)
})

test.each([1, 2, 4])(
  'at %i ticks per second, datagrams that come as they should are kept',
  (rate) => {
    const game = makeToyGame(rate) as unknown as Game
    const stage = stageWith({ game }, { game })
    stage.runUntil(() => linesOf(stage) === 'datagram', 30_000)
    for (let count = 0; count < 600; count++) {
      stage.run(100)
      expect(linesOf(stage)).toBe('datagram')
    }
  },
)

test('a relay with one door is never asked for another', () => {
  const stage = new Stage({ ada: { line: stream, movesPerMinute }, bob: { line: stream } })
  for (let count = 0; count < 100; count++) {
    stage.run(100)
    expect(linesOf(stage)).toBe('stream')
  }
  expect(stage.player('ada').client.tryMove('udp')).toBe(false)
})

test('in a lobby a session moves as well, and hears of the launch once', () => {
  const lobby = { start: 'when-ready', countdownMs: 500 } as const
  const stage = stageWith({ lobby }, { lobby })
  const ada = stage.player('ada')
  stage.runUntil(() => linesOf(stage) === 'datagram')
  stage.runUntil(() => (ada.client.cursors.simulatedTick ?? 0) > 30, 20_000)
  expectWhole(stage)
})

test('over a line of 200 ms with losses, orders given while it moves are executed once', () => {
  const far = { kind: 'stream', there: { latencyMs: 100, jitterMs: 10, loss: 0.02 } } as const
  const stage = stageWith({ line: far, orderEveryMs: 120 }, { line: far })
  const ada = stage.player('ada')
  for (let count = 0; count < 6; count++) {
    stage.runUntil(() => ada.client.tryMove('udp') || ada.client.tryMove('home'), 20_000)
    stage.run(12_000)
  }
  expect(ada.closedReason).toBeUndefined()
  expectWhole(stage)
})

test('orders that were lost with the datagrams of the old line are sent over the stream', () => {
  const stage = stageWith({ orderEveryMs: 40 })
  const ada = stage.player('ada')
  stage.runUntil(() => linesOf(stage) === 'datagram')
  stage.run(2_000)
  for (const { link } of stage.world.endsOf(stage.nodeOf('ada'))) {
    stage.world.setConditions(link, { kind: 'datagram', there: { latencyMs: 20, loss: 1 } })
  }
  stage.run(100)
  expect(ada.client.pendingOrders).toBeGreaterThan(0)
  expect(ada.client.tryMove('home')).toBe(true)
  stage.runUntil(() => linesOf(stage) === 'stream')
  stage.run(3_000)
  expectWhole(stage)
})

/** Both directions of a move; a relay hands over in the middle of it, and only then says so. */
describe.each(['udp', 'home'] as const)('on the way to %s', (door) => {
  const kind = door === 'udp' ? 'datagram' : 'stream'

  test.each(Array.from({ length: 24 }, (_, index) => 10 * index))(
    'a second link that dies %i ms after it was wanted costs nobody the session',
    (afterMs) => {
      const stage = stageWith({ orderEveryMs: 120 })
      const ada = stage.player('ada')
      stage.runUntil(() => linesOf(stage) === 'datagram')
      stage.run(2_000)
      if (door === 'udp') {
        ada.client.tryMove('home')
        stage.runUntil(() => linesOf(stage) === 'stream')
        stage.run(2_000)
      }
      expect(ada.client.tryMove(door)).toBe(true)
      stage.run(afterMs)
      for (const end of stage.world.endsOf(stage.nodeOf('ada'))) {
        if (end.kind === kind) stage.world.resetLink(end.link)
      }
      stage.run(10_000)
      expect(ada.closedReason).toBeUndefined()
      expect(ada.client.status).toBe('active')
      expectWhole(stage)
    },
  )
})

test.each(Array.from({ length: 24 }, (_, index) => 10 * index))(
  'a way home that dies %i ms after it opened is none, and the line that had stopped goes on',
  (afterMs) => {
    const stage = stageWith({ orderEveryMs: 120 })
    const ada = stage.player('ada')
    const setLoss = (loss: number): void => {
      for (const { link, kind } of stage.world.endsOf(stage.nodeOf('ada'))) {
        if (kind !== 'datagram') continue
        stage.world.setConditions(link, { kind, there: { latencyMs: 20, loss } })
      }
    }
    stage.runUntil(() => linesOf(stage) === 'datagram')
    stage.run(2_000)
    setLoss(1)
    stage.runUntil(() => linesOf(stage).includes('stream'), 3_000)
    setLoss(0)
    stage.run(afterMs)
    for (const end of stage.world.endsOf(stage.nodeOf('ada'))) {
      if (end.kind === 'stream') stage.world.resetLink(end.link)
    }
    stage.run(10_000)
    expect(ada.closedReason).toBeUndefined()
    expect(ada.client.status).toBe('active')
    expectWhole(stage)
  },
)
