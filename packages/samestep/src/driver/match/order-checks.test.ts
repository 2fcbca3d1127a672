import { describe, expect, test } from 'vitest'
import { createSimulation } from '../../sim/game/run/simulation.ts'
import type { LedgerRender, LedgerShape } from '../testing/driver-world.ts'
import { ledger, noSuchMark } from '../testing/driver-world.ts'
import { OrderChecks } from './order-checks.ts'

const fine = ledger.orderCodec.encode('mark', { number: 0 })
const wrong = ledger.orderCodec.encode('mark', { number: noSuchMark })
const view = createSimulation(ledger, { seed: 1, seats: 2, guard: false })
const playing = {
  status: 'active',
  seat: 1,
  member: 0,
  playState: () => ({ name: 'active' }) as const,
} as const

describe('where a match stands comes before what the game says', () => {
  const checks = new OrderChecks<LedgerShape, LedgerRender>()

  test.each([
    ['The session is over', { ...playing, status: 'closed' }, view],
    ['The match is in its lobby', { ...playing, status: 'lobby' }, undefined],
    ["Only players may issue 'mark'", { ...playing, seat: undefined }, view],
    [
      'The state of the match is still on its way',
      {
        ...playing,
        playState: () => ({ name: 'downloading', bytes: 0, bytesTotal: 9 }) as const,
      },
      view,
    ],
  ] as const)('%s', (reason, match, simulation) => {
    expect(checks.refusalOf(match, simulation, fine)).toEqual({ reason })
  })

  test('and then the game', () => {
    expect(checks.refusalOf(playing, view, fine)).toBeUndefined()
    expect(checks.refusalOf(playing, view, wrong)).toEqual({ reason: 'There is no such mark' })
    expect(checks.refusalOf({ ...playing, seat: 5 }, view, fine)?.reason).toMatch(/no seat 5/)
  })

  test('by the simulation that runs now: a match may be launched again', () => {
    const other = createSimulation(ledger, { seed: 1, seats: 8, guard: false })
    expect(checks.refusalOf({ ...playing, seat: 5 }, other, fine)).toBeUndefined()
  })
})
