import type { InvestigatedMatch } from '../../desync/investigate/match-copy.ts'
import { decodeAsk } from '../../desync/probe-codec.ts'
import type { ProbeAnswerer, ProbeReply } from '../../desync/probe-reply.ts'
import type { Channel } from '../../link/channel.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'

/** Makes whoever answers questions about a desync: `investigate` of the module of the same name. */
export type MakeAnswerer = (match: InvestigatedMatch) => ProbeAnswerer

/**
 * Where the questions of a relay about a desync come in. What answers them is made when the first one
 * comes; until somebody says how ({@link setMaker}), the newest question waits.
 */
export class ProbeDesk {
  readonly #match: InvestigatedMatch
  readonly #need: () => void
  #make: MakeAnswerer | undefined
  #answerer: ProbeAnswerer | undefined
  #waiting: MessageBody<'RelayProbe'> | undefined
  #reply: ProbeReply | undefined
  #workAtMs = Number.POSITIVE_INFINITY
  #forgetAtMs = Number.POSITIVE_INFINITY
  /** When an answer is tried again that the line did not take. */
  #sendAtMs = 0

  /** `need` is called when there is a question and nobody to answer it. */
  constructor(match: InvestigatedMatch, make: MakeAnswerer | undefined, need: () => void) {
    this.#match = match
    this.#make = make
    this.#need = need
  }

  /** Says how to answer questions. */
  setMaker(make: MakeAnswerer, nowMs: number): void {
    this.#make = make
    this.#takeUp(nowMs)
  }

  /** @throws WireError for what is no question. */
  handleProbe(body: MessageBody<'RelayProbe'>, nowMs: number): void {
    decodeAsk(body.kind, body.ask)
    this.#waiting = body
    this.#forgetAtMs = nowMs + keptMs
    if (this.#make === undefined) this.#need()
    this.#takeUp(nowMs)
  }

  handleTime(nowMs: number): void {
    if (nowMs >= this.#forgetAtMs) {
      this.#answerer?.forget()
      this.#answerer = undefined
      this.#waiting = undefined
      this.#forgetAtMs = Number.POSITIVE_INFINITY
      this.#workAtMs = Number.POSITIVE_INFINITY
    }
    if (nowMs < this.#workAtMs) return
    this.#reply = this.#answerer?.work() ?? this.#reply
    this.#workAtMs = this.#answerer?.isBusy === true ? nowMs + pauseMs : Number.POSITIVE_INFINITY
  }

  wakeAtMs(): number {
    const sendAtMs = this.#reply === undefined ? Number.POSITIVE_INFINITY : this.#sendAtMs
    return Math.min(this.#workAtMs, this.#forgetAtMs, sendAtMs)
  }

  /** Sends an answer, if there is one. Gives whether there was. */
  send(channel: Channel, nowMs: number): boolean {
    const reply = this.#reply
    if (reply === undefined || nowMs < this.#sendAtMs) return false
    if (!channel.sendBulk(encodeMessage('ClientProbe', reply), nowMs)) {
      this.#sendAtMs = nowMs + retryMs
      return false
    }
    this.#reply = undefined
    this.#sendAtMs = 0
    return true
  }

  /** A new link: nobody waits for answers over it. */
  restart(): void {
    this.#reply = undefined
    this.#waiting = undefined
    this.#sendAtMs = 0
  }

  #takeUp(nowMs: number): void {
    const probe = this.#waiting
    if (this.#make === undefined || probe === undefined) return
    this.#waiting = undefined
    this.#reply = undefined
    this.#answerer ??= this.#make(this.#match)
    this.#answerer.handleProbe(probe.number, decodeAsk(probe.kind, probe.ask))
    this.#workAtMs = nowMs
  }
}

/** Between two moments of work: a frame can be drawn in between, and a tick can run. */
const pauseMs = 4

/** How soon a full line is tried again. */
const retryMs = 20

/** How long copies of the match are kept after the last question about it. */
const keptMs = 30_000
