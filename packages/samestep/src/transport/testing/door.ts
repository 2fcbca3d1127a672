import type { Connection } from '../connection.ts'
import {
  listenWebSocket,
  type WebSocketListener,
  type WebSocketListenOptions,
} from '../node/websocket-server.ts'
import { RawClient } from './raw-websocket.ts'
import { Recorder, until } from './recorder.ts'

/** A WebSocket listener on loopback, what it accepted, and clients that keep no rule. */
export class Door {
  readonly listener: WebSocketListener
  readonly port: number
  readonly accepted: Connection[]
  readonly recorders: Recorder[]
  readonly #clients: RawClient[] = []

  private constructor(listener: WebSocketListener, accepted: Connection[], recorders: Recorder[]) {
    this.listener = listener
    this.port = Number(new URL(listener.url).port)
    this.accepted = accepted
    this.recorders = recorders
  }

  static async open(options: WebSocketListenOptions = {}): Promise<Door> {
    const accepted: Connection[] = []
    const recorders: Recorder[] = []
    const listener = await listenWebSocket((connection) => {
      accepted.push(connection)
      recorders.push(new Recorder(connection))
    }, options)
    return new Door(listener, accepted, recorders)
  }

  /** A socket to the listener that has said nothing yet. */
  knock(): RawClient {
    const client = new RawClient(this.port)
    this.#clients.push(client)
    return client
  }

  /** A client that was let in, and the end that the listener gave. */
  async enter(
    lines: Readonly<Record<string, string | undefined>> = {},
  ): Promise<{ client: RawClient; inside: Recorder; connection: Connection }> {
    const count = this.accepted.length
    const client = this.knock().upgrade(lines)
    await client.answered()
    await until(() => this.accepted.length > count, 'an accepted connection')
    return { client, inside: this.recorders[count]!, connection: this.accepted[count]! }
  }

  async close(): Promise<void> {
    for (const client of this.#clients) client.destroy()
    await this.listener.close()
  }
}
