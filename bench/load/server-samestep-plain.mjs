/** Our relay by public APIs only, as `startRelay` runs it in a process that is not ours. */
import { startRelay } from 'samestep/server'
import { announce, oneAddress } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  log: false,
  origins: 'any',
  ...oneAddress,
})
announce(relay.port, relay.urls)
