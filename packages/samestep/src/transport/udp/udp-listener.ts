import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { UsageError } from '../../base/errors.ts'
import type { Accept, ConnectionEnd, Listener } from '../connection.ts'
import type { UdpCounters } from './counters.ts'
import { keyBytes, receiveBufferBytes } from './limits.ts'
import { type SessionCarrier, UdpConnection } from './udp-connection.ts'
import { UdpServer } from './udp-server.ts'
import type { UdpOutput, UdpSession } from './udp-session.ts'
import { UdpSocket } from './udp-socket.ts'
import { formatHostPort, formatUdpUrl } from './udp-url.ts'
import { WakeTimer } from './wake-timer.ts'
import { makeKeyPair } from './x25519.ts'

/** Which protocol is spoken above the transport, unless somebody says otherwise. */
export const protocolDefault = 1

/** What a UDP listener can be told. */
export interface UdpListenOptions {
  /** An address of this machine, `0.0.0.0` or `::` for all. Only this machine, if left out. */
  readonly host?: string
  /** Any free one if left out. */
  readonly port?: number
  /**
   * 32 secret random bytes that make this relay the same one after a restart, so that links with its
   * key stay good. Without them it is somebody new each time.
   */
  readonly secretKey?: Uint8Array
  /** If given, nobody gets in without a ticket that `issueTicket` made with it. */
  readonly ticketKey?: Uint8Array
  /** A number that both sides must agree on; 1 if left out. */
  readonly protocol?: number
  /** Sessions at the same time; 16 384 if left out. */
  readonly sessionsMax?: number
}

/** A UDP port that takes sessions. */
export interface UdpListener extends Listener {
  /** `drop.<reason>`, `error.<code>`, `accepted`, `rebind`. */
  readonly counters: UdpCounters
  /** Resolves when the port is free: after `close`, and a second after the last goodbye at most. */
  readonly freed: Promise<void>
}

/**
 * Opens a UDP port. Its `url` carries the public key, by which clients recognise this relay.
 *
 * Rejects with `SS_BAD_ARGUMENT` for a key of the wrong length or an impossible port, and with `SS_CANNOT_LISTEN` when the
 * system does not give the port.
 */
