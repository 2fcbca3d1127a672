import { Relay } from '../../relay/relay.ts'
import type { BroadcastOptions, Bus } from '../../transport/broadcast/index.ts'
import { listenOnBus } from '../../transport/broadcast/index.ts'
import type { Dial } from '../../transport/connection.ts'
import { listenInMemory } from '../../transport/memory.ts'
import { RelayDriver } from '../machines/relay-driver.ts'

/** A relay that serves a bus. */
export interface BusRelay {
  /** Its id on the bus: with `dialOnBus(bus, { to: id })`, no other listener can answer. */
  readonly id: Uint8Array
  /** Connects a player in the same page, which does not receive the page's own messages on the bus. */
  readonly dial: Dial
  /** Tells all clients that the relay is shutting down, and closes all connections. The bus stays open. */
  close(): Promise<void>
}

/**
 * Runs a relay in this page for everybody on a bus: the other tabs of an origin, or the members of a chat.
 * All matches on it end with the page. Timers of a hidden page are throttled, which slows down the ticks of
 * all players: keep the page visible, or start the relay in a worker.
 *
 * In a chat set `seal: true`; otherwise any member can impersonate any other.
 *
 * @example
 * ```ts
 * // In the page that hosts, which plays too.
 * const host = await startBusRelay(openBroadcastBus('dots'))
 * const match = await joinMatch(dots, { match: 'friday', dial: host.dial })
 *
 * // In every other page of the same origin.
 * const dial = dialOnBus(openBroadcastBus('dots'))
 * const match = await joinMatch(dots, { match: 'friday', dial })
 * ```
 */
export async function startBusRelay(bus: Bus, options: BroadcastOptions = {}): Promise<BusRelay> {
  const relay = new Relay({
    hostAddress,
    randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  })
  const driver = new RelayDriver(relay)
  const door = await listenOnBus(bus, (connection) => driver.accept(connection), options)
  const ownDoor = listenInMemory((connection) => driver.accept(connection, hostAddress))
  return {
    id: door.id,
    dial: ownDoor.dial,
    async close() {
      driver.stop()
      await Promise.all([door.close(), ownDoor.close()])
    },
  }
}

/** What the player of this very page is known by; nobody on the bus has an address. */
const hostAddress = 'host'
