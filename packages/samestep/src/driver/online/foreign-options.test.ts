import { expect, test } from 'vitest'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { bytes, struct } from '../../sim/schema/index.ts'
import type { LedgerRender, LedgerShape } from '../testing/driver-world.ts'
import { DriverWorld, ledger } from '../testing/driver-world.ts'
import { joinOnline } from './join-online.ts'

test('an owner whose options are none of the game ends nobody’s session', async () => {
  const world = new DriverWorld()
  const { timing, dial } = world
  // By its fingerprint the same game, and the relay looks into no options.
  const tampered = {
    ...ledger,
    optionsCodec: struct({ junk: bytes(40) }),
  } as unknown as Game<LedgerShape, LedgerRender>
  const lobby = { start: 'by-owner', countdownMs: 0 } as const
  const common = { url: 'ws://relay.test', match: 'friday', seats: 2, lobby, timing, dial }
  const junk = (fill: number) => ({ junk: new Uint8Array(33).fill(fill) }) as never
  const owner = await world.finish(
    joinOnline(tampered, { ...common, guard: false, options: junk(0xee) }),
  )
  const honest = await world.finish(joinOnline(ledger, { ...common, guard: false }))
  await timing.pass(500)
  expect(honest.room?.options).toEqual({ goal: 5, rules: 'short' })
  owner.act({ type: 'set-options', options: junk(0xff) })
  await timing.pass(500)
  expect(honest.room).toMatchObject({ optionsRevision: 1, options: { goal: 5, rules: 'short' } })
  owner.act({ type: 'start' })
  await timing.pass(3_000)
  expect([honest.status, honest.playState().name]).toEqual(['active', 'active'])
  expect(honest.simulation.options).toEqual({ goal: 5, rules: 'short' })
  expect(honest.simulation.tick).toBeGreaterThan(20)
})
