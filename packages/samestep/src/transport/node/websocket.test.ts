import { bothPaths } from '../testing/both-paths.ts'
import { describeConnectionContract } from '../testing/connection-contract.ts'
import { makeWebSocketHarness } from '../testing/websocket-harness.ts'

for (const { path, turbo } of bothPaths) {
  describeConnectionContract(`websocket, Node to Node, ${path}`, () => makeWebSocketHarness(turbo))
}
