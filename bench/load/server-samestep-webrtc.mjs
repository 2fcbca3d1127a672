/** The same relay, with WebRTC, which is off unless it is asked for. */
import { startRelay } from 'samestep/server'
import { announce, oneAddress } from './measured.mjs'

const relay = await startRelay({
  port: 0,
  webrtc: { port: 0 },
  log: false,
  origins: 'any',
  ...oneAddress,
  turbo: true,
})
announce(relay.port, relay.urls)