export async function listenUdp(
  accept: Accept,
  options: UdpListenOptions = {},
): Promise<UdpListener> {
  const { host = '127.0.0.1', port = 0 } = options
  const secretKey = options.secretKey ?? randomBytes(keyBytes)
  checkKey('secret', secretKey)
  // Node takes any number and binds what is left of it in 16 bits.
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot listen: the port is ${port}; it must be an integer from 0 to 65535`,
    )
  }
  if (options.ticketKey !== undefined) checkKey('ticket', options.ticketKey)
  const socket = await bindSocket(host, port)
  const listening = new ListeningPort(socket, accept, { ...options, secretKey })
  const { url, counters, freed } = listening
  return { url, counters, freed, close: () => listening.stop() }
}

function checkKey(what: string, key: Uint8Array): void {
  if (key.length === keyBytes) return
  throw new UsageError(
    'SS_BAD_ARGUMENT',
    `Cannot listen: the ${what} key has ${key.length} bytes; it must have ${keyBytes}`,
  )
}

function bindSocket(host: string, port: number): Promise<Socket> {
  const family = isIPv6(host) ? 6 : 4
  return new Promise((resolve, reject) => {
    const socket = createSocket({
      type: family === 6 ? 'udp6' : 'udp4',
      // Datagrams go to addresses, never to names: nothing to look up, so nothing to wait for.
      lookup: (address, _options, callback) => callback(null, address, family),
    })
    const onError = (cause: unknown) => {
      socket.close()
      const problem = cause instanceof Error ? cause.message : String(cause)
      const message = `Cannot listen at ${formatHostPort(host, port)}: ${problem}`
      reject(new UsageError('SS_CANNOT_LISTEN', message, { cause }))
    }
    socket.once('error', onError)
    try {
      socket.bind({ port, address: host }, () => {
        widen(socket)
        resolve(socket)
      })
    } catch (cause) {
      onError(cause)
    }
  })
}

/** A pause for garbage under a flood must not cost players their packets. */
function widen(socket: Socket): void {
  try {
    socket.setRecvBufferSize(receiveBufferBytes)
  } catch {
    // Some systems refuse what others cut down to what they allow. Then it stays as it is.
  }
}

type PortOptions = UdpListenOptions & { readonly secretKey: Uint8Array }

/** The socket, the machine and the connections of one port. */
class ListeningPort implements SessionCarrier {
  readonly url: string
  /** Of all sessions together, so no one of them is to blame for it. */
  readonly queueBytes = 0
  readonly #accept: Accept
  readonly #server: UdpServer
  readonly #socket: UdpSocket
  readonly #timer = new WakeTimer(() => this.#wake())
  readonly #connections = new Map<UdpSession, UdpConnection>()
  readonly freed: Promise<void>
  #onFreed: () => void = () => {}
  #isDraining = false
  #isStopping = false

  constructor(socket: Socket, accept: Accept, options: PortOptions) {
    const { address, port } = socket.address()
    const { publicKey } = makeKeyPair(options.secretKey)
    this.url = formatUdpUrl({ host: address, port, key: publicKey })
    this.#accept = accept
    this.freed = new Promise((resolve) => {
      this.#onFreed = resolve
    })
    this.#server = new UdpServer(
      {
        secretKey: options.secretKey,
        protocol: options.protocol ?? protocolDefault,
        random: randomBytes,
        unixMs: Date.now,
        ...(options.ticketKey === undefined ? {} : { ticketKey: options.ticketKey }),
        ...(options.sessionsMax === undefined ? {} : { sessionsMax: options.sessionsMax }),
      },
      performance.now(),
    )
    this.#socket = new UdpSocket(
      socket,
      {
        handleDatagram: (bytes, from) => {
          this.#server.handleDatagram(bytes, from, performance.now())
          this.#drain()
        },
        // Somebody is gone. Who that is shows soon, and not by what anybody can forge.
        handleRefused: () => {},
        handleBroken: (reason) => {
          this.#server.abort(reason)
          this.#drain()
        },
      },
      this.#server.counters,
    )
  }

  get counters(): UdpCounters {
    return this.#server.counters
  }

  send(session: UdpSession, packet: Uint8Array): void {
    this.#server.send(session, packet, performance.now())
    this.#drain()
  }

  close(session: UdpSession, end: ConnectionEnd): void {
    this.#server.close(session, end, performance.now())
    this.#drain()
  }

  /** Takes no more sessions. The port is free when the last one is gone. */
  async stop(): Promise<void> {
    this.#server.stopAccepting()
    this.#isStopping = true
    if (this.#server.sessionCount > 0) return
    this.#shut()
    await this.freed
  }

  #wake(): void {
    this.#server.handleTime(performance.now())
    this.#drain()
  }

  /** Does what the machine wants. Handlers run in here, and what they send is done before it returns. */
  #drain(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    try {
      const server = this.#server
      for (let next = server.pollOutput(); next; next = server.pollOutput()) this.#perform(next)
    } finally {
      this.#isDraining = false
    }
    if (this.#isStopping && this.#server.sessionCount === 0) this.#shut()
    else this.#timer.arm(this.#server.wakeAtMs())
  }

  #perform(output: UdpOutput): void {
    switch (output.type) {
      case 'transmit':
        this.#socket.send(output.bytes, output.to)
        return
      case 'accepted': {
        const connection = new UdpConnection(output.session, this)
        this.#connections.set(output.session, connection)
        this.#accept(connection)
        return
      }
      case 'packet': {
        const connection = this.#connections.get(output.session)
        if (connection?.handlePacket(output.bytes) === false) this.counters.drop('unopened')
        return
      }
      case 'ended':
        this.#connections.get(output.session)?.handleEnd(output.end)
        this.#connections.delete(output.session)
    }
  }

  #shut(): void {
    this.#timer.stop()
    this.#socket.close(this.#onFreed)
  }
}
