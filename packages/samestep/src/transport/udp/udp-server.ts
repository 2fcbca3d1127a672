/** All sessions of one UDP port: routes datagrams to their session or to the door. Sans-IO. */
import { assert } from '../../base/assert.ts'
import { OutputQueue } from '../../base/output-queue.ts'
import type { ConnectionEnd } from '../connection.ts'
import { UdpCounters } from './counters.ts'
import type { SequenceOptions } from './crypto/packet-cipher.ts'
import { sessionIdBytes, sessionsMax, udpPayloadBytesMax, udpVersion } from './limits.ts'
import { type Admission, type DoorOptions, type DoorResult, UdpDoor } from './udp-door.ts'
import { kinds, packetMark, readHead, type UdpAddress } from './udp-format.ts'
import { type UdpOutput, UdpSession } from './udp-session.ts'

/** What a server is told. */
export interface UdpServerOptions extends DoorOptions {
  /** The maximum number of sessions at a time. Defaults to 16 384. */
  readonly sessionsMax?: number
  /** How long the other end of a session may be silent. */
  readonly silenceMsMax?: number
  /** Where sequence numbers begin, for tests. */
  readonly sequence?: SequenceOptions
}

/** How often sessions are looked at whose other end is silent. */
const sweepMs = 1_000

/** Draws of a number of 32 bits, few of which are taken, after which chance is no explanation. */
const idDrawsMax = 16

/** The longest text of an address; there is nothing longer, and cookies have no room for it. */
const addressCharactersMax = 64

/** The server machine of a UDP port. In: datagrams and times. Out: {@link pollOutput}, {@link wakeAtMs}. */
export class UdpServer {
  /** `drop.<reason>`, `hello`, `accepted`, `rebind`. */
  readonly counters = new UdpCounters()
  readonly #options: UdpServerOptions
  readonly #door: UdpDoor
  readonly #sessions = new Map<number, UdpSession>()
  /** Sessions that have not joined, and what frees their places. */
  readonly #strangers = new Map<UdpSession, () => void>()
  /** Those that say goodbye: few, and in need of attention more often. */
  readonly #closing = new Set<UdpSession>()
  readonly #outputs = new OutputQueue<UdpOutput>()
  #isAccepting = true
  #sweepAtMs: number
  #nowMs: number

  constructor(options: UdpServerOptions, nowMs: number) {
    this.#options = options
    this.#door = new UdpDoor(options, () => this.#takeSessionId(), nowMs)
    this.#sweepAtMs = nowMs + sweepMs
    this.#nowMs = nowMs
  }

  /** Sessions, with those that are not confirmed and those that say goodbye. */
  get sessionCount(): number {
    return this.#sessions.size
  }

  /** Handshakes that are not over, and failed ones of the last seconds. */
  get halfOpenCount(): number {
    return this.#door.halfOpenCount
  }

  /** Those, and sessions that have not joined: see {@link markKnown}. */
  get strangerCount(): number {
    return this.#door.strangerCount
  }

  /** Takes a datagram from anybody. Never throws; what is wrong with it is dropped and counted. */
  handleDatagram(bytes: Uint8Array, from: UdpAddress, nowMs: number): void {
    this.#advanceTo(nowMs)
    const kind = bytes[0]
    const isTooLong =
      bytes.length > udpPayloadBytesMax || from.address.length > addressCharactersMax
    // Nobody can be answered at port 0, but everybody can forge it.
    if (kind === undefined || isTooLong || from.port === 0) this.counters.drop('malformed')
    else if ((kind & packetMark) !== 0) this.#handlePacket(bytes, from)
    else this.#knock(kind, bytes, from)
  }

