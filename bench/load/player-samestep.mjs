/**
 * A player without a simulation: says what a client of ours says, in bytes made by the library's own
 * wire layer. One turn per tick, with an input of 96 bits that changed.
 */
import { WebSocket } from 'ws'
import { BitWriter } from '../../packages/samestep/dist/base/bit-writer.js'
import { writeClientTurn } from '../../packages/samestep/dist/wire/client-turn.js'
import { makeMatchConfig } from '../../packages/samestep/dist/wire/match-config.js'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../packages/samestep/dist/wire/messages.js'
import { readRelayBundles } from '../../packages/samestep/dist/wire/relay-bundles.js'
import { SlotDelta } from '../../packages/samestep/dist/wire/slot-delta.js'
import { seats } from './measured.mjs'

const inputSlots = [32, 32, 32].map((bits) => ({ bits, initial: 0, isOneShot: false }))
const config = makeMatchConfig({ seats, tickRate: 30, inputSlots })
const delta = new SlotDelta(inputSlots)
const writer = new BitWriter(256)

/** @param {number} port @param {string} match @param {() => void} count */
export async function join(port, match, count) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?match=${match}`, {
    perMessageDeflate: false,
  })
  socket.binaryType = 'nodebuffer'
  const slots = new Uint32Array(3)
  let received = 0
  let reportAtMs = 0
  let controlSeen = 255
  let token
  const answer = () => {
    slots[0] = (slots[0] + 77) >>> 0
    slots[1] = (slots[1] + 1) >>> 0
    slots[2] = (slots[2] + 5) >>> 0
    const nowMs = performance.now()
    const isReportDue = nowMs >= reportAtMs
    if (isReportDue) reportAtMs = nowMs + 500
    const stamp = Math.floor(nowMs) % 65_536
    writer.reset()
    writeClientTurn(writer, delta, {
      received,
      controlSeen,
      report: isReportDue
        ? { stamp, rttMs: 1, activity: 'active', loadPercent: 20, token }
        : undefined,
      hash: received === 0 ? undefined : { tick: received, lo: received, hi: 1 },
      firstInputTick: received + config.inputDelay,
      inputs: slots,
      inputCount: 1,
      heldMs: 0,
      firstOrderNumber: 0,
      orders: [],
    })
    socket.send(writer.finish())
  }
  await new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`closed with ${code}`)))
    socket.on('open', () => {
      const hello = { magic: helloMagic, protocols: [...protocols], gameId: 'load', gameVersion: 1 }
      socket.send(encodeMessage('ClientHello', { ...hello, fingerprint: new Uint8Array(32) }))
    })
    socket.on('message', (bytes) => {
      if (bytes[0] >= 0x80) {
        const message = readRelayBundles(bytes, received + 1, received)
        received = Math.max(received, message.firstTick + message.bundles.length - 1)
        if (message.control !== undefined) {
          controlSeen = message.control.version
          if (message.control.token !== 0) token = message.control.token
        }
        count()
        return
      }
      if (bytes[0] >= 0x3e) return
      const { name } = decodeMessage(bytes)
      if (name === 'RelayWelcome') {
        const body = { match, name: 'p', role: 'player', config, ticket: undefined, nextTick: 1 }
        socket.send(encodeMessage('ClientJoin', body))
      }
      if (name === 'RelaySeated') resolve(undefined)
    })
  })
  return () => {
    if (received > 0) answer()
  }
}
