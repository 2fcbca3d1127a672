/**
 * The door for WebRTC on the relay's own HTTP server: signalling by WebSocket at `/rtc`, then the
 * data channels, all of them on one UDP port.
 *
 *     upgrade ──► origin? place? ──► offer, answer ──► lanes open ──► accept(connection)
 *                 403     429, 503   10 s at most      place free when it is known
 *
 * It only looks at upgrades for its own path, so that it shares a server, and the rules of who may
 * come in, with the game's WebSocket.
 */
import { createSocket } from 'node:dgram'
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { UsageError } from '../../../base/errors.ts'
import type { Accept } from '../../connection.ts'
import { refusalStatus, UpgradeGuard, type UpgradeGuardOptions } from '../../node/upgrade-guard.ts'
import { openPeersMax, pendingPeersMax, signallingBytesMax, strangerMsMin } from '../limits.ts'
import type { FingerprintProof, NegotiationOptions } from '../negotiation.ts'
import { negotiate } from '../negotiation.ts'
import type { IceOptions, MakePeer } from '../peer.ts'
import type { PlainSocket } from '../web-socket-pipe.ts'
import { signallingPath, signallingProtocol, WebSocketPipe } from '../web-socket-pipe.ts'
import type { NativePeerOptions } from './native-peer.ts'
import { loadNativePeers } from './native-peer.ts'
import { ServerPeer } from './server-peer.ts'

/** How a door for WebRTC is made. */
export interface RtcDoorOptions extends NativePeerOptions, IceOptions, UpgradeGuardOptions {
  /** `/rtc` when left out. */
  readonly path?: string
  /** What to tell clients instead of this machine's own addresses, where a router translates them. */
  readonly publicAddress?: string
  /**
   * Whether to try the addresses that clients name. Off when left out, unless there are ICE servers:
   * a server with an address of its own never needs them, and strangers would choose where it sends.
   */
  readonly takesCandidates?: boolean
  /** Signs this side's certificate, where TLS does not vouch for it. */
  readonly proof?: FingerprintProof
  /** 10 s when left out. */
  readonly timeoutMs?: number
  /** Peers that negotiate at the same time: 256 when left out. */
  readonly pendingMax?: number
  /** Peers that are open: 4 096 when left out. */
  readonly openMax?: number
  /** Hears why somebody got no connection. */
  readonly onRefused?: (reason: string, address: string) => void
}

/** A door for WebRTC. */
export interface RtcDoor {
  readonly path: string
  /** Peers that negotiate. */
  readonly pendingCount: number
  /** Peers whose lanes are open. */
  readonly openCount: number
  /** Takes the upgrades of a server that are for its path, beside whoever takes the others. */
  attach(server: Server): void
  /** Takes an upgrade, or returns false when it is for somebody else's path. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean
  /** Takes no more; those that are open stay until they are closed. */
  close(): Promise<void>
}

/**
 * Opens a door for WebRTC. Loads the native library.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` where that is missing, or the UDP port is taken.
 */
export async function openRtcDoor(accept: Accept, options: RtcDoorOptions = {}): Promise<RtcDoor> {
  const makePeer = await loadNativePeers(options)
  await checkPort(options)
  return new Door(accept, options, makePeer)
}

/** Ports that doors of this process have had. The library lets go of them in a thread of its own. */
const ownPorts = new Set<number>()

/** How often, and how far apart, a port that was ours is looked at again: a second in all. */
const looks = 50
const lookEveryMs = 20

/**
 * Looks whether the UDP port is free, so that a mistake is noticed before players come. It is let go
 * again: the library opens it with its first peer, and closes it a moment after its last.
 */
