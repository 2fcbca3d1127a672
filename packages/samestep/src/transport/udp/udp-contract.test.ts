import type { Connection } from '../connection.ts'
import { describeConnectionContract } from '../testing/connection-contract.ts'
import { dialUdp } from './udp-dial.ts'
import { listenUdp } from './udp-listener.ts'

/** Both ways of meeting: with the key of the relay in the URL (IK), and without (XX). */
for (const pattern of ['IK', 'XX'] as const) {
  describeConnectionContract(`udp over loopback, ${pattern}`, async () => {
    const accepted: Connection[] = []
    const all: Connection[] = []
    const listener = await listenUdp((connection) => accepted.push(connection))
    const url = pattern === 'IK' ? listener.url : listener.url.replace(/#.*/, '')
    return {
      kind: 'datagram',
      transport: 'udp',
      carriesEnd: true,
      async openPair() {
        const dialed = await dialUdp(url)()
        while (accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
        const pair = { dialed, accepted: accepted.shift()! }
        all.push(pair.dialed, pair.accepted)
        return pair
      },
      async dispose() {
        for (const connection of all) connection.close(1000, '')
        await listener.close()
      },
    }
  })
}
