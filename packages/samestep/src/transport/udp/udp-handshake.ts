/**
 * The client's half of a handshake: asks until somebody answers or patience ends.
 *
 *     greeting ──CHALLENGE──► knocking ──ACCEPT──► done (IK)
 *        ▲                       │        └──────► done (XX: FINISH is said until the session hears)
 *        └── cookie too old ─────┘
 *
 * Every message is said again after 250 ms, 500 ms and then each second, byte for byte the same, so
 * that the server recognises it. Answers that do not belong here change nothing: a forged one must
 * not keep the real one from being heard.
 */
import { unreachable } from '../../base/assert.ts'
import { OutputQueue } from '../../base/output-queue.ts'
import { NoiseHandshake, type NoisePattern } from './crypto/noise-handshake.ts'
import type { SplitKeys } from './crypto/noise-symmetric.ts'
import { type KeyPair, makeKeyPair, type RandomBytes } from './crypto/x25519.ts'
import { cookieRenewMs, handshakeMs, keyBytes, retryMsMax, retryMsMin } from './limits.ts'
import {
  kinds,
  prologue,
  readAccept,
  readChallenge,
  readServerPayload,
  writeClientPayload,
  writeFinish,
  writeHello,
  writeInit,
} from './udp-format.ts'

/** What a client's handshake is told. */
export interface HandshakeOptions {
  /** The server's static key; without it, whoever answers is believed (XX). */
  readonly serverKey?: Uint8Array
  /** Who this client is; somebody new if left out. */
  readonly key?: KeyPair
  /** Which protocol is spoken above. */
  readonly protocol: number
  readonly ticket?: Uint8Array
  readonly random: RandomBytes
  /** Defaults to 5 s. */
  readonly timeoutMs?: number
}

/** What a handshake comes to. */
export type HandshakeOutput =
  | { readonly type: 'transmit'; readonly bytes: Uint8Array }
  | {
      readonly type: 'agreed'
      readonly sessionId: number
      readonly keys: SplitKeys
      readonly serverKey: Uint8Array
      readonly resetToken: Uint8Array
      /** XX: what to say until the session hears something. */
      readonly finish: Uint8Array | undefined
    }
  /** `code` is what a server refused with; nobody answered if there is none. */
  | { readonly type: 'failed'; readonly code: number | undefined }

type State =
  | { readonly name: 'greeting' }
  | { readonly name: 'knocking'; readonly init: Uint8Array; readonly renewAtMs: number }
  | { readonly name: 'done' }

/** The client machine of one handshake. */
export class UdpHandshake {
  readonly #pattern: NoisePattern
  readonly #noise: NoiseHandshake
  readonly #claim: Uint8Array
  readonly #ephemeral: Uint8Array
  readonly #message: Uint8Array
  readonly #untilMs: number
  readonly #outputs = new OutputQueue<HandshakeOutput>()
  #state: State = { name: 'greeting' }
  #retryMs = retryMsMin
  #retryAtMs: number

  constructor(options: HandshakeOptions, nowMs: number) {
    const { serverKey, random } = options
    this.#pattern = serverKey === undefined ? 'XX' : 'IK'
    const localEphemeral = makeKeyPair(random(keyBytes))
    this.#ephemeral = localEphemeral.publicKey
    this.#noise = new NoiseHandshake({
      pattern: this.#pattern,
      role: 'initiator',
      prologue,
      localStatic: options.key ?? makeKeyPair(random(keyBytes)),
      localEphemeral,
      ...(serverKey === undefined ? {} : { remoteStatic: serverKey }),
    })
    const ticket = options.ticket ?? new Uint8Array(0)
    this.#claim = writeClientPayload({ protocol: options.protocol, ticket })
    this.#untilMs = nowMs + (options.timeoutMs ?? handshakeMs)
    this.#retryAtMs = nowMs
    const payload = this.#pattern === 'IK' ? this.#claim : new Uint8Array(0)
    const message = this.#noise.writeMessage(payload)
    this.#message = message ?? new Uint8Array(0)
    if (message === undefined) this.#fail(undefined)
    else this.handleTime(nowMs)
  }

  /** Whether there is nothing more to come. */
  get isDone(): boolean {
    return this.#state.name === 'done'
  }

  /** Whether anybody has answered. */
  get isAnswered(): boolean {
    return this.#state.name !== 'greeting'
  }

  /** Takes a datagram from the server. False when it does not belong here. */
  handleDatagram(bytes: Uint8Array, nowMs: number): boolean {
    switch (bytes[0]) {
      case kinds.challenge:
        return this.#handleChallenge(bytes, nowMs)
      case kinds.accept:
        return this.#handleAccept(bytes)
      default:
        return false
    }
  }

  handleTime(nowMs: number): void {
    const state = this.#state
    if (state.name === 'done') return
    if (nowMs >= this.#untilMs) {
      this.#fail(undefined)
      return
    }
    if (nowMs < this.#retryAtMs) return
    this.#retryAtMs = nowMs + this.#retryMs
    this.#retryMs = Math.min(2 * this.#retryMs, retryMsMax)
    switch (state.name) {
      case 'greeting':
        this.#outputs.push({ type: 'transmit', bytes: writeHello(this.#ephemeral) })
        return
      case 'knocking':
        if (nowMs >= state.renewAtMs) {
          this.#state = { name: 'greeting' }
          this.#outputs.push({ type: 'transmit', bytes: writeHello(this.#ephemeral) })
        } else {
          this.#outputs.push({ type: 'transmit', bytes: state.init })
        }
        return
      default:
        unreachable(state)
    }
  }

  /** The oldest output not yet taken. Call until it gives `undefined`. */
  pollOutput(): HandshakeOutput | undefined {
    return this.#outputs.shift()
  }

  /** When {@link handleTime} next has work to do; `Infinity` when it never will. */
  wakeAtMs(): number {
    return this.isDone ? Number.POSITIVE_INFINITY : Math.min(this.#retryAtMs, this.#untilMs)
  }

  #handleChallenge(bytes: Uint8Array, nowMs: number): boolean {
    if (this.#state.name !== 'greeting') return false
    const cookie = readChallenge(bytes, this.#ephemeral)
    if (cookie === undefined) return false
    const init = writeInit(this.#pattern, cookie, this.#message)
    this.#state = { name: 'knocking', init, renewAtMs: nowMs + cookieRenewMs }
    this.#outputs.push({ type: 'transmit', bytes: init })
    this.#retryMs = 2 * retryMsMin
    this.#retryAtMs = nowMs + retryMsMin
    return true
  }

  #handleAccept(bytes: Uint8Array): boolean {
    // Also after going back for another cookie: the answer to the first knock may be late.
    if (this.#state.name === 'done') return false
    const message = readAccept(bytes, this.#ephemeral)
    const payload = message && this.#noise.readMessage(message)
    const reply = payload && readServerPayload(payload)
    if (!reply) return false
    if (reply.code !== 0) {
      this.#fail(reply.code)
      return true
    }
    const last = this.#pattern === 'XX' ? this.#noise.writeMessage(this.#claim) : undefined
    const isFinished = this.#noise.isFinished
    if (!isFinished) return false
    this.#state = { name: 'done' }
    this.#outputs.push({
      type: 'agreed',
      sessionId: reply.sessionId,
      keys: this.#noise.split(),
      serverKey: this.#noise.remoteStatic!,
      resetToken: reply.resetToken,
      finish: last && writeFinish(reply.sessionId, last),
    })
    return true
  }

  #fail(code: number | undefined): void {
    this.#state = { name: 'done' }
    this.#outputs.push({ type: 'failed', code })
  }
}