async function checkPort({ udpPort, bindAddress }: NativePeerOptions): Promise<void> {
  if (udpPort === undefined) return
  for (let left = ownPorts.has(udpPort) ? looks : 1; left > 0; left--) {
    const cause = await tryPort(udpPort, bindAddress)
    if (cause === undefined) break
    if (left === 1) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot open WebRTC: the UDP port ${udpPort} is taken or not allowed; it must be free`,
        { cause },
      )
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  ownPorts.add(udpPort)
}

/** Why a port cannot be had; undefined when it can. */
async function tryPort(port: number, address: string | undefined): Promise<unknown> {
  const socket = createSocket(address?.includes(':') ? 'udp6' : 'udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind({ port, address, exclusive: true }, resolve)
    })
    return undefined
  } catch (cause) {
    return cause
  } finally {
    socket.close()
  }
}

class Door implements RtcDoor {
  readonly path: string
  readonly #accept: Accept
  readonly #options: RtcDoorOptions
  readonly #makePeer: MakePeer
  readonly #guard: UpgradeGuard
  readonly #sockets: WebSocketServer
  readonly #closing = new AbortController()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  #pendingCount = 0
  #openCount = 0

  constructor(accept: Accept, options: RtcDoorOptions, makePeer: MakePeer) {
    this.path = options.path ?? signallingPath
    this.#accept = accept
    this.#options = options
    this.#makePeer = makePeer
    this.#guard = new UpgradeGuard({ ...options, path: this.path })
    // Everybody who negotiates listens for the end: hundreds are no leak.
    setMaxListeners(0, this.#closing.signal)
    this.#sockets = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      // Descriptions are short, and inflating costs a stranger nothing and us memory.
      perMessageDeflate: false,
      maxPayload: signallingBytesMax,
      handleProtocols: (offered) => offered.has(signallingProtocol) && signallingProtocol,
    })
  }

  get pendingCount(): number {
    return this.#pendingCount
  }

  get openCount(): number {
    return this.#openCount
  }

  attach(server: Server): void {
    const take = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
      if (this.handleUpgrade(request, socket, head)) return
      // Somebody else on the same server may know the path.
      if (server.listenerCount('upgrade') === 1) this.#refuse(socket, refusalStatus.path, '')
    }
    server.on('upgrade', take)
    this.#closing.signal.addEventListener('abort', () => server.off('upgrade', take))
  }

  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    if (!this.#guard.isOurs(request)) return false
    const address = this.#guard.addressOf(request)
    const status = this.#judge(request, address)
    if (status !== undefined) {
      this.#refuse(socket, status, address)
      return true
    }
    // Refuses by itself, with 400 or 405, what is no proper handshake.
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      void this.#negotiate(webSocket as unknown as PlainSocket, address)
    })
    return true
  }

  async close(): Promise<void> {
    this.#closing.abort('the server closes')
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#sockets.close()
  }

  /** The HTTP status that says why not, or undefined. */
  #judge(request: IncomingMessage, address: string): number | undefined {
    const { pendingMax = pendingPeersMax, openMax = openPeersMax } = this.#options
    const refusal = this.#guard.judge(request, address)
    if (refusal !== undefined) return refusalStatus[refusal]
    const offered = String(request.headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
    if (!offered.includes(signallingProtocol)) return 400
    const isFull = this.#pendingCount >= pendingMax || this.#openCount >= openMax
    return isFull || this.#closing.signal.aborted ? 503 : undefined
  }

  async #negotiate(webSocket: PlainSocket, address: string): Promise<void> {
    const pipe = new WebSocketPipe(webSocket)
    const leave = this.#admit(address)
    let phase: 'pending' | 'open' | 'over' = 'pending'
    this.#pendingCount += 1
    try {
      const connection = await negotiate({
        ...this.#negotiationOptions(),
        pipe,
        remote: address,
        onOver: () => {
          leave()
          if (phase === 'open') this.#openCount -= 1
          phase = 'over'
        },
      })
      connection.markKnown = leave
      // It may be over already; whoever accepts it is told so.
      if ((phase as string) !== 'over') {
        phase = 'open'
        this.#openCount += 1
      }
      this.#pendingCount -= 1
      this.#accept(connection)
    } catch (error) {
      this.#pendingCount -= 1
      leave()
      pipe.close()
      this.#options.onRefused?.(error instanceof Error ? error.message : String(error), address)
    }
  }

  #negotiationOptions(): Omit<NegotiationOptions, 'pipe' | 'remote'> {
    const { iceServers = [], relayOnly = false, proof, publicAddress, timeoutMs } = this.#options
    const { takesCandidates = iceServers.length > 0 } = this.#options
    const peer = this.#makePeer({ iceServers, relayOnly })
    return {
      peer: new ServerPeer(peer, { takesCandidates, publicAddress }),
      side: 'acceptor',
      proof,
      timeoutMs,
      signal: this.#closing.signal,
    }
  }

  /** Counts a stranger of an address. The function that it returns uncounts it, but not too soon. */
  #admit(address: string): () => void {
    const leave = this.#guard.admit(address)
    const atMs = performance.now()
    return () => {
      const leftMs = atMs + strangerMsMin - performance.now()
      if (leftMs <= 0 || this.#closing.signal.aborted) {
        leave()
        return
      }
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        leave()
      }, leftMs)
      this.#timers.add(timer)
    }
  }

  #refuse(socket: Duplex, status: number, address: string): void {
    const text = STATUS_CODES[status] ?? ''
    socket.on('error', () => socket.destroy())
    socket.end(`HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    this.#options.onRefused?.(text, address)
  }
}
