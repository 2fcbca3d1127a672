/** Our relay by public APIs only, as `startRelay` runs it in a process that is not ours. */
import { startRelay } from 'samestep/server'
import { announce } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  log: false,
  origins: 'any',
  strangersPerAddress: 100_000,
  connectionsPerAddress: 100_000,
})
announce(relay.port, relay.urls)
