import { describe, expect, test } from 'vitest'
import { closeCodes } from '../wire/codes.ts'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import { testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { ScriptedClient } from './testing/scripted-client.ts'

const config = {
  ...testConfig,
  seats: 4,
  lobby: { ...lobbyDefaults, start: 'by-owner' as const },
}

const ticket = new Uint8Array(16).fill(7)

function expectOut(client: ScriptedClient): void {
  expect(client.body('RelayRefuse')).toMatchObject({
    reason: 'reconnect-budget',
    message: 'Cannot let you in: you were removed from this match',
  })
  expect(client.closedWith).toBe(closeCodes['reconnect-budget'])
}

describe('[T-57] who was removed from a match', () => {
  test('by its owner cannot come back with its ticket, as long as the match lasts', () => {
    const world = new RelayWorld()
    const ada = world.join({ config })
    ada.isConfirming = true
    const bob = world.join({ config, ticket })
    ada.act({ type: 'kick', member: bob.member })
    expect(bob.closedWith).toBe(closeCodes.kicked)
    expectOut(world.join({ config, ticket }))
    world.run(600_000)
    expectOut(world.join({ config, ticket }))
    ada.say('ClientLeave', { reason: '' })
    expect(world.join({ config, ticket }).body('RelaySeated')).toBeDefined()
  })

  test('by an operator or by a vote cannot either', () => {
    const world = new RelayWorld()
    const running = { ...testConfig, seats: 3 }
    const all = [1, 2, 3].map((fill) => {
      return world.join({ config: running, ticket: new Uint8Array(16).fill(fill) })
    })
    for (const client of all) client.isConfirming = true
    world.run(1_000)
    all[0]?.act({ type: 'propose', vote: 'kick', target: 2, percent: 0 })
    all[1]?.act({ type: 'cast', id: all[1]?.last('RelayVote')?.id ?? 0, isYes: true })
    expect(all[2]?.closedWith).toBe(closeCodes.kicked)
    expectOut(world.join({ config: running, ticket: new Uint8Array(16).fill(3) }))
    world.act((relay, nowMs) => relay.kick('friday', 1, nowMs))
    expectOut(world.join({ config: running, ticket: new Uint8Array(16).fill(2) }))
  })

  test('cannot come back under another name and ticket, where its identity is known', () => {
    const world = new RelayWorld({ isAuthorizing: true })
    const ada = world.join({ config })
    world.answer(ada, { identity: 'ada' })
    const bob = world.join({ config })
    world.answer(bob, { identity: 'bob' })
    ada.act({ type: 'kick', member: bob.member })
    const again = world.join({ config, name: 'Bobby' })
    world.answer(again, { identity: 'bob' })
    expectOut(again)
    const elsewhere = world.join({ config, match: 'monday' })
    world.answer(elsewhere, { identity: 'bob' })
    expect(elsewhere.body('RelaySeated')).toBeDefined()
  })

  test('keeps its address out only where the operator wants that, and nobody who is in', () => {
    for (const kicksAddresses of [false, true]) {
      const world = new RelayWorld({ kicksAddresses })
      const address = '10.0.0.1'
      const ada = world.join({ config, address })
      const bob = world.join({ config, address, ticket })
      ada.act({ type: 'kick', member: bob.member })
      const again = world.join({ config, address })
      expect(again.body('RelayRefuse')?.reason).toBe(
        kicksAddresses ? 'reconnect-budget' : undefined,
      )
      world.breakLink(ada)
      const back = world.join({ config, address, ticket: ada.body('RelaySeated')?.ticket })
      expect(back.body('RelaySeated')?.member).toBe(ada.member)
      expect(world.join({ config, address: '10.0.0.2' }).body('RelaySeated')).toBeDefined()
    }
  })
})

test('[T-67] a session comes back twenty times at once, and five times per minute after that', () => {
  const world = new RelayWorld()
  world.join({ config })
  let last = world.join({ config, ticket })
  const comeBack = () => {
    world.breakLink(last)
    last = world.join({ config, ticket })
    return last.body('RelaySeated') !== undefined
  }
  expect(Array.from({ length: 20 }, comeBack).every(Boolean)).toBe(true)
  expect(comeBack()).toBe(false)
  expect(last.body('RelayRefuse')).toMatchObject({
    reason: 'reconnect-budget',
    ours: 'at most 20 at once and 5 per minute',
  })
  expect(last.closedWith).toBe(closeCodes['reconnect-budget'])
  world.run(12_000)
  expect([comeBack(), comeBack()]).toEqual([true, false])
})
