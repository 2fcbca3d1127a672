/**
 * One session seen from the client: the handshake, and what comes after it. Sans-IO.
 *
 *     dialling ──agreed──► confirming ──anything authentic──► open ──► over
 *
 * With IK the server has proved itself when both agree, so the connection counts as open; but the
 * server takes it for one only when it hears something. With XX it has yet to let the client in.
 */
import { unreachable } from '../../base/assert.ts'
import { OutputQueue } from '../../base/output-queue.ts'
import type { ConnectionEnd } from '../connection.ts'
import { UdpCounters } from './counters.ts'
import type { SequenceOptions } from './crypto/packet-cipher.ts'
import { handshakeMs, retryMsMin } from './limits.ts'
import { isSameToken } from './reset-token.ts'
import { isSameAddress, packetMark, readHead, readReset, type UdpAddress } from './udp-format.ts'
import { type HandshakeOptions, type HandshakeOutput, UdpHandshake } from './udp-handshake.ts'
import { type UdpOutput, UdpSession } from './udp-session.ts'

/** What a client is told. */
export interface UdpClientOptions extends HandshakeOptions {
  /** Where the server is. */
  readonly server: UdpAddress
  readonly silenceMsMax?: number
  /** Where sequence numbers begin, for tests. */
  readonly sequence?: SequenceOptions
}

/** What a client wants done. Its `accepted` says that the connection is there. */
export type UdpClientOutput =
  | UdpOutput
  /** `code` is what the server refused with; nobody answered if there is none. */
  | { readonly type: 'failed'; readonly code: number | undefined }

type Confirming = {
  readonly name: 'confirming'
  readonly session: UdpSession
  /** XX: the last message, said again until something is heard. */
  readonly finish: Uint8Array | undefined
  retryAtMs: number
}

type State =
  | { readonly name: 'dialling'; readonly handshake: UdpHandshake }
  | Confirming
  | { readonly name: 'open'; readonly session: UdpSession }
  | { readonly name: 'failed' }

/** The client machine of one UDP session. */
export class UdpClient {
  /** `drop.<reason>`. */
  readonly counters = new UdpCounters()
  readonly #options: UdpClientOptions
  readonly #untilMs: number
  readonly #sessionOutputs = new OutputQueue<UdpOutput>()
  readonly #outputs = new OutputQueue<UdpClientOutput>()
  #state: State
  #resetToken: Uint8Array = new Uint8Array(0)
  #nowMs: number

  constructor(options: UdpClientOptions, nowMs: number) {
    this.#options = options
    this.#nowMs = nowMs
    this.#untilMs = nowMs + (options.timeoutMs ?? handshakeMs)
    const handshake = new UdpHandshake(options, nowMs)
    this.#state = { name: 'dialling', handshake }
    this.#drainHandshake(handshake)
  }

  /** Whether the server has answered anything. */
  get isAnswered(): boolean {
    return this.#state.name === 'dialling' ? this.#state.handshake.isAnswered : true
  }

  /** The session, once there is one. */
  get session(): UdpSession | undefined {
    const state = this.#state
    return state.name === 'open' || state.name === 'confirming' ? state.session : undefined
  }

