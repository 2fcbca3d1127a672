import type { Link } from '../relay/link-state.ts'
import type { Relay } from '../relay/relay.ts'
import type { RelayOutput, SendNow } from '../relay/relay-output.ts'
import type { Connection, ConnectionEnd, ConnectionHandler } from '../transport/connection.ts'
import { channelFor } from './channels.ts'
import { reportError } from './report-error.ts'
import type { Timing } from './timing.ts'
import { machineTiming, WakeUp } from './timing.ts'

/** What a relay's driver tells its owner. */
export interface RelayDriverHooks {
  /** What a match has to tell. */
  handleMatch?(output: Extract<RelayOutput, { type: 'match' }>): void
  /** A packet came, of whatever connection. */
  notePacket?(): void
  handleClosed?(link: number, connection: Connection, code: number): void
  /**
   * A bug, of the relay, of a transport or of another hook. It concerns one match or link; the others
   * go on. With the connection, if it came from one or was on its way to one.
   */
  handleError?(error: unknown, connection?: Connection): void
}

/**
 * Carries packets between connections of any transport and one relay, and wakes it in time. Nothing
 * here waits for anybody: a connection that does not keep up is its transport's business to end.
 */
export class RelayDriver {
  readonly relay: Relay
  readonly #timing: Timing
  readonly #hooks: RelayDriverHooks
  readonly #wakeUp: WakeUp
  readonly #connections = new Map<number, Connection>()
  #links = 0
  #isStopped = false

  constructor(relay: Relay, hooks: RelayDriverHooks = {}, timing: Timing = machineTiming) {
    this.relay = relay
    this.#timing = timing
    this.#hooks = hooks
    this.#wakeUp = new WakeUp(timing, () => this.#wake())
  }

  /** Connections that are open. */
  get connectionCount(): number {
    return this.#connections.size
  }

  /** When the relay has to be woken next; `Infinity` for never. */
  get wakeAtMs(): number {
    return this.#wakeUp.atMs
  }

  /** Takes a new connection, of whatever transport. */
  accept(connection: Connection): void {
    if (this.#isStopped) {
      connection.close(4010, 'The relay is going down')
      return
    }
    this.#links += 1
    const link = this.#links
    this.#connections.set(link, connection)
    const makeChannel = channelFor(connection, 'acceptor')
    const nowMs = this.#timing.nowMs()
    const opened = this.relay.handleLinkOpened(link, makeChannel, nowMs, connection)
    connection.open(new LinkHandler(link, opened, this.#handlePacket, this.#handleClosed))
    this.#drain()
  }

  /** Tells everybody that the relay goes down, and ends every connection. */
  stop(): void {
    if (this.#isStopped) return
    this.relay.shutDown(this.#timing.nowMs())
    this.#drain()
    this.#isStopped = true
    this.#wakeUp.stop()
    for (const connection of this.#connections.values()) {
      connection.close(4010, 'The relay is going down')
    }
  }

  /** Does something with the relay, and sends what comes of it. */
  act<T>(what: (relay: Relay, nowMs: number) => T): T {
    try {
      return what(this.relay, this.#timing.nowMs())
    } finally {
      this.#drain()
    }
  }

  #wake(): void {
    if (this.#isStopped) return
    this.#attempt(() => this.relay.handleTime(this.#timing.nowMs(), this.#send))
    this.#drain()
  }

  /** Wakes the relay before its timer does. What goes wrong is told where a timer would tell it. */
  #wakeEarly(): void {
    try {
      this.#wake()
    } catch (error) {
      this.#timing.schedule(() => {
        throw error
      }, 0)
    }
  }

  readonly #handlePacket: Hear = (link, bytes) => {
    const nowMs = this.#timing.nowMs()
    let hasMore = true
    try {
      hasMore = this.relay.handleLinkPacket(link, bytes, nowMs)
    } catch (error) {
      this.#tell(error, link.owner as Connection)
    }
    if (hasMore) this.#drain()
    // Timers wait until all packets that are here were read; ticks do not wait for that.
    if (nowMs >= this.#wakeUp.atMs) this.#wakeEarly()
    this.#hooks.notePacket?.()
  }

  readonly #handleClosed: HearEnd = (link, code) => {
    const connection = this.#connections.get(link)
    this.#connections.delete(link)
    this.#attempt(() => this.relay.handleLinkClosed(link, this.#timing.nowMs()), connection)
    this.#drain()
    if (connection === undefined) return
    this.#attempt(() => this.#hooks.handleClosed?.(link, connection, code), connection)
  }

  /** What goes wrong for one is told, and is nobody else's trouble. */
  #attempt(action: () => void, connection?: Connection): void {
    try {
      action()
    } catch (error) {
      this.#tell(error, connection)
    }
  }

  #tell(error: unknown, connection?: Connection): void {
    if (this.#hooks.handleError === undefined) reportError(error)
    else this.#hooks.handleError(error, connection)
  }

  #drain(): void {
    const { relay } = this
    for (let output = relay.pollOutput(); output; output = relay.pollOutput()) {
      if (output.type === 'send') this.#send(output.owner, output.bytes)
      else this.#handle(output)
    }
    if (!this.#isStopped) this.#wakeUp.set(relay.wakeAtMs())
  }

  readonly #send: SendNow = (owner, bytes) => {
    const connection = owner as Connection
    try {
      connection.send(bytes)
    } catch (error) {
      this.#tell(error, connection)
    }
  }

  #handle(output: Exclude<RelayOutput, { type: 'send' }>): void {
    switch (output.type) {
      case 'close':
        this.#connections.get(output.link)?.close(output.code, '')
        return
      case 'seated':
        this.#connections.get(output.link)?.markKnown?.()
        return
      case 'match':
        if (output.event.type === 'bug') {
          this.#tell(output.event.error, this.#connections.get(output.event.link))
        }
        this.#attempt(() => this.#hooks.handleMatch?.(output))
    }
  }
}

type Hear = (link: Link, bytes: Uint8Array) => void
type HearEnd = (id: number, code: number) => void

/** Hears one connection. The functions are those of all: with thousands, each own one would be a miss. */
class LinkHandler implements ConnectionHandler {
  readonly #id: number
  /** `undefined` when the relay did not want it. */
  readonly #link: Link | undefined
  readonly #hear: Hear
  readonly #end: HearEnd

  constructor(id: number, link: Link | undefined, hear: Hear, end: HearEnd) {
    this.#id = id
    this.#link = link
    this.#hear = hear
    this.#end = end
  }

  handlePacket(bytes: Uint8Array): void {
    if (this.#link !== undefined) this.#hear(this.#link, bytes)
  }

  handleClosed({ code }: ConnectionEnd): void {
    this.#end(this.#id, code)
  }
}
