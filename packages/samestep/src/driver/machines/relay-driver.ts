import { IdTable } from '../../base/id-table.ts'
import type { AuthorizationAnswer, AuthorizationRequest } from '../../relay/links/authorization.ts'
import type { MatchEvent } from '../../relay/match/match-types.ts'
import type { Relay } from '../../relay/relay.ts'
import { RelayPump } from '../../relay/relay-pump.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'
import { reportError } from '../report-error.ts'
import { WakeUp } from '../timing.ts'
import { channelFor } from './channels.ts'

/** What a relay's driver tells its owner. */
export interface RelayDriverHooks {
  /** An event of a match. */
  handleMatch?(match: string, event: MatchEvent): void
  /**
   * Decides whether a client may join, if the relay asks (`isAuthorizing`). It should never reject; if
   * it does, the client is not let in, and `handleError` is called.
   */
  authorize?(request: AuthorizationRequest, connection: Connection): Promise<AuthorizationAnswer>
  /** Stores a piece of the record before it returns: what comes after the piece is sent then. */
  record?(bytes: Uint8Array): void
  /** A packet came, on any connection. */
  notePacket?(): void
  handleClosed?(link: number, connection: Connection, code: number): void
  /**
   * A bug in the relay, in a transport or in another hook. It affects one match or link; the others
   * continue. `connection` is the one that it came from or was sent to, if any.
   */
  handleError?(error: unknown, connection?: Connection): void
}

/**
 * Carries packets between connections of any transport and one relay, and wakes the relay in time.
 * Nothing here waits: a connection that does not keep up must be closed by its transport.
 */
export class RelayDriver {
  readonly relay: Relay
  readonly #pump: RelayPump
  readonly #timing: Timing
  readonly #hooks: RelayDriverHooks
  readonly #wakeUp: WakeUp
  readonly #links = new IdTable<OpenLink>()
  #linkCount = 0
  #isStopped = false

