import { describeConnectionContract } from '../testing/connection-contract.ts'
import { makeWebSocketHarness } from '../testing/websocket-harness.ts'

describeConnectionContract('websocket, Node to Node', makeWebSocketHarness)
