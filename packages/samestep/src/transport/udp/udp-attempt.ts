/** One attempt to reach a relay at one address, and the connection that may come of it. */
import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { ConnectError } from '../connect-error.ts'
import type { ConnectionEnd } from '../connection.ts'
import type { KeyPair } from './crypto/x25519.ts'
import { UdpClient, type UdpClientOutput } from './udp-client.ts'
import { type SessionCarrier, UdpConnection } from './udp-connection.ts'
import type { UdpAddress } from './udp-format.ts'
import type { UdpSession } from './udp-session.ts'
import { codeOf, UdpSocket } from './udp-socket.ts'
import { WakeTimer } from './wake-timer.ts'

/** What an attempt is told. */
export interface AttemptOptions {
  readonly url: string
  readonly family: 4 | 6
  readonly server: UdpAddress
  readonly serverKey: Uint8Array | undefined
  readonly key: KeyPair | undefined
  readonly ticket: Uint8Array | undefined
  readonly protocol: number
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/** Refusals until somebody gives up. One may be forged, or the relay may be about to start. */
const refusalsMax = 2

/** Resolves with a connection, or rejects with a `ConnectError` and leaves nothing open behind. */
export function dialAddress(options: AttemptOptions): Promise<UdpConnection> {
  const { url, family, server, signal } = options
  return new Promise((resolve, reject) => {
    const socket = createSocket(family === 6 ? 'udp6' : 'udp4')
    let port: DialledPort | undefined
    const settle = (result: UdpConnection | ConnectError) => {
      signal?.removeEventListener('abort', onAbort)
      if (result instanceof UdpConnection) resolve(result)
      else reject(result)
    }
    const fail = (error: ConnectError) => {
      if (port === undefined) socket.close()
      settle(error)
    }
    const onAbort = () => {
      port?.drop()
      fail(ConnectError.aborted(url, signal?.reason))
    }
    signal?.addEventListener('abort', onAbort)
    socket.once('error', (cause) => fail(unreachable(url, cause)))
    socket.connect(server.port, server.address, () => {
      if (signal?.aborted) return
      port = new DialledPort(socket, options, settle)
    })
  })
}

function unreachable(url: string, cause: unknown): ConnectError {
  const what = `there is no route to it (${codeOf(cause)})`
  return new ConnectError('SS_CONNECT_UNREACHABLE', url, what, { cause })
}

/** The socket, the machine and the connection of one dial. */
class DialledPort implements SessionCarrier {
  readonly #options: AttemptOptions
  readonly #settle: (result: UdpConnection | ConnectError) => void
  readonly #client: UdpClient
  readonly #socket: UdpSocket
  readonly #timer = new WakeTimer(() => this.#wake())
  #connection: UdpConnection | undefined
  #refusals = 0
  #isDraining = false
  #isDropped = false

  constructor(
    socket: Socket,
    options: AttemptOptions,
    settle: (result: UdpConnection | ConnectError) => void,
  ) {
    this.#options = options
    this.#settle = settle
    const { server, serverKey, key, ticket, protocol, timeoutMs } = options
    // Compared with where datagrams come from, so written as the system writes it.
    const remote = socket.remoteAddress()
    this.#client = new UdpClient(
      {
        server: { address: remote.address, port: server.port },
        protocol,
        timeoutMs,
        random: randomBytes,
        ...(serverKey === undefined ? {} : { serverKey }),
        ...(key === undefined ? {} : { key }),
        ...(ticket === undefined ? {} : { ticket }),
      },
      performance.now(),
    )
    this.#socket = new UdpSocket(
      socket,
      {
        handleDatagram: (bytes, from) => {
          this.#client.handleDatagram(bytes, from, performance.now())
          this.#drain()
        },
        handleRefused: () => this.#handleRefused(),
        handleBroken: (reason) => {
          this.#client.abort(reason)
          this.#drain()
        },
      },
      this.#client.counters,
    )
    this.#drain()
  }

  get queueBytes(): number {
    return this.#socket.queueBytes
  }

  send(_session: UdpSession, packet: Uint8Array): void {
    this.#client.send(packet, performance.now())
    this.#drain()
  }

  close(_session: UdpSession, end: ConnectionEnd): void {
    this.#client.close(end, performance.now())
    // Goodbye is said a few times more, unless the process has nothing else to do.
    this.#socket.unref()
    this.#drain()
  }

  /** Gives up without a word. */
  drop(): void {
    this.#isDropped = true
    this.#timer.stop()
    this.#socket.close()
  }

  /** Only before anybody answered: later it may be forged, and the link machine knows better (T-10). */
  #handleRefused(): void {
    if (this.#client.isAnswered || ++this.#refusals < refusalsMax) return
    this.drop()
    const what = 'nothing listens there'
    this.#settle(new ConnectError('SS_CONNECT_REFUSED', this.#options.url, what))
  }

  #wake(): void {
    this.#client.handleTime(performance.now())
    this.#drain()
  }

  #drain(): void {
    if (this.#isDraining || this.#isDropped) return
    this.#isDraining = true
    try {
      const client = this.#client
      for (let next = client.pollOutput(); next; next = client.pollOutput()) this.#perform(next)
    } finally {
      this.#isDraining = false
    }
    const wakeAtMs = this.#client.wakeAtMs()
    if (wakeAtMs === Number.POSITIVE_INFINITY) this.drop()
    else this.#timer.arm(wakeAtMs)
  }

  #perform(output: UdpClientOutput): void {
    switch (output.type) {
      case 'transmit':
        this.#socket.send(output.bytes)
        return
      case 'accepted':
        this.#connection = new UdpConnection(output.session, this)
        this.#settle(this.#connection)
        return
      case 'packet':
        if (this.#connection?.handlePacket(output.bytes) === false) {
          this.#client.counters.drop('unopened')
        }
        return
      case 'ended':
        this.#connection?.handleEnd(output.end)
        return
      case 'failed':
        this.#settle(this.#failure(output.code))
    }
  }

  #failure(code: number | undefined): ConnectError {
    const { url, timeoutMs } = this.#options
    if (code === undefined) return ConnectError.timedOut(url, timeoutMs)
    return new ConnectError('SS_CONNECT_REJECTED', url, `it refuses with close code ${code}`)
  }
}
