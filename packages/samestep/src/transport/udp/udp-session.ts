/**
 * One end of an encrypted session after its handshake. Keeps no path open by itself: the link machine
 * sends something every second, which is more often than any router forgets.
 *
 *     open ──close()──► closing (says goodbye three times) ──► closed
 *       └── goodbye came, silence, numbers used up ───────────►
 */
import { assert, unreachable } from '../../base/assert.ts'
import type { OutputQueue } from '../../base/output-queue.ts'
import { brokenCode, type ConnectionEnd } from '../connection.ts'
import { type ControlFrame, readFrame, writeFrame } from './control-frame.ts'
import type { UdpCounters } from './counters.ts'
import { PacketOpener, PacketSealer, type SequenceOptions } from './crypto/packet-cipher.ts'
import type { RandomBytes } from './crypto/x25519.ts'
import {
  goodbyeLifeMs,
  goodbyeRepeatMs,
  headBytesMax,
  pathChallengeBytes,
  silenceMsDefault,
  tagBytes,
} from './limits.ts'
import { PathProbe } from './path-probe.ts'
import { isSameAddress, type PacketHead, type UdpAddress } from './udp-format.ts'

/** What a UDP machine wants done, in sequence. */
export type UdpOutput =
  | { readonly type: 'transmit'; readonly bytes: Uint8Array; readonly to: UdpAddress }
  /** A session that was not heard of before is there. */
  | { readonly type: 'accepted'; readonly session: UdpSession }
  | { readonly type: 'packet'; readonly session: UdpSession; readonly bytes: Uint8Array }
  /** It is over; nothing more comes from it. */
  | { readonly type: 'ended'; readonly session: UdpSession; readonly end: ConnectionEnd }

/** What a session is made of. */
export interface SessionOptions {
  /** Which end this is: only packets to the server carry the number of the session. */
  readonly side: 'client' | 'server'
  readonly id: number
  readonly sendKey: Uint8Array
  readonly receiveKey: Uint8Array
  /** Where the other end is. */
  readonly path: UdpAddress
  /** The static key of the other end. */
  readonly remoteKey: Uint8Array
  /** What the client showed at the door; empty where tickets are not asked for. */
  readonly ticketData: Uint8Array
  /** False until the other end has proved that it has the keys. */
  readonly isConfirmed: boolean
  readonly random: RandomBytes
  readonly counters: UdpCounters
  /** Where outputs go; one queue for all sessions of a server. */
  readonly outputs: OutputQueue<UdpOutput>
  readonly silenceMsMax?: number
  readonly sequence?: SequenceOptions
}

type State =
  | { readonly name: 'open' }
  | {
      readonly name: 'closing'
      readonly end: ConnectionEnd
      readonly sinceMs: number
      repeats: number
    }
  | { readonly name: 'closed' }

/** Bytes of a datagram with a path challenge, at most: what the new path must have paid for. */
const challengeDatagramBytes = headBytesMax + 1 + pathChallengeBytes + tagBytes

/** One end of a session. Sans-IO: datagrams and times in, {@link UdpOutput}s into a queue. */
export class UdpSession {
  readonly id: number
  readonly remoteKey: Uint8Array
  readonly ticketData: Uint8Array
  readonly #side: 'client' | 'server'
  readonly #sealer: PacketSealer
  readonly #opener: PacketOpener
  readonly #probe: PathProbe
  readonly #counters: UdpCounters
  readonly #outputs: OutputQueue<UdpOutput>
  readonly #silenceMsMax: number
  #state: State = { name: 'open' }
  #path: UdpAddress
  #isConfirmed: boolean
  #receivedAtMs: number

  constructor(options: SessionOptions, nowMs: number) {
    this.id = options.id
    this.remoteKey = options.remoteKey
    this.ticketData = options.ticketData
    this.#side = options.side
    this.#sealer = new PacketSealer(options.sendKey, nowMs, options.sequence)
    this.#opener = new PacketOpener(options.receiveKey)
    this.#probe = new PathProbe(options.random)
    this.#counters = options.counters
    this.#outputs = options.outputs
    this.#silenceMsMax = options.silenceMsMax ?? silenceMsDefault
    this.#path = options.path
    this.#isConfirmed = options.isConfirmed
    this.#receivedAtMs = nowMs
  }

  get state(): 'open' | 'closing' | 'closed' {
    return this.#state.name
  }

  /** Where the other end is. */
  get path(): UdpAddress {
    return this.#path
  }

  /** Whether the other end has proved that it has the keys. */
  get isConfirmed(): boolean {
    return this.#isConfirmed
  }

  /** Whether anything authentic came yet. */
  get hasHeard(): boolean {
    return this.#opener.newest >= 0
  }

  /** How often the own key has changed. */
  get rekeys(): number {
    return this.#sealer.rekeys
  }

