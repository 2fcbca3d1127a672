/**
 * A player without a simulation: says what a client of ours says, in bytes made by the library's own
 * wire layer. One turn per tick, with an input of 96 bits that changed, and the hash of a state.
 */
import { BitWriter } from '../../packages/samestep/dist/base/bit-writer.js'
import { makeMatchConfig } from '../../packages/samestep/dist/wire/messages/match-config.js'
import {
  decodeMessage,
  encodeMessage,
  helloMagic,
  protocols,
} from '../../packages/samestep/dist/wire/messages/messages.js'
import { writeClientTurn } from '../../packages/samestep/dist/wire/ticks/client-turn.js'
import { readRelayBundles } from '../../packages/samestep/dist/wire/ticks/relay-bundles.js'
import { SlotDelta } from '../../packages/samestep/dist/wire/ticks/slot-delta.js'
import { seats, tickRate } from './measured.mjs'

const inputSlots = [0, 1, 2].map(() => ({
  form: 'whole',
  max: 0xffff_ffff,
  initial: 0,
  isOneShot: false,
}))
const config = makeMatchConfig({ seats, tickRate, inputSlots })
const delta = new SlotDelta(inputSlots)
const writer = new BitWriter(256)

/** First bytes of tick messages: bundles, and what only datagrams need. */
const bundlesByteMin = 0x80
const controlByteMax = 0x3d

/** How often a client tells about itself. */
const reportEveryMs = 500

/** Who speaks by `sendControl` and `sendTick`, and hears by `hear`. */
export class SilentPlayer {
  seated
  #match
  #count
  #send
  #slots = new Uint32Array(3)
  #received = 0
  #reportAtMs = 0
  #controlSeen = 255
  #token
  #resolve

  /**
   * @param {string} match
   * @param {() => void} count hears of each delivered tick
   * @param {{ sendControl(bytes: Uint8Array): void, sendTick(bytes: Uint8Array): void }} send
   */
  constructor(match, count, send) {
    this.#match = match
    this.#count = count
    this.#send = send
    this.seated = new Promise((resolve) => {
      this.#resolve = resolve
    })
  }

  start() {
    const hello = { magic: helloMagic, protocols: [...protocols], gameId: 'load', gameVersion: 1 }
    const fingerprint = new Uint8Array(32)
    this.#send.sendControl(encodeMessage('ClientHello', { ...hello, fingerprint }))
  }

  /** @param {Uint8Array} bytes */
  hear(bytes) {
    if (bytes[0] >= bundlesByteMin) {
      const message = readRelayBundles(bytes, this.#received + 1, this.#received)
      const newest = message.firstTick + message.bundles.length - 1
      if (message.control !== undefined) {
        this.#controlSeen = message.control.version
        if (message.control.token !== 0) this.#token = message.control.token
      }
      // Datagrams repeat what is not confirmed: each tick counts once.
      for (; this.#received < newest; this.#received++) this.#count()
      return
    }
    if (bytes[0] > controlByteMax) return
    const { name } = decodeMessage(bytes)
    if (name === 'RelayWelcome') {
      const body = { match: this.#match, name: 'p', role: 'player', config }
      const join = { ...body, ticket: undefined, nextTick: 1 }
      this.#send.sendControl(encodeMessage('ClientJoin', join))
    }
    if (name === 'RelaySeated') this.#resolve()
  }

  /** The turn of a tick. */
  play() {
    const received = this.#received
    if (received === 0) return
    const slots = this.#slots
    slots[0] = (slots[0] + 77) >>> 0
    slots[1] = (slots[1] + 1) >>> 0
    slots[2] = (slots[2] + 5) >>> 0
    const nowMs = performance.now()
    const isReportDue = nowMs >= this.#reportAtMs
    if (isReportDue) this.#reportAtMs = nowMs + reportEveryMs
    const stamp = Math.floor(nowMs) % 65_536
    const about = { stamp, rttMs: 1, activity: 'active', loadPercent: 20, token: this.#token }
    writer.reset()
    writeClientTurn(writer, delta, {
      received,
      controlSeen: this.#controlSeen,
      report: isReportDue ? about : undefined,
      hash: { tick: received, executedTick: received, lo: received, hi: 1 },
      firstInputTick: received + config.inputDelay,
      inputs: slots,
      inputCount: 1,
      heldMs: 0,
      firstOrderNumber: 0,
      orders: [],
    })
    this.#send.sendTick(writer.finish())
  }
}
