import type { PathPatch } from '../../netem/conditions.ts'
import { makeMemoryPair } from '../memory.ts'
import {
  type ConnectionHarness,
  describeConnectionContract,
} from '../testing/connection-contract.ts'
import { makeWebSocketHarness } from '../testing/websocket-harness.ts'
import { Conditioner, type ConditionerOptions } from './conditioner.ts'

function makeMemoryHarness(kind: 'stream' | 'datagram'): ConnectionHarness {
  return {
    kind,
    transport: 'memory',
    carriesEnd: true,
    async openPair() {
      const [dialed, accepted] = makeMemoryPair({ kind })
      return { dialed, accepted }
    },
    async dispose() {},
  }
}

/** The same harness with both ends behind a conditioner. */
function condition(
  harness: ConnectionHarness,
  options: ConditionerOptions = {},
): ConnectionHarness {
  const conditioner = new Conditioner(options)
  return {
    ...harness,
    async openPair() {
      const { dialed, accepted } = await harness.openPair()
      return { dialed: conditioner.wrap(dialed), accepted: conditioner.wrap(accepted) }
    },
  }
}

const rough: PathPatch = { latencyMs: 2, jitterMs: 1, loss: 0.02, duplicate: 0.1, reorder: 0.1 }
const everything: PathPatch = { ...rough, corrupt: 0.1, bytesPerSecond: 2_000_000 }

describeConnectionContract('memory stream, conditioner clear', () =>
  condition(makeMemoryHarness('stream')),
)
describeConnectionContract('memory datagram, conditioner clear', () =>
  condition(makeMemoryHarness('datagram')),
)
describeConnectionContract('websocket, conditioner clear', async () =>
  condition(await makeWebSocketHarness()),
)
describeConnectionContract('memory datagram, conditioner rough', () =>
  condition(makeMemoryHarness('datagram'), { sending: rough }),
)
describeConnectionContract('websocket, conditioner with everything', async () =>
  condition(await makeWebSocketHarness(), { sending: everything }),
)