  handleTime(nowMs: number): void {
    this.#advanceTo(nowMs)
    this.#door.handleTime(this.#nowMs, (sessionId) => this.#forget(sessionId))
    for (const session of this.#closing) this.#tend(session)
    if (this.#nowMs < this.#sweepAtMs) return
    this.#sweepAtMs = this.#nowMs + sweepMs
    for (const session of this.#sessions.values()) this.#tend(session)
  }

  /** The oldest output not yet taken. Call until it gives `undefined`. */
  pollOutput(): UdpOutput | undefined {
    return this.#outputs.shift()
  }

  /** When {@link handleTime} next has work to do; `Infinity` when it never will. */
  wakeAtMs(): number {
    let soonest = this.#door.wakeAtMs()
    if (this.#sessions.size > 0) soonest = Math.min(soonest, this.#sweepAtMs)
    for (const session of this.#closing) soonest = Math.min(soonest, session.wakeAtMs())
    return soonest
  }

  /** Sends a packet to the other end of a session. */
  send(session: UdpSession, packet: Uint8Array, nowMs: number): void {
    this.#advanceTo(nowMs)
    session.send(packet, this.#nowMs)
    this.#forgetIfClosed(session)
  }

  /** Ends a session. */
  close(session: UdpSession, end: ConnectionEnd, nowMs: number): void {
    this.#advanceTo(nowMs)
    if (session.state !== 'open') return
    session.close(end, this.#nowMs)
    this.#closing.add(session)
  }

  /** Whoever is at the other end has joined: it counts as a stranger of its address no more. */
  markKnown(session: UdpSession): void {
    this.#strangers.get(session)?.()
    this.#strangers.delete(session)
  }

  /** Takes no more sessions; those that are there stay. */
  stopAccepting(): void {
    this.#isAccepting = false
  }

  #handlePacket(bytes: Uint8Array, from: UdpAddress): void {
    const head = readHead(bytes, true)
    if (head === undefined) {
      this.counters.drop('malformed')
      return
    }
    const session = this.#sessions.get(head.sessionId!)
    if (session === undefined) {
      // Smaller than what it answers (I-15). Only whoever has the session's token makes sense of it.
      this.#answer(this.#door.handleUnknown(head.sessionId!, from, this.#nowMs), from)
      return
    }
    const wasConfirmed = session.isConfirmed
    session.handleDatagram(bytes, head, from, this.#nowMs)
    if (!wasConfirmed && session.isConfirmed) {
      this.#door.handleConfirmed(session.id)
      this.counters.count('accepted')
      session.sendHere(this.#nowMs)
    }
    this.#forgetIfClosed(session)
  }

  #knock(kind: number, bytes: Uint8Array, from: UdpAddress): void {
    this.#answer(this.#askDoor(kind, bytes, from), from)
  }

  #answer(result: DoorResult, from: UdpAddress): void {
    if (result.drop !== undefined) this.counters.drop(result.drop)
    if (result.answer !== undefined) {
      this.#outputs.push({ type: 'transmit', bytes: result.answer, to: from })
    }
    if (result.admission !== undefined) this.#admit(result.admission)
  }

  #askDoor(kind: number, bytes: Uint8Array, from: UdpAddress): DoorResult {
    if (bytes[1] !== udpVersion) return { drop: 'version' }
    if (!this.#isAccepting) return { drop: 'closed' }
    switch (kind) {
      case kinds.hello:
        return this.#greet(bytes, from)
      case kinds.init:
        return this.#door.handleInit(bytes, from, this.#nowMs)
      case kinds.finish:
        return this.#finish(bytes, from)
      default:
        return { drop: 'malformed' }
    }
  }

  #greet(bytes: Uint8Array, from: UdpAddress): DoorResult {
    const result = this.#door.handleHello(bytes, from, this.#nowMs)
    if (result.answer !== undefined) this.counters.count('hello')
    return result
  }

  #finish(bytes: Uint8Array, from: UdpAddress): DoorResult {
    const result = this.#door.handleFinish(bytes, from, this.#nowMs)
    if (result.drop === 'repeated') this.#sayHereAgain(bytes, from)
    return result
  }

  /** The client of XX says its last words until it hears something: what it should hear was lost. */
  #sayHereAgain(bytes: Uint8Array, from: UdpAddress): void {
    const id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(2, true)
    const session = this.#sessions.get(id)
    if (session === undefined || session.hasHeard || !this.#door.remembers(id)) return
    const isThere = from.port === session.path.port && from.address === session.path.address
    if (isThere) session.sendHere(this.#nowMs)
  }

  #admit(admission: Admission): void {
    const { sessionId, keys, remoteKey, ticketData, path, leave, isConfirmed, refusal } = admission
    const { random, silenceMsMax, sequence } = this.#options
    const session = new UdpSession(
      {
        side: 'server',
        id: sessionId,
        sendKey: keys.responder,
        receiveKey: keys.initiator,
        path,
        remoteKey,
        ticketData,
        // Nobody above hears of a session that exists only to say no.
        isConfirmed: isConfirmed && refusal === undefined,
        random,
        counters: this.counters,
        outputs: this.#outputs,
        ...(silenceMsMax === undefined ? {} : { silenceMsMax }),
        ...(sequence === undefined ? {} : { sequence }),
      },
      this.#nowMs,
    )
    this.#sessions.set(sessionId, session)
    this.#strangers.set(session, leave)
    if (refusal !== undefined) {
      this.counters.count('refused')
      this.close(session, { code: refusal, reason: 'version' }, this.#nowMs)
    } else if (isConfirmed) {
      this.counters.count('accepted')
      this.#outputs.push({ type: 'accepted', session })
      session.sendHere(this.#nowMs)
    }
  }

  #tend(session: UdpSession): void {
    session.handleTime(this.#nowMs)
    this.#forgetIfClosed(session)
  }

  #forgetIfClosed(session: UdpSession): void {
    if (session.state === 'closed') this.#forget(session.id)
  }

  #forget(sessionId: number): void {
    const session = this.#sessions.get(sessionId)
    if (session === undefined) return
    this.markKnown(session)
    this.#sessions.delete(sessionId)
    this.#closing.delete(session)
  }

  /** Random, so that nobody who did not see it can name a session. */
  #takeSessionId(): number | undefined {
    if (this.#sessions.size >= (this.#options.sessionsMax ?? sessionsMax)) return undefined
    for (let draw = 0; draw < idDrawsMax; draw++) {
      const bytes = this.#options.random(sessionIdBytes)
      const id = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
      if (!this.#sessions.has(id) && !this.#door.remembers(id)) return id
    }
    assert(false, 'Random bytes must not repeat (I-18)')
  }

  #advanceTo(nowMs: number): void {
    assert(Number.isFinite(nowMs), 'Time is a number')
    // A clock that is set back stands still here.
    this.#nowMs = Math.max(this.#nowMs, nowMs)
  }
}
