/** Our relay, as `samestep relay` runs it. */
import { startRelay } from 'samestep/server'
import { announce } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  log: false,
  origins: 'any',
  strangersPerAddress: 100_000,
  connectionsPerAddress: 100_000,
  turbo: true,
})
announce(relay.port, relay.urls)
