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
import { setMaxListeners } from 'node:events'
import type { IncomingMessage, Server } from 'node:http'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { closeCodes } from '../../../wire/codes.ts'
import { ConnectError } from '../../connect-error.ts'
import type { Accept } from '../../connection.ts'
import { type FaultListener, guardEntrance } from '../../entrance.ts'
import { refusalStatus, UpgradeGuard, type UpgradeGuardOptions } from '../../node/upgrade-guard.ts'
import { openPeersMax, pendingPeersMax, reachMsMax, strangerMsMin } from '../limits.ts'
import type { FingerprintProof, NegotiationOptions } from '../negotiation.ts'
import { negotiate } from '../negotiation.ts'
import type { IceOptions, MakePeer } from '../peer.ts'
import type { RtcConnection } from '../rtc-connection.ts'
import { signallingPath, signallingProtocol } from '../web-socket-pipe.ts'
import type { NativePeerOptions } from './native-peer.ts'
import { loadNativePeers } from './native-peer.ts'
import { refuseSignalling } from './refuse-signalling.ts'
import { ServerPeer } from './server-peer.ts'
import { makeSignallingServer, SignallingSocket } from './signalling-socket.ts'
import { checkPort } from './udp-port-check.ts'

/** How a door for WebRTC is made. */
export interface RtcDoorOptions extends NativePeerOptions, IceOptions, UpgradeGuardOptions {
  /** `/rtc` when left out. */
  readonly path?: string
  /**
   * What to tell clients instead of this machine's own address, where a router translates it. When left
   * out they are told `bindAddress`, or without one the address that they themselves reached.
   */
  readonly publicAddress?: string
  /**
   * Whether to try the addresses that clients name. Off when left out, unless there are ICE servers:
   * a server with an address of its own never needs them, and strangers would choose where it sends.
   */
  readonly takesCandidates?: boolean
  /** Signs this side's certificate, where TLS does not vouch for it. */
  readonly proof?: FingerprintProof
  /** Defaults to 10 s. */
  readonly timeoutMs?: number
  /** Peers that negotiate at the same time: 256 when left out. */
  readonly pendingMax?: number
  /** Peers that are open: 4 096 when left out. */
  readonly openMax?: number
  /** Hears why somebody got no connection. */
  readonly onRefused?: (reason: string, address: string) => void
  /** Hears of errors of ours, each of which ended one negotiation or one connection. */
  readonly onFault?: FaultListener
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

class Door implements RtcDoor {
  readonly path: string
  readonly #accept: Accept
  readonly #options: RtcDoorOptions
  readonly #makePeer: MakePeer
  readonly #guard: UpgradeGuard
  readonly #sockets: WebSocketServer = makeSignallingServer()
  readonly #closing = new AbortController()
  readonly #timers = new Set<ReturnType<typeof setTimeout>>()
  readonly #counts: Counts = { pending: 0, open: 0 }

  constructor(accept: Accept, options: RtcDoorOptions, makePeer: MakePeer) {
    this.path = options.path ?? signallingPath
    this.#accept = accept
    this.#options = options
    this.#makePeer = makePeer
    this.#guard = new UpgradeGuard({ ...options, path: this.path })
    // Everybody who negotiates listens for the end: hundreds are no leak.
    setMaxListeners(0, this.#closing.signal)
  }

  get pendingCount(): number {
    return this.#counts.pending
  }

  get openCount(): number {
    return this.#counts.open
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
    const handleFault = (error: unknown): void => {
      socket.destroy()
      this.#options.onFault?.(error, address)
    }
    const take = (): void => {
      const status = this.#judge(request, address)
      if (status !== undefined) {
        this.#refuse(socket, status, address)
        return
      }
      // The address that this stranger reached, and thereby knows already.
      const reached = request.socket.localAddress?.replace(/^::ffff:(?=\d+\.)/, '')
      const welcome = guardEntrance((webSocket: WebSocket) => {
        const pipe = new SignallingSocket(webSocket, handleFault)
        this.#negotiate(pipe, address, reached).catch(handleFault)
      }, handleFault)
      // Refuses by itself, with 400 or 405, what is no proper handshake.
      this.#sockets.handleUpgrade(request, socket, head, welcome)
    }
    guardEntrance(take, handleFault)()
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
    const isFull = this.#counts.pending >= pendingMax || this.#counts.open >= openMax
    return isFull || this.#closing.signal.aborted ? 503 : undefined
  }

  async #negotiate(
    pipe: SignallingSocket,
    address: string,
    reached: string | undefined,
  ): Promise<void> {
    const visit = new Visit(this.#admit(address), this.#counts)
    let connection: RtcConnection
    try {
      connection = await negotiate({
        ...this.#negotiationOptions(reached),
        pipe,
        remote: address,
        onOver: () => visit.end(),
        onFault: (error) => this.#options.onFault?.(error, address),
      })
    } catch (error) {
      visit.end()
      pipe.close()
      if (!(error instanceof ConnectError)) throw error
      this.#options.onRefused?.(error.message, address)
      return
    }
    connection.markKnown = () => visit.leave()
    // It may be over already; whoever accepts it is told so.
    visit.noteOpen()
    try {
      this.#accept(connection)
    } catch (error) {
      connection.close(closeCodes['bad-message'], 'The server could not take you')
      throw error
    }
  }

  #negotiationOptions(reached: string | undefined): Omit<NegotiationOptions, 'pipe' | 'remote'> {
    const { iceServers = [], relayOnly = false, proof, timeoutMs, bindAddress } = this.#options
    const { takesCandidates = iceServers.length > 0, publicAddress } = this.#options
    const own = bindAddress === undefined ? reached : undefined
    const peer = this.#makePeer({ iceServers, relayOnly })
    return {
      peer: new ServerPeer(peer, { takesCandidates, toldAddress: publicAddress ?? own }),
      side: 'acceptor',
      proof,
      timeoutMs,
      reachMsMax,
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
      const handleTime = (): void => {
        this.#timers.delete(timer)
        leave()
      }
      const handleFault = (error: unknown): void => this.#options.onFault?.(error, address)
      const timer = setTimeout(guardEntrance(handleTime, handleFault), leftMs)
      this.#timers.add(timer)
    }
  }

  #refuse(socket: Duplex, status: number, address: string): void {
    refuseSignalling(socket, status)
    this.#options.onRefused?.(STATUS_CODES[status] ?? '', address)
  }
}

/** How many visitors a door has, by how far they got. */
interface Counts {
  pending: number
  open: number
}

/** One stranger, from the upgrade to the end of its connection: counted in exactly one place. */
class Visit {
  /** Gives up its place among the strangers of its address. May be called again. */
  readonly leave: () => void
  readonly #counts: Counts
  #phase: 'pending' | 'open' | 'over' = 'pending'

  constructor(leave: () => void, counts: Counts) {
    this.leave = leave
    this.#counts = counts
    counts.pending += 1
  }

  /** Its lanes are open, unless it is over already. */
  noteOpen(): void {
    if (this.#phase !== 'pending') return
    this.#phase = 'open'
    this.#counts.pending -= 1
    this.#counts.open += 1
  }

  /** It is gone, wherever it was. May be called again. */
  end(): void {
    if (this.#phase === 'over') return
    this.#counts[this.#phase] -= 1
    this.#phase = 'over'
    this.leave()
  }
}
