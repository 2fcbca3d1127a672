import { describe, expect, test } from 'vitest'
import { lobbyDefaults } from '../wire/messages/match-config.ts'
import { testConfig } from './testing/match-kit.ts'
import { RelayWorld } from './testing/relay-world.ts'
import type { ScriptedClient } from './testing/scripted-client.ts'

const config = { ...testConfig, seats: 4, lobby: { ...lobbyDefaults, start: 'by-owner' as const } }

/** Ada owns the match; everybody else is known by what the test says. */
function open(isAuthorizing: boolean) {
  const world = new RelayWorld({ isAuthorizing })
  const join = (identity: string, address?: string, ticket?: Uint8Array) => {
    const client = world.join({ config, ...(address && { address }), ...(ticket && { ticket }) })
    if (isAuthorizing) world.answer(client, { identity })
    return client
  }
  const ada = join('ada', 'here')
  const leave = (client: ScriptedClient) => client.say('ClientLeave', { reason: '' })
  return { world, join, ada, leave }
}

function sayAll(client: ScriptedClient): void {
  for (let line = 0; line < 5; line++) client.act({ type: 'say', scope: 'all', text: 'hey' })
}

const denials = (client: ScriptedClient) =>
  client.messages.flatMap(({ name, body }) => (name === 'RelayDenied' ? [body.reason] : []))

function isHeard(client: ScriptedClient): boolean {
  const before = denials(client).length
  client.act({ type: 'say', scope: 'all', text: 'hello' })
  return denials(client).length === before
}

describe('[T-57] leaving and joining again', () => {
  test('does not end a mute of somebody who is known', () => {
    const { world, join, ada, leave } = open(true)
    const eve = join('eve', 'there')
    ada.act({ type: 'mute', member: eve.member, isMuted: true })
    leave(eve)
    const back = join('eve', 'elsewhere')
    expect(back.body('RelaySeated')).toBeDefined()
    expect(isHeard(back)).toBe(false)
    expect(denials(back)).toEqual(['muted'])
    // The owner takes it back as ever, and nobody else was touched.
    ada.act({ type: 'mute', member: back.member, isMuted: false })
    world.run(1_000)
    expect(isHeard(back)).toBe(true)
    expect(isHeard(join('bob', 'there'))).toBe(true)
  })

  test('brings no new lines: not to who is known, and not to who comes from the same address', () => {
    for (const isAuthorizing of [true, false]) {
      const { world, join, leave } = open(isAuthorizing)
      const eve = join('eve', 'there')
      sayAll(eve)
      leave(eve)
      const back = join('eve', isAuthorizing ? 'elsewhere' : 'there')
      expect(isHeard(back)).toBe(false)
      expect(denials(back)).toEqual(['rate'])
      world.run(1_000)
      expect([isHeard(back), isHeard(back)]).toEqual([true, false])
    }
  })

  test('a mute by ticket lasts too, and no neighbour behind the address is muted for it', () => {
    const { world, join, ada, leave } = open(false)
    const ticket = new Uint8Array(16).fill(9)
    const eve = join('', 'there', ticket)
    ada.act({ type: 'mute', member: eve.member, isMuted: true })
    leave(eve)
    const back = join('', 'elsewhere', ticket)
    expect(isHeard(back)).toBe(false)
    expect(isHeard(join('', 'there'))).toBe(true)
    world.run(1_000)
    expect(isHeard(back)).toBe(false)
  })
})
