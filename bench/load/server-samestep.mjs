/** Our relay, as `samestep relay` runs it. */
import { startRelay } from 'samestep/server'
import { announce, oneAddress } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  log: false,
  origins: 'any',
  ...oneAddress,
  turbo: true,
})
announce(relay.port, relay.urls)
