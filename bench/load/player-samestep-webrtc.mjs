/** Our relay over WebRTC data channels, with the native library at both ends. */
import { WebSocket } from 'ws'
import { dialWebrtc } from '../../packages/samestep/dist/transport/webrtc/index.js'
import { loadNativePeers } from '../../packages/samestep/dist/transport/webrtc/node/index.js'
import { joinOver } from './channel-player.mjs'

const makePeer = await loadNativePeers({ bindAddress: '127.0.0.1' })
const makeSocket = (url, protocol) => {
  const socket = new WebSocket(url, protocol)
  socket.binaryType = 'arraybuffer'
  return socket
}

/** @param {{ urls: { websocket: string } }} address @param {string} match @param {() => void} count */
export function join({ urls }, match, count) {
  return joinOver(dialWebrtc(urls.websocket, { makePeer, makeSocket }), match, count)
}
