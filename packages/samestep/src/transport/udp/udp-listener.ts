import { randomBytes } from 'node:crypto'
import type { Socket } from 'node:dgram'
import { UsageError } from '../../base/errors.ts'
import { closeCodes } from '../../wire/codes.ts'
import type { Accept, ConnectionEnd, Listener } from '../connection.ts'
import { type FaultListener, guardEntrance } from '../entrance.ts'
import type { UdpCounters } from './counters.ts'
import { makeKeyPair } from './crypto/x25519.ts'
import { keyBytes } from './limits.ts'
import { type SessionCarrier, UdpConnection } from './udp-connection.ts'
import { bindSocket, UdpPort, type UdpTrouble } from './udp-port.ts'
import { UdpServer } from './udp-server.ts'
import type { UdpOutput, UdpSession } from './udp-session.ts'
import { formatUdpUrl } from './udp-url.ts'
import { WakeTimer } from './wake-timer.ts'

/** Which protocol is spoken above the transport, unless somebody says otherwise. */
export const protocolDefault = 1

/** The options of a UDP listener. */
export interface UdpListenOptions {
  /** An address of this machine; `0.0.0.0` or `::` for all. Defaults to this machine only. */
  readonly host?: string
  /** Defaults to any free port. */
  readonly port?: number
  /**
   * 32 secret random bytes. With them the relay keeps its identity after a restart, so that URLs with its
   * key stay valid. Without them it has a new identity each time.
   */
  readonly secretKey?: Uint8Array
  /** If given, clients need a ticket that `issueTicket` made with this key. */
  readonly ticketKey?: Uint8Array
  /** A number that both sides must agree on. Defaults to 1. */
  readonly protocol?: number
  /** The maximum number of sessions at a time. Defaults to 16 384. */
  readonly sessionsMax?: number
  /** The maximum number of handshakes and sessions per address that have not joined. Defaults to 16. */
  readonly strangersPerAddress?: number
  /** Called when datagrams cannot be sent, and when the port fails and is reopened. */
  readonly onTrouble?: (trouble: UdpTrouble) => void
  /**
   * Called with internal errors, each of which ended at most one connection. By default they are thrown,
   * and end the process.
   */
  readonly onFault?: FaultListener
}

/** A UDP port that accepts sessions. */
export interface UdpListener extends Listener {
  /** `drop.<reason>`, `error.<code>`, `accepted`, `rebind`, `broken`, `reopened`. */
  readonly counters: UdpCounters
  /** Resolves when the port is free: after `close`, at most a second after the last goodbye. */
  readonly freed: Promise<void>
}

/**
 * Opens a UDP port. Its `url` carries the public key, by which clients recognise this relay.
 *
 * Rejects with `SS_BAD_ARGUMENT` for a key of the wrong length or an invalid port, and with
 * `SS_CANNOT_LISTEN` if the port cannot be opened.
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

type PortOptions = UdpListenOptions & { readonly secretKey: Uint8Array }

/** The socket, the machine and the connections of one port. */
class ListeningPort implements SessionCarrier {
  readonly url: string
  /** Of all sessions together, so no one of them is to blame for it. */
  readonly queueBytes = 0
  readonly freed: Promise<void>
  readonly #accept: Accept
  readonly #server: UdpServer
  readonly #port: UdpPort
  readonly #onFault: FaultListener
  readonly #timer = new WakeTimer(
    guardEntrance(
      () => this.#wake(),
      (error) => this.handleFault(error),
    ),
  )
  readonly #connections = new Map<UdpSession, UdpConnection>()
  #onFreed: () => void = () => {}
  #isDraining = false
  #isStopping = false

  constructor(socket: Socket, accept: Accept, options: PortOptions) {
    this.#accept = accept
    this.#onFault = options.onFault ?? throwOn
    this.freed = new Promise((resolve) => {
      this.#onFreed = resolve
    })
    const { secretKey, ticketKey, sessionsMax, strangersPerAddress } = options
    this.#server = new UdpServer(
      {
        secretKey,
        protocol: options.protocol ?? protocolDefault,
        random: randomBytes,
        unixMs: Date.now,
        ...(ticketKey === undefined ? {} : { ticketKey }),
        ...(sessionsMax === undefined ? {} : { sessionsMax }),
        ...(strangersPerAddress === undefined ? {} : { strangersPerAddress }),
      },
      performance.now(),
    )
    this.#port = new UdpPort(socket, this.#server.counters, {
      handleDatagram: (bytes, from) => {
        this.#server.handleDatagram(bytes, from, performance.now())
        this.#drain()
      },
      handleTrouble: (trouble) => options.onTrouble?.(trouble),
      handleFault: (error) => this.handleFault(error),
    })
    const { host, port } = this.#port
    const { publicKey } = makeKeyPair(secretKey)
    this.url = formatUdpUrl({ host, port, key: publicKey })
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

  markKnown(session: UdpSession): void {
    this.#server.markKnown(session)
  }

  handleFault(error: unknown, connection?: UdpConnection): void {
    connection?.close(closeCodes['bad-message'], 'Internal relay error')
    this.#onFault(error, connection?.remote)
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
    const server = this.#server
    try {
      for (let next = server.pollOutput(); next; next = server.pollOutput()) this.#perform(next)
    } finally {
      this.#isDraining = false
    }
    if (this.#isStopping && server.sessionCount === 0) this.#shut()
    else this.#timer.arm(server.wakeAtMs())
  }

  #perform(output: UdpOutput): void {
    switch (output.type) {
      case 'transmit':
        this.#port.send(output.bytes, output.to)
        return
      case 'accepted': {
        const connection = new UdpConnection(output.session, this)
        this.#connections.set(output.session, connection)
        try {
          this.#accept(connection)
        } catch (error) {
          this.handleFault(error, connection)
        }
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
    this.#port.close(this.#onFreed)
  }
}

function throwOn(error: unknown): never {
  throw error
}
