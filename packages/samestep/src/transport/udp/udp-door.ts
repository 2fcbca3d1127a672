/**
 * The server's half of handshakes: who knocks, and who gets in.
 *
 *     HELLO ──► too many? ──► CHALLENGE   keeps nothing, one HMAC, answers with less (T-01, T-02)
 *     INIT  ──► cookie good? seen before? place? budget? only then X25519 (T-04) ──► ACCEPT
 *     FINISH (XX) or the first packet (IK) ──► a session
 */
import { assert } from '../../base/assert.ts'
import { closeCodes } from '../../wire/codes.ts'
import { strangersMax } from '../../wire/limits.ts'
import { addressBlock } from '../node/address-block.ts'
import { strangersPerBlockMax } from '../node/websocket-limits.ts'
import { AnswerBudget } from './budgets/answer-budget.ts'
import { CookieJar } from './budgets/cookie-jar.ts'
import { type HalfOpen, HalfOpenTable } from './budgets/half-open.ts'
import { HandshakeBudget } from './budgets/handshake-budget.ts'
import { StrangerPlaces } from './budgets/stranger-places.ts'
import type { DropReason } from './counters.ts'
import { NoiseHandshake } from './crypto/noise-handshake.ts'
import type { SplitKeys } from './crypto/noise-symmetric.ts'
import { type KeyPair, makeKeyPair, type RandomBytes } from './crypto/x25519.ts'
import { handshakeBudget, helloBudget, keyBytes, repeatBudget, resetBudget } from './limits.ts'
import { ResetTokens } from './reset-token.ts'
import { TicketBook } from './ticket.ts'
import {
  challengeCookieAt,
  type Init,
  isSameAddress,
  prologue,
  readClientPayload,
  readFinish,
  readHello,
  readInit,
  type UdpAddress,
  writeAccept,
  writeChallenge,
  writeReset,
  writeServerPayload,
} from './udp-format.ts'

/** What a door is told. */
export interface DoorOptions {
  /** Who this server is: 32 secret random bytes. */
  readonly secretKey: Uint8Array
  /** Which protocol is spoken above; a client of another one is refused with 4004. */
  readonly protocol: number
  /** If given, nobody gets in without a ticket issued with it. */
  readonly ticketKey?: Uint8Array
  /** The maximum number of handshakes and sessions per address that have not joined. Defaults to 16. */
  readonly strangersPerAddress?: number
  readonly random: RandomBytes
  /** Ms since 1970, for tickets: they come from other machines. */
  readonly unixMs: () => number
}

/** Whoever has come through. */
export interface Admission {
  readonly sessionId: number
  readonly keys: SplitKeys
  readonly remoteKey: Uint8Array
  readonly ticketData: Uint8Array
  readonly path: UdpAddress
  /** Frees its place among the strangers: when it has joined, or is gone. */
  readonly leave: () => void
  /** Whether the client has proved that it is there and has the keys. */
  readonly isConfirmed: boolean
  /** Set when it only comes in to be told that it may not. */
  readonly refusal?: number
}

/** What became of a datagram: an answer, somebody new, or nothing and why. */
export type DoorResult = {
  readonly drop?: DropReason
  readonly answer?: Uint8Array
  readonly admission?: Admission
}

/** Gives a number that no session has, or `undefined` when there is no room. */
export type TakeSessionId = () => number | undefined

/** Answers handshakes. Sans-IO; the server asks it and owns the sessions. */
export class UdpDoor {
  readonly #options: DoorOptions
  readonly #cookies: CookieJar
  readonly #tickets: TicketBook | undefined
  readonly #key: KeyPair
  readonly #resets: ResetTokens
  readonly #helloBudget: AnswerBudget
  readonly #resetBudget: AnswerBudget
  readonly #repeatBudget: AnswerBudget
  readonly #handshakeBudget = new HandshakeBudget(handshakeBudget)
  readonly #places: StrangerPlaces
  readonly #table = new HalfOpenTable()
  readonly #takeSessionId: TakeSessionId
  #lastEphemeral: Uint8Array = new Uint8Array(keyBytes)

