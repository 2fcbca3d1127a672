import { describe, expect, test } from 'vitest'
import type { Game } from '../../src/sim/game/definition/define-game.ts'
import { makeRuledGame } from '../../src/storm/games/ruled-game.ts'
import { datagrams, Stage, stream } from './stage.ts'

const game = makeRuledGame(30) as unknown as Game

describe.each([
  ['streams', stream],
  ['datagrams', datagrams],
  ['datagrams of which a fifth is lost', { ...datagrams, there: { latencyMs: 60, loss: 0.2 } }],
])('ORD-10 a pause over %s', (_, line) => {
  test('refuses no order, and lets each run once, in its place', () => {
    const busy = { game, line, orderEveryMs: 150 }
    const stage = new Stage({ ada: busy, bob: busy })
    stage.runUntil(() => stage.oracle.sealedTick > 60)
    const ada = stage.player('ada')
    ada.client.act({ type: 'pause' })
    stage.runUntil(() => stage.oracle.system?.isPaused === true)
    const before = ada.witnessed.issued.length
    stage.run(4_000)
    expect(ada.witnessed.issued.length).toBeGreaterThan(before + 5)
    // Some of those ran in the pause, the others wait.
    const inPause = ada.witnessed.issued.slice(before)
    expect(inPause.some(({ end }) => end?.result === 'executed')).toBe(true)
    expect(ada.client.pendingOrders).toBeGreaterThan(0)
    ada.client.act({ type: 'resume' })
    stage.runUntil(() => stage.oracle.system?.isPaused === false)
    stage.finish()
    for (const name of ['ada', 'bob']) {
      const reasons = stage.player(name).witnessed.issued.map(({ end }) => {
        return end?.result === 'refused' ? end.reason : end?.result
      })
      // The game itself refuses some; nobody else does.
      const rest = reasons.filter((reason) => reason !== 'executed')
      expect([...new Set(rest)].sort()).toEqual(['An unlucky tag', 'apply threw'])
    }
  })
})

test.each([
  ['nothing', []],
  ['everything', ['build', 'cheer', 'joke', 'mark']],
  [['building'], ['build']],
] as const)('ORD-09 while paused, with whenPaused: %o, these run: %o', (whenPaused, names) => {
  const busy = { game, orderEveryMs: 0, orders: { whenPaused } }
  const stage = new Stage({ ada: busy, bob: busy })
  stage.runUntil(() => stage.oracle.sealedTick > 10)
  const { client } = stage.player('ada')
  client.act({ type: 'pause' })
  stage.runUntil(() => client.simulation?.isPaused === true)
  const ran: string[] = []
  const issued = ['build', 'cheer', 'joke', 'mark']
  for (const name of issued) {
    const data = name === 'mark' ? { unit: 0, tag: 0 } : { tag: 0 }
    const bytes = game.orderCodec.encode(name, data)
    const number = stage.player('ada').witnessed.issued.length
    stage.oracle.noteIssued(stage.player('ada').witnessed, number, bytes)
    client.issueBytes(bytes, (end) => {
      stage.oracle.noteSettled(stage.player('ada').witnessed, number, end)
      ran.push(name)
    })
  }
  stage.run(1_000)
  expect(ran).toEqual(names)
  client.act({ type: 'resume' })
  stage.run(1_000)
  expect(ran.toSorted()).toEqual(issued)
})