  constructor(relay: Relay, hooks: RelayDriverHooks = {}, timing: Timing = machineTiming) {
    this.relay = relay
    this.#timing = timing
    this.#hooks = hooks
    this.#pump = new RelayPump(relay, {
      send: (link, bytes) => this.#send(link, bytes),
      close: (link, code) => this.#links.get(link)?.connection.close(code, ''),
      handleSeated: (link) => this.#links.get(link)?.connection.markKnown?.(),
      handleAuthorize: (link, request) => void this.#authorize(link, request),
      handleMatch: (match, event) => this.#handleMatch(match, event),
      ...(hooks.record && { record: (bytes: Uint8Array) => hooks.record?.(bytes) }),
    })
    this.#wakeUp = new WakeUp(timing, () => this.#wake())
  }

  /** The number of open connections. */
  get connectionCount(): number {
    return this.#links.size
  }

  /** When the relay has to be woken next; `Infinity` for never. */
  get wakeAtMs(): number {
    return this.#wakeUp.atMs
  }

  /**
   * Accepts a new connection of any transport. Limits per address count it under `address`. Returns the
   * link number with which `handleClosed` reports its end, or −1 if it is not accepted.
   */
  accept(connection: Connection, address?: string): number {
    if (this.#isStopped) {
      connection.close(4010, 'The relay is shutting down')
      return -1
    }
    this.#linkCount += 1
    const id = this.#linkCount
    const open = new OpenLink(id, connection, this.#handlePacket, this.#handleClosed)
    this.#links.set(open)
    const makeChannel = channelFor(connection, 'acceptor')
    this.#pump.handleLinkOpened(id, makeChannel, this.#timing.nowMs(), address)
    connection.open(open)
    this.#arm()
    return id
  }

  /** From now on, uses what `wrap` returns for each open connection instead of that connection. */
  rewrap(wrap: (connection: Connection) => Connection): void {
    for (const open of this.#links.values()) {
      const wrapped = wrap(open.connection)
      if (wrapped === open.connection) continue
      open.connection = wrapped
      wrapped.open(open)
    }
  }

  /** Tells all clients that the relay is shutting down, and closes all connections. */
  stop(): void {
    if (this.#isStopped) return
    this.relay.shutDown(this.#timing.nowMs())
    this.#pump.drain()
    this.#isStopped = true
    this.#wakeUp.stop()
    for (const { connection } of this.#links.values()) {
      connection.close(4010, 'The relay is shutting down')
    }
  }

  /** Calls `what` with the relay, and sends the results. */
  act<T>(what: (relay: Relay, nowMs: number) => T): T {
    try {
      return what(this.relay, this.#timing.nowMs())
    } finally {
      this.#pump.drain()
      this.#arm()
    }
  }

  #wake(): void {
    if (this.#isStopped) return
    const nowMs = this.#timing.nowMs()
    // A match that threw has no deadline any more, so the next round serves those behind it.
    for (let round = 0; round < brokenMax; round++) {
      if (this.#attempt(() => this.#pump.handleTime(nowMs))) break
      this.#pump.drain()
    }
    this.#arm()
  }

  readonly #handlePacket = (link: number, bytes: Uint8Array): void => {
    const nowMs = this.#timing.nowMs()
    try {
      this.#pump.handlePacket(link, bytes, nowMs)
    } catch (error) {
      this.#tell(error, this.#links.get(link)?.connection)
      this.#pump.drain()
    }
    this.#arm()
    // Timers fire only after all pending packets were read; ticks must not wait for that.
    if (nowMs >= this.#wakeUp.atMs) this.#wake()
    this.#hooks.notePacket?.()
  }

  readonly #handleClosed = (link: number, code: number): void => {
    const connection = this.#links.get(link)?.connection
    this.#links.delete(link)
    const nowMs = this.#timing.nowMs()
    if (!this.#attempt(() => this.#pump.handleLinkClosed(link, nowMs), connection)) {
      this.#pump.drain()
    }
    this.#arm()
    if (connection === undefined) return
    this.#attempt(() => this.#hooks.handleClosed?.(link, connection, code), connection)
  }

  /** Runs an action and reports what it throws, to spare the others. Returns false if it threw. */
  #attempt(action: () => void, connection?: Connection): boolean {
    try {
      action()
      return true
    } catch (error) {
      this.#tell(error, connection)
      return false
    }
  }

  #tell(error: unknown, connection?: Connection): void {
    if (this.#hooks.handleError === undefined) reportError(error)
    else this.#hooks.handleError(error, connection)
  }

  #arm(): void {
    if (!this.#isStopped) this.#wakeUp.set(this.relay.wakeAtMs())
  }

  #send(link: number, bytes: Uint8Array): void {
    const connection = this.#links.get(link)?.connection
    try {
      connection?.send(bytes)
    } catch (error) {
      this.#tell(error, connection)
    }
  }

  /** Asks the hook, and passes the answer on later: calls to the relay never nest. */
  async #authorize(link: number, request: AuthorizationRequest): Promise<void> {
    const connection = this.#links.get(link)?.connection
    if (connection === undefined || this.#hooks.authorize === undefined) return
    try {
      const answer = await this.#hooks.authorize(request, connection)
      if (!this.#isStopped) this.act((relay, nowMs) => relay.handleAuthorized(link, answer, nowMs))
    } catch (error) {
      // Without an answer, the link ends when its time is up.
      this.#tell(error, connection)
    }
  }

  #handleMatch(match: string, event: MatchEvent): void {
    if (event.type === 'bug') this.#tell(event.error, this.#links.get(event.link)?.connection)
    this.#attempt(() => this.#hooks.handleMatch?.(match, event))
  }
}

/** Matches that may throw in one wake-up before the rest must wait for the next one. */
const brokenMax = 64

type Hear = (link: number, bytes: Uint8Array) => void
type HearEnd = (link: number, code: number) => void

/**
 * Handles one connection. All connections share the two functions: with thousands of connections, a
 * closure for each would cost cache misses.
 */
class OpenLink implements ConnectionHandler {
  connection: Connection
  readonly id: number
  readonly #hear: Hear
  readonly #end: HearEnd

  constructor(id: number, connection: Connection, hear: Hear, end: HearEnd) {
    this.id = id
    this.connection = connection
    this.#hear = hear
    this.#end = end
  }

  handlePacket(bytes: Uint8Array): void {
    this.#hear(this.id, bytes)
  }

  handleClosed({ code }: ConnectionEnd): void {
    this.#end(this.id, code)
  }
}