  constructor(options: DoorOptions, takeSessionId: TakeSessionId, nowMs: number) {
    this.#options = options
    this.#cookies = new CookieJar(options.random, nowMs)
    this.#tickets = options.ticketKey === undefined ? undefined : new TicketBook(options.ticketKey)
    this.#key = makeKeyPair(options.secretKey)
    this.#resets = new ResetTokens(options.secretKey)
    this.#helloBudget = new AnswerBudget(helloBudget, options.random)
    this.#resetBudget = new AnswerBudget(resetBudget, options.random)
    this.#repeatBudget = new AnswerBudget(repeatBudget, options.random)
    this.#places = new StrangerPlaces({
      perAddress: options.strangersPerAddress ?? strangersPerBlockMax,
      total: strangersMax,
    })
    this.#takeSessionId = takeSessionId
  }

  /** Handshakes that are not over, and failed ones of the last seconds. */
  get halfOpenCount(): number {
    return this.#table.count
  }

  /** Those, and sessions that have not joined. */
  get strangerCount(): number {
    return this.#places.count
  }

  /** Answers a hello with a cookie. Whoever forged its address learns nothing and costs nothing. */
  handleHello(bytes: Uint8Array, from: UdpAddress, nowMs: number): DoorResult {
    const ephemeral = readHello(bytes)
    if (ephemeral === undefined) return { drop: 'malformed' }
    if (!this.#helloBudget.take(from.address, nowMs)) return { drop: 'flood' }
    const answer = writeChallenge(ephemeral)
    this.#cookies.write(answer, challengeCookieAt, from, ephemeral, nowMs)
    return { answer }
  }

  handleInit(bytes: Uint8Array, from: UdpAddress, nowMs: number): DoorResult {
    const init = readInit(bytes)
    if (init === undefined) return { drop: 'malformed' }
    if (!this.#cookies.isGood(init.cookie, from, init.ephemeral, nowMs)) return { drop: 'cookie' }
    const key = Buffer.from(init.ephemeral).toString('latin1')
    const block = addressBlock(from.address)
    const known = this.#table.get(key)
    if (known !== undefined) return this.#answerAgain(known, from, block, nowMs)
    const refusal = this.#places.refusal(block)
    if (refusal !== undefined) return { drop: refusal }
    if (!this.#handshakeBudget.take(block, nowMs)) return { drop: 'handshakes' }
    const sessionId = this.#takeSessionId()
    if (sessionId === undefined) return { drop: 'sessions' }
    const path = { address: from.address, port: from.port }
    const state = { name: 'failed' } as const
    const leave = this.#places.take(block)
    const entry = this.#table.add({ key, from: path, sessionId, leave, state }, nowMs)
    return this.#respond(init, entry)
  }

  handleFinish(bytes: Uint8Array, from: UdpAddress, nowMs: number): DoorResult {
    const finish = readFinish(bytes)
    if (finish === undefined) return { drop: 'malformed' }
    const entry = this.#table.getBySession(finish.sessionId)
    if (entry === undefined || !isSameAddress(entry.from, from)) return { drop: 'repeated' }
    // One with a good key and a bad rest takes a Diffie-Hellman, and may be said again and again.
    if (!this.#repeatBudget.take(addressBlock(from.address), nowMs)) return { drop: 'flood' }
    if (entry.state.name !== 'waiting') return { drop: 'repeated' }
    const { noise } = entry.state
    const payload = noise.readMessage(finish.message)
    if (payload === undefined) return { drop: 'handshake' }
    const admission = this.#admit(noise, payload, entry, true)
    if (admission === undefined) {
      entry.state = { name: 'failed' }
      return { drop: 'ticket' }
    }
    this.#table.finish(entry)
    return { admission }
  }

  /** The client of a session has used its keys. */
  handleConfirmed(sessionId: number): void {
    const entry = this.#table.getBySession(sessionId)
    if (entry !== undefined) this.#table.finish(entry)
  }

  /** Tells a client that its session is not known here. */
  handleUnknown(sessionId: number, from: UdpAddress, nowMs: number): DoorResult {
    if (!this.#resetBudget.take(from.address, nowMs)) return { drop: 'flood' }
    return { drop: 'session', answer: writeReset(this.#resets.of(sessionId, from.address)) }
  }

  /** Whether a session's first message may still come again, so that its number stays taken. */
  remembers(sessionId: number): boolean {
    return this.#table.getBySession(sessionId) !== undefined
  }

  /** Forgets handshakes whose time is up, and tells which sessions were never confirmed. */
  handleTime(nowMs: number, onAbandoned: (sessionId: number) => void): void {
    this.#table.expire(nowMs, (entry) => {
      if (entry.state.name !== 'finished') onAbandoned(entry.sessionId)
    })
  }

  wakeAtMs(): number {
    return this.#table.wakeAtMs()
  }

  /**
   * A repeated message means that the answer was lost: the same one is given again, for no work. Its
   * bytes may be more than those that ask for it, so this has a limit.
   */
  #answerAgain(entry: HalfOpen, from: UdpAddress, block: string, nowMs: number): DoorResult {
    const { state } = entry
    const hasAnswer = state.name === 'waiting' || state.name === 'answered'
    if (!hasAnswer || !isSameAddress(entry.from, from)) return { drop: 'repeated' }
    if (!this.#repeatBudget.take(block, nowMs)) return { drop: 'flood' }
    return { answer: state.accept }
  }

  /** From here on it is dear: up to four Diffie-Hellmans. */
  #respond({ pattern, message, ephemeral }: Init, entry: HalfOpen): DoorResult {
    const localStatic = this.#key
    const localEphemeral = makeKeyPair(this.#options.random(keyBytes))
    const own = localEphemeral.publicKey
    assert(Buffer.compare(own, this.#lastEphemeral) !== 0, 'Random bytes must not repeat (I-18)')
    this.#lastEphemeral = own
    const role = 'responder'
    const noise = new NoiseHandshake({ pattern, role, prologue, localStatic, localEphemeral })
    const payload = noise.readMessage(message)
    if (payload === undefined) return { drop: 'handshake' }
    if (pattern === 'XX') return this.#answerStranger(noise, ephemeral, entry)
    const admission = this.#admit(noise, payload, entry, false)
    if (admission === undefined) return { drop: 'ticket' }
    const code = admission.refusal ?? 0
    const reply = noise.writeMessage(this.#serverPayload(code, entry))
    if (reply === undefined) return { drop: 'handshake' }
    const accept = writeAccept(ephemeral, reply)
    entry.state = { name: 'answered', accept }
    if (code !== 0) return { answer: accept }
    return { answer: accept, admission: { ...admission, keys: noise.split() } }
  }

  #answerStranger(noise: NoiseHandshake, ephemeral: Uint8Array, entry: HalfOpen): DoorResult {
    const reply = noise.writeMessage(this.#serverPayload(0, entry))
    if (reply === undefined) return { drop: 'handshake' }
    const accept = writeAccept(ephemeral, reply)
    entry.state = { name: 'waiting', noise, accept }
    return { answer: accept }
  }

  #serverPayload(code: number, { sessionId, from }: HalfOpen): Uint8Array {
    const resetToken = this.#resets.of(sessionId, from.address)
    return writeServerPayload({ code, sessionId, resetToken })
  }

  /** Looks at what the client says of itself. `undefined` when its ticket is not good. */
  #admit(
    noise: NoiseHandshake,
    payload: Uint8Array,
    entry: HalfOpen,
    isConfirmed: boolean,
  ): Admission | undefined {
    const claim = readClientPayload(payload)
    if (claim === undefined) return undefined
    const isOther = claim.protocol !== this.#options.protocol
    const ticketData = isOther ? new Uint8Array(0) : this.#useTicket(claim.ticket, entry.from)
    if (ticketData === undefined) return undefined
    return {
      sessionId: entry.sessionId,
      keys: noise.isFinished ? noise.split() : noKeys,
      remoteKey: noise.remoteStatic!,
      ticketData,
      path: entry.from,
      leave: entry.leave,
      isConfirmed,
      ...(isOther ? { refusal: closeCodes.version } : {}),
    }
  }

  #useTicket(ticket: Uint8Array, from: UdpAddress): Uint8Array | undefined {
    if (this.#tickets === undefined) return new Uint8Array(0)
    return this.#tickets.use(ticket, from, this.#options.unixMs())?.data
  }
}

/** Until the last message of IK is written there are none. */
const noKeys: SplitKeys = { initiator: new Uint8Array(0), responder: new Uint8Array(0) }
