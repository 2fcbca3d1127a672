/**
 * Stands between a socket and Node's HTTP parser, and gives it one request at a time.
 *
 *                 ┌─ bytes ─┐        turn         'request'
 *     socket ──► reading ───┴──► waiting ──► parsing ──► answering ──► reading …
 *                   │ 8 KiB, no end                         │ nothing is read meanwhile;
 *                   ▼                                       ▼ more than 8 KiB behind it: the last answer
 *                  431                                    ended
 *
 * Node parses whatever came: 60 000 small requests in the bytes that it reads from one socket before it
 * looks at any timer, each with a response that waits for those before it. Browsers never send a request
 * before the answer to the last one. Here the second one stays in the kernel's buffer, or in ours, until
 * the first is answered; so no response ever waits without its socket.
 *
 * It works on what a socket's stream gives, so that plain and encrypted connections are alike.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { guardEntrance } from '../entrance.ts'
import { HeadEnd, skipEmptyLines } from './head-end.ts'
import { answerRaw } from './raw-answer.ts'
import type { RequestTurns } from './request-turns.ts'
import { headBytesMax, heldBytesMax, requestsPerConnectionMax } from './websocket-limits.ts'

/** What a gate asks of its server. */
export interface RequestGateHooks {
  readonly turns: RequestTurns
  /** Whether this socket may make one more request. */
  mayAsk(socket: Socket): boolean
  /** An error of ours: the socket is destroyed already. */
  onFault(error: unknown, socket: Socket): void
}

/** The gates of sockets that still speak HTTP. */
const gates = new WeakMap<object, RequestGate>()

/** The gate of a socket; undefined where there is none, or no longer. */
export function gateOf(socket: object): RequestGate | undefined {
  return gates.get(socket)
}

/** Passes the bytes of one socket to the HTTP parser, one request at a time. */
export class RequestGate {
  readonly #socket: Socket
  readonly #hooks: RequestGateHooks
  /** What Node's server does with bytes. */
  readonly #feeders: readonly ((bytes: Buffer) => void)[]
  readonly #onData: (bytes: Buffer) => void
  #state: 'reading' | 'waiting' | 'parsing' | 'answering' | 'ended' = 'reading'
  #headEnd = new HeadEnd()
  /** Bytes of the head that the parser has already. */
  #headBytes = 0
  /** Bytes that the parser does not have yet. While waiting, they begin with the rest of a head. */
  #held: Buffer | undefined
  /** How many of them belong to the head. */
  #due = 0
  /** Whether too much came behind this request: it is the last one. */
  #isLast = false
  #requests = 0
  #response: ServerResponse | undefined

  /** The server must listen to the socket already. */
  constructor(socket: Socket, hooks: RequestGateHooks) {
    this.#socket = socket
    this.#hooks = hooks
    this.#feeders = socket.listeners('data') as ((bytes: Buffer) => void)[]
    this.#onData = this.#guard((bytes: Buffer) => this.#hear(bytes))
    // Node takes a socket's bytes past its stream unless somebody else listens; so we listen first.
    socket.on('data', this.#onData)
    for (const feeder of this.#feeders) socket.off('data', feeder)
    gates.set(socket, this)
  }

  /** A request was parsed: nothing more is until its response is over. */
  handleRequest(response: ServerResponse): void {
    this.#state = 'answering'
    this.#response = response
    this.#requests += 1
    if (this.#isLast || this.#requests >= requestsPerConnectionMax) response.shouldKeepAlive = false
    response.once(
      'close',
      this.#guard(() => this.#goOn(response)),
    )
  }

  /** The socket is no longer ours; gives what the parser did not get. */
  release(): Buffer | undefined {
    const held = this.#held
    this.#end()
    gates.delete(this.#socket)
    this.#socket.off('data', this.#onData)
    return held
  }

  /** What is being answered at the moment. */
  get response(): ServerResponse | undefined {
    return this.#response
  }

  /** Whether too much came to keep it all. */
  get isOverfull(): boolean {
    return this.#isLast
  }

  #guard<Args extends readonly unknown[]>(callback: (...args: Args) => void) {
    return guardEntrance(callback, (error) => {
      this.#end()
      this.#socket.destroy()
      this.#hooks.onFault(error, this.#socket)
    })
  }

  #hear(bytes: Buffer): void {
    if (this.#state === 'ended') return
    if (this.#state === 'reading') this.#read(bytes)
    else this.#hold(bytes)
  }

  /** Gives the parser what is no end of a head, and lets the end wait its turn. */
  #read(bytes: Buffer): void {
    const from = this.#headBytes === 0 ? skipEmptyLines(bytes) : 0
    const rest = bytes.subarray(from, from + headBytesMax - this.#headBytes)
    const end = this.#headEnd.find(rest)
    if (end >= 0) {
      this.#state = 'waiting'
      this.#due = end
      this.#hold(bytes.subarray(from))
      this.#hooks.turns.wait(this.#guard(() => this.#takeTurn()))
    } else if (from + rest.length < bytes.length) {
      this.#refuse(431, 'the head is too long')
    } else if (rest.length > 0) {
      this.#headBytes += rest.length
      this.#feed(rest)
    }
  }

  /** Keeps what may not be parsed yet, and reads no more. */
  #hold(bytes: Buffer): void {
    this.#socket.pause()
    if (this.#isLast) return
    const held = this.#held === undefined ? bytes : Buffer.concat([this.#held, bytes])
    this.#isLast = held.length - this.#due > heldBytesMax
    this.#held = this.#isLast ? held.subarray(0, this.#due) : held
  }

  #takeTurn(): void {
    // It may have been closed meanwhile.
    if (this.#state !== 'waiting' || !this.#socket.writable) return
    if (!this.#hooks.mayAsk(this.#socket)) {
      this.#refuse(429, 'too many requests')
      return
    }
    const head = this.#held!.subarray(0, this.#due)
    this.#held = this.#held!.length > this.#due ? this.#held!.subarray(this.#due) : undefined
    this.#due = 0
    this.#headBytes = 0
    this.#headEnd = new HeadEnd()
    this.#state = 'parsing'
    this.#feed(head)
    // Node answered by itself, such as an expectation that it cannot meet.
    if (this.#isParsing) this.#endAfterAnswer()
  }

  /** Asked by a getter: the parser changes it within a call. */
  get #isParsing(): boolean {
    return this.#state === 'parsing'
  }

  #feed(bytes: Buffer): void {
    for (const feeder of this.#feeders) feeder.call(this.#socket, bytes)
  }

  #goOn(response: ServerResponse): void {
    this.#response = undefined
    if (this.#state !== 'answering') return
    if (this.#isLast || !response.shouldKeepAlive || !this.#socket.writable) {
      this.#endAfterAnswer()
      return
    }
    this.#state = 'reading'
    const held = this.#held
    this.#held = undefined
    // Before anything is read: it may have to wait again.
    this.#socket.resume()
    if (held !== undefined) this.#read(held)
  }

  #refuse(status: number, why: string): void {
    this.#end()
    answerRaw(this.#socket, status, why)
  }

  #endAfterAnswer(): void {
    this.#end()
    this.#socket.destroySoon()
  }

  #end(): void {
    this.#state = 'ended'
    this.#held = undefined
  }
}