  /** Takes a datagram whose head was read. Whatever is wrong with it is dropped and counted. */
  handleDatagram(bytes: Uint8Array, head: PacketHead, from: UdpAddress, nowMs: number): void {
    if (this.#state.name === 'closed') {
      this.#counters.drop('session')
      return
    }
    const isNewest = head.sequence > this.#opener.newest
    const plain = this.#opener.open(bytes, head)
    if (typeof plain === 'string') {
      this.#counters.drop(plain)
      return
    }
    this.#receivedAtMs = nowMs
    // An overtaken packet tells which key was newest some time ago, and there are only two names.
    if (isNewest) this.#sealer.handleAck(head.ackPhase)
    if (!this.#isConfirmed && this.#state.name === 'open') {
      this.#isConfirmed = true
      this.#outputs.push({ type: 'accepted', session: this })
    }
    if (
      !isSameAddress(from, this.#path) &&
      !this.#acceptsPath(from, bytes.length, isNewest, nowMs)
    ) {
      return
    }
    if (head.isControl) this.#handleFrame(plain, from, nowMs)
    else if (this.#state.name === 'open') {
      this.#outputs.push({ type: 'packet', session: this, bytes: plain })
    }
  }

  handleTime(nowMs: number): void {
    const state = this.#state
    switch (state.name) {
      case 'open':
        if (nowMs - this.#receivedAtMs >= this.#silenceMsMax) this.#end(brokenCode, 'silent')
        return
      case 'closing':
        if (nowMs - state.sinceMs >= goodbyeLifeMs) this.#state = { name: 'closed' }
        else if (nowMs >= this.wakeAtMs()) {
          state.repeats++
          this.#sendFrame({ type: 'goodbye', end: state.end }, nowMs)
        }
        return
      case 'closed':
        return
      default:
        unreachable(state)
    }
  }

  /** When {@link handleTime} next has work to do; `Infinity` when it never will. */
  wakeAtMs(): number {
    const state = this.#state
    switch (state.name) {
      case 'open':
        return this.#receivedAtMs + this.#silenceMsMax
      case 'closing':
        return state.sinceMs + (goodbyeRepeatMs[state.repeats] ?? goodbyeLifeMs)
      case 'closed':
        return Number.POSITIVE_INFINITY
      default:
        return unreachable(state)
    }
  }

  /** Sends a packet of the link machine. After the end it does nothing. */
  send(packet: Uint8Array, nowMs: number): void {
    if (this.#state.name === 'open') this.#transmit(false, packet, this.#path, nowMs)
  }

  /** Tells the other end that this one has the keys. */
  sendHere(nowMs: number): void {
    if (this.#state.name === 'open') this.#sendFrame({ type: 'here' }, nowMs)
  }

  /** Says goodbye, now and a few times more: nobody confirms it. */
  close(end: ConnectionEnd, nowMs: number): void {
    if (this.#state.name !== 'open') return
    this.#state = { name: 'closing', end, sinceMs: nowMs, repeats: 0 }
    this.#sendFrame({ type: 'goodbye', end }, nowMs)
    this.#tellEnd(end)
  }

  /** The socket broke: nothing can be sent any more. */
  abort(reason: string): void {
    if (this.#state.name === 'open') this.#end(brokenCode, reason)
    this.#state = { name: 'closed' }
  }

  #handleFrame(plain: Uint8Array, from: UdpAddress, nowMs: number): void {
    const frame = readFrame(plain)
    switch (frame?.type) {
      case 'here':
        return
      case 'path-challenge':
        // A server is asked by nobody: its address does not change.
        if (this.#side === 'server') break
        this.#sendFrame({ type: 'path-response', data: frame.data }, nowMs)
        return
      case 'path-response': {
        const path = this.#probe.handleResponse(frame.data, from, nowMs)
        if (path === undefined) break
        this.#path = path
        this.#counters.count('rebind')
        return
      }
      case 'goodbye':
        if (this.#state.name === 'open') this.#end(frame.end.code, frame.end.reason)
        this.#state = { name: 'closed' }
        return
      case undefined:
        break
      default:
        unreachable(frame)
    }
    this.#counters.drop('frame')
  }

  /** Whether a packet from elsewhere counts. If so, that place may be asked whether it is real. */
  #acceptsPath(from: UdpAddress, bytes: number, isNewest: boolean, nowMs: number): boolean {
    if (this.#side === 'client') {
      this.#counters.drop('address')
      return false
    }
    if (!this.#probe.handlePacket(from, bytes, isNewest, nowMs)) {
      this.#counters.drop('rebind')
      return false
    }
    const challenge = this.#probe.pollChallenge(challengeDatagramBytes, nowMs)
    if (challenge !== undefined) {
      const frame = writeFrame({ type: 'path-challenge', data: challenge.data })
      this.#transmit(true, frame, challenge.to, nowMs)
    }
    return true
  }

  #sendFrame(frame: ControlFrame, nowMs: number): void {
    this.#transmit(true, writeFrame(frame), this.#path, nowMs)
  }

  #transmit(isControl: boolean, plain: Uint8Array, to: UdpAddress, nowMs: number): void {
    const sessionId = this.#side === 'client' ? this.id : undefined
    const bytes = this.#sealer.seal(
      { isControl, ackPhase: this.#opener.phase, sessionId },
      plain,
      nowMs,
    )
    if (bytes !== undefined) this.#outputs.push({ type: 'transmit', bytes, to })
    else if (this.#state.name === 'open') this.#end(brokenCode, 'numbers used up')
  }

  #end(code: number, reason: string): void {
    assert(this.#state.name === 'open', 'A session ends once')
    this.#state = { name: 'closed' }
    this.#tellEnd({ code, reason })
  }

  #tellEnd(end: ConnectionEnd): void {
    // Nobody knows of a session that was never confirmed.
    if (this.#isConfirmed) this.#outputs.push({ type: 'ended', session: this, end })
  }
}