  /** Takes a datagram. Never throws; what is wrong with it is dropped and counted. */
  handleDatagram(bytes: Uint8Array, from: UdpAddress, nowMs: number): void {
    this.#advanceTo(nowMs)
    if (!isSameAddress(from, this.#options.server)) {
      this.counters.drop('address')
      return
    }
    const state = this.#state
    if (state.name === 'dialling') {
      if (!state.handshake.handleDatagram(bytes, this.#nowMs)) this.counters.drop('handshake')
      this.#drainHandshake(state.handshake)
      return
    }
    if (state.name !== 'failed' && this.#isReset(bytes)) {
      this.abort('forgotten')
      return
    }
    const isPacket = bytes.length > 0 && (bytes[0]! & packetMark) !== 0
    const head = isPacket ? readHead(bytes, false) : undefined
    if (state.name === 'failed' || head === undefined) {
      this.counters.drop(isPacket ? 'malformed' : 'repeated')
      return
    }
    state.session.handleDatagram(bytes, head, from, this.#nowMs)
    this.#drainSession()
  }

  handleTime(nowMs: number): void {
    this.#advanceTo(nowMs)
    const state = this.#state
    switch (state.name) {
      case 'dialling':
        state.handshake.handleTime(this.#nowMs)
        this.#drainHandshake(state.handshake)
        return
      case 'confirming':
        if (isStranger(state) && this.#nowMs >= this.#untilMs) {
          this.abort('no answer')
          return
        }
        if (this.#nowMs >= state.retryAtMs) this.#confirm(state)
        state.session.handleTime(this.#nowMs)
        this.#drainSession()
        return
      case 'open':
        state.session.handleTime(this.#nowMs)
        this.#drainSession()
        return
      case 'failed':
        return
      default:
        unreachable(state)
    }
  }

  /** The oldest output not yet taken. Call until it gives `undefined`. */
  pollOutput(): UdpClientOutput | undefined {
    return this.#outputs.shift()
  }

  /** When {@link handleTime} next has work to do; `Infinity` when it never will. */
  wakeAtMs(): number {
    const state = this.#state
    switch (state.name) {
      case 'dialling':
        return state.handshake.wakeAtMs()
      case 'confirming':
        return Math.min(
          state.retryAtMs,
          state.session.wakeAtMs(),
          isStranger(state) ? this.#untilMs : Number.POSITIVE_INFINITY,
        )
      case 'open':
        return state.session.wakeAtMs()
      case 'failed':
        return Number.POSITIVE_INFINITY
      default:
        return unreachable(state)
    }
  }

  /** Sends a packet of the link machine. */
  send(packet: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    this.session?.send(packet, this.#nowMs)
    this.#drainSession()
  }

  /** Ends the connection. */
  close(end: ConnectionEnd, nowMs: number): void {
    this.#advanceTo(nowMs)
    this.session?.close(end, this.#nowMs)
    this.#drainSession()
  }

  /** The socket broke. */
  abort(reason: string): void {
    const session = this.session
    if (session === undefined) {
      if (this.#state.name !== 'failed') this.#fail(undefined)
      return
    }
    session.abort(reason)
    if (isStranger(this.#state)) this.#fail(undefined)
    else this.#drainSession()
  }

  /** The relay was restarted, and says so in a way that nobody else can. */
  #isReset(bytes: Uint8Array): boolean {
    const token = readReset(bytes)
    return token !== undefined && isSameToken(token, this.#resetToken)
  }

  #drainHandshake(handshake: UdpHandshake): void {
    for (let next = handshake.pollOutput(); next !== undefined; next = handshake.pollOutput()) {
      if (next.type === 'transmit') this.#transmit(next.bytes)
      else if (next.type === 'failed') this.#fail(next.code)
      else this.#begin(next)
    }
  }

  #begin(agreed: HandshakeOutput & { readonly type: 'agreed' }): void {
    const { random, server, silenceMsMax, sequence } = this.#options
    const session = new UdpSession(
      {
        side: 'client',
        id: agreed.sessionId,
        sendKey: agreed.keys.initiator,
        receiveKey: agreed.keys.responder,
        path: server,
        remoteKey: agreed.serverKey,
        ticketData: new Uint8Array(0),
        // After XX the server has yet to say that this client may come in.
        isConfirmed: agreed.finish === undefined,
        random,
        counters: this.counters,
        outputs: this.#sessionOutputs,
        ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
        ...(sequence === undefined ? {} : { sequence }),
      },
      this.#nowMs,
    )
    const { finish } = agreed
    this.#resetToken = agreed.resetToken
    const state: Confirming = { name: 'confirming', session, finish, retryAtMs: this.#nowMs }
    this.#state = state
    if (finish === undefined) this.#outputs.push({ type: 'accepted', session })
    this.#confirm(state)
    this.#drainSession()
  }

  #confirm(state: Confirming): void {
    state.retryAtMs = this.#nowMs + retryMsMin
    if (state.finish === undefined) state.session.sendHere(this.#nowMs)
    else this.#transmit(state.finish)
  }

  #drainSession(): void {
    const state = this.#state
    if (state.name !== 'confirming' && state.name !== 'open') return
    // A server that lets nobody in says so with its first packet.
    const isRefused = isStranger(state) && state.session.state === 'closed'
    const queue = this.#sessionOutputs
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      if (!isRefused || next.type === 'transmit') this.#outputs.push(next)
      else if (next.type === 'ended') this.#fail(next.end.code)
    }
    const isSettled = state.session.hasHeard || state.session.state !== 'open'
    if (state.name === 'confirming' && !isRefused && isSettled) {
      this.#state = { name: 'open', session: state.session }
    }
  }

  #transmit(bytes: Uint8Array): void {
    this.#outputs.push({ type: 'transmit', bytes, to: this.#options.server })
  }

  #fail(code: number | undefined): void {
    this.#state = { name: 'failed' }
    this.#outputs.push({ type: 'failed', code })
  }

  #advanceTo(nowMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, nowMs)
  }
}

/** Whether the server has not said yet that this client may come in. */
function isStranger(state: State): boolean {
  return state.name === 'confirming' && state.finish !== undefined
}
