/**
 * What holds for every request and every upgrade on a relay's port, before anybody answers it: one at a
 * time per connection, so many per address, all lines of the head or none, and no body.
 */
import {
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type FaultListener, guardEntrance } from '../entrance.ts'
import { TrustedProxies } from './address-block.ts'
import { answerRaw } from './raw-answer.ts'
import { RequestBudget } from './request-budget.ts'
import { gateOf, RequestGate, type RequestGateHooks } from './request-gate.ts'
import { RequestTurns } from './request-turns.ts'
import { answerStallMsMax, headLinesMax } from './websocket-limits.ts'

/** What the rules are made with. */
export interface RequestRulesOptions {
  readonly onRequest: RequestListener
  readonly trustedProxies: readonly string[]
  /** Requests of one address within ten seconds: 2048 when undefined. */
  readonly requestsPerAddress: number | undefined
  readonly onFault: FaultListener
}

/** Checks each request before it is answered. One instance serves all connections of a server. */
export class RequestRules {
  /** What the server calls for a request. */
  readonly onRequest: RequestListener
  readonly onFault: FaultListener
  readonly #proxies: TrustedProxies
  readonly #budget: RequestBudget
  readonly #hooks: RequestGateHooks

  constructor(options: RequestRulesOptions) {
    const { onRequest, trustedProxies, requestsPerAddress, onFault } = options
    this.#budget = new RequestBudget(requestsPerAddress)
    this.#proxies = new TrustedProxies(trustedProxies)
    this.onFault = onFault
    this.#hooks = {
      turns: new RequestTurns(),
      mayAsk: (socket) => this.#mayAsk(socket),
      onFault: (error, { remoteAddress }) => onFault(error, remoteAddress),
    }
    this.onRequest = (request, response) => {
      const { socket } = request
      const answer = (): void => {
        gateOf(socket)?.handleRequest(response)
        response.setTimeout(answerStallMsMax, () => socket.destroy())
        if (this.#isAllowed(request, response)) onRequest(request, response)
      }
      guardSocket(answer, socket, onFault)()
    }
  }

  /** A connection speaks HTTP from now on. */
  watch(socket: Socket): void {
    new RequestGate(socket, this.#hooks)
  }

  /** Strangers are counted before anything is parsed. */
  #mayAsk({ remoteAddress = '' }: Socket): boolean {
    if (this.#proxies.has(remoteAddress)) return true
    return this.#budget.take(remoteAddress, performance.now())
  }

  #isAllowed(request: IncomingMessage, response: ServerResponse): boolean {
    if (hasHiddenLines(request)) {
      response.shouldKeepAlive = false
      answer(response, 431, 'too many lines')
      return false
    }
    // No body is ever read: what comes behind the head of this request is not looked at.
    if (hasBody(request)) response.shouldKeepAlive = false
    if (!this.#proxies.has(request.socket.remoteAddress ?? '')) return true
    const address = this.#proxies.addressOfRequest(request)
    // A proxy that does not say for whom it speaks may speak for anybody, such as an orchestrator.
    if (this.#proxies.has(address) || this.#budget.take(address, performance.now())) return true
    answer(response, 429, 'too many requests')
    return false
  }
}

/**
 * Lets only upgrades to WebSocket be upgrades, and gives each what came behind its head. Another upgrade
 * is an offer that a server may ignore (RFC 9110, 7.8), as `curl --http2` and Java's client make it with
 * every request: it is answered as if it had none. Node emits the event for all of them as soon as it has
 * one listener, and only later versions than ours can choose; so the event is looked at on its way.
 */
export function filterUpgrades(server: Server, { onFault }: RequestRules): void {
  const emit = server.emit.bind(server) as (event: string, ...args: unknown[]) => boolean
  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const gate = gateOf(socket)
    const isOverfull = gate?.isOverfull === true
    const held = gate?.release()
    if (hasHiddenLines(request)) answerRaw(socket, 431, 'too many lines')
    else if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      answerAsPage(server, request, socket as Socket)
    } else if (isOverfull) answerRaw(socket, 400, 'too much came before the upgrade was answered')
    else emit('upgrade', request, socket, held === undefined ? head : Buffer.concat([head, held]))
  }
  server.emit = ((event: string, ...args: unknown[]): boolean => {
    if (event !== 'upgrade') return emit(event, ...args)
    const given = args as Parameters<typeof upgrade>
    guardSocket(upgrade, given[0].socket, onFault)(...given)
    return true
  }) as Server['emit']
}

/** Answers a request whose socket Node let go of, and closes. */
function answerAsPage(server: Server, request: IncomingMessage, socket: Socket): void {
  const response = new ServerResponse(request)
  response.shouldKeepAlive = false
  socket.on('error', () => socket.destroy())
  socket.on('timeout', () => socket.destroy())
  socket.on('drain', () => response.emit('drain'))
  response.once('finish', () => socket.destroySoon())
  response.assignSocket(socket)
  socket.resume()
  server.emit('request', request, response)
}

/** Answers what is no HTTP, as Node would, and closes. Broken connections and TLS get no answer. */
export function answerClientError(error: Error & { readonly code?: string }, socket: Duplex): void {
  const { code = '' } = error
  const [status, why] = clientErrors.get(code) ?? [400, 'this is not an HTTP request']
  const isHttp = clientErrors.has(code) || code.startsWith('HPE_')
  // In the middle of an answer there is nothing left to say.
  const isAnswering = gateOf(socket)?.response?.headersSent === true
  if (!isHttp || isAnswering || !socket.writable) socket.destroy()
  else answerRaw(socket, status, why)
}

const clientErrors: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['HPE_HEADER_OVERFLOW', [431, 'the head is too long']],
  ['ERR_HTTP_REQUEST_TIMEOUT', [408, 'the request did not arrive in time']],
])

/** The same callback, but what it throws costs only this socket. */
export function guardSocket<Args extends readonly unknown[]>(
  callback: (...args: Args) => void,
  socket: Socket,
  onFault: FaultListener,
): (...args: Args) => void {
  return guardEntrance(callback, (error) => {
    const { remoteAddress } = socket
    socket.destroy()
    onFault(error, remoteAddress)
  })
}

/** Lines that Node left out may be the ones that count: an origin, or whom a proxy speaks for. */
function hasHiddenLines({ rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.length > 2 * headLinesMax
}

function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length = '0' } = headers
  return length !== '0' || headers['transfer-encoding'] !== undefined
}

function answer(response: ServerResponse, status: number, why: string): void {
  const text = `${STATUS_CODES[status]}: ${why}\n`
  response.writeHead(status, {
    'Content-Type': 'text/plain',
    'Content-Length': Buffer.byteLength(text),
  })
  response.end(text)
}
