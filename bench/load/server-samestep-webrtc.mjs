/** The same relay, with WebRTC, which is off unless it is asked for. */
import { startRelay } from 'samestep/server'
import { announce } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  webrtc: { port: 0 },
  log: false,
  origins: 'any',
  strangersPerAddress: 100_000,
  turbo: true,
})
announce(relay.port, relay.urls)
