import { expect, test } from 'vitest'
import { RelayWorld } from './testing/relay-world.ts'

/** Two players at a relay in the process of one of them, who reports a load for ten seconds. */
function play(hostAddress: string | undefined, loadPercent: number): number {
  const world = new RelayWorld({ hostAddress })
  const [host, guest] = [world.join({ address: 'here' }), world.join({ address: 'there' })]
  for (const peer of [host, guest]) peer.isConfirming = true
  for (let second = 0; second < 10; second++) {
    world.run(1_000)
    const { receivedTick: received } = host
    host.turn({ received, report: { loadPercent } })
    guest.turn({ received: guest.receivedTick, report: { loadPercent: 500 } })
  }
  return host.last('RelayStats')!.effectivePercent
}

test('[LAG-06] a relay in a player’s process goes no faster than that machine can bear', () => {
  expect(play('here', 100)).toBe(85)
  expect(play('here', 40)).toBe(100)
  // The load of anybody else changes nothing, and neither does that of a player at a relay of its own.
  expect(play('elsewhere', 200)).toBe(100)
  expect(play(undefined, 200)).toBe(100)
})
