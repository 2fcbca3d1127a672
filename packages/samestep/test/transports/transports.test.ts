import { beforeAll, describe, expect, test } from 'vitest'
import type { Carrier } from './carriers.ts'
import { carriers } from './carriers.ts'
import type { CarrierSource, Outcome } from './script.ts'
import { playScript, ticks } from './script.ts'

/** All players by the same door. */
function together(name: string): CarrierSource {
  let door: Promise<Carrier> | undefined
  return (_seat, relay) => {
    door ??= carriers[name]!((connection) => relay.accept(connection))
    return door
  }
}

/** Every player by a door of another kind. */
function mixed(names: readonly string[]): CarrierSource {
  return (seat, relay) => carriers[names[seat]!]!((connection) => relay.accept(connection))
}

describe('a match is sealed to the same bytes, whatever carries it', () => {
  let first: Outcome

  beforeAll(async () => {
    first = await playScript(together('memory, stream'))
  })

  test('the script has all that a match has', () => {
    expect(first.bundles).toHaveLength(ticks)
    expect(first.ends.length).toBeGreaterThan(ticks / 3)
    const results = first.ends.map((end) => (JSON.parse(end) as { result: string }).result)
    expect(new Set(results)).toEqual(new Set(['executed', 'refused']))
    expect(new Set(first.bundles).size).toBeGreaterThan(ticks / 2)
  })

  test.each(Object.keys(carriers))('over %s', async (name) => {
    const { transports, ...rest } = await playScript(together(name))
    const { transports: _, ...expected } = first
    expect(rest).toEqual(expected)
    expect(new Set(transports)).toEqual(new Set([name.replace(/,.*/, '')]))
  })

  test.each([
    [['websocket', 'udp', 'webrtc']],
    [['broadcast', 'memory, stream', 'websocket']],
    [['webrtc', 'memory, datagram', 'udp']],
  ])('and over %j at once', async (names) => {
    const { transports, ...rest } = await playScript(mixed(names))
    const { transports: _, ...expected } = first
    expect(rest).toEqual(expected)
    // The one in the middle has left.
    expect(transports).toEqual([names[0], names[2]])
  })
})
