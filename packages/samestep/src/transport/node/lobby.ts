/**
 * Connections of TCP that have not become WebSockets, and who must go when there are too many.
 *
 *     connection ─► waits ─► its request is answered ─► waits ─► … ─► leaves: a WebSocket, or gone
 *                     │ too many wait: the oldest one of whichever address has the most
 *                     ▼
 *                    shed
 *
 * Who says nothing costs about 10 KB, so that ten thousand of them would cost a hundred megabytes
 * (T-22). A limit that refused newcomers would let the silent ones keep the honest out for as long as
 * a request may take. An honest request is there milliseconds after its connection; so the newest stay,
 * and where one address holds hundreds, a neighbour with a single connection is not the one who pays.
 */
import type { Socket } from 'node:net'
import { addressBlock, plainAddress, TrustedProxies } from './address-block.ts'
import { lobbyPerBlockMax, lobbyWaitingMax, lobbyWaitMs } from './websocket-limits.ts'

/** What the lobby asks a socket. */
export type LobbySocket = Pick<Socket, 'remoteAddress' | 'remotePort' | 'destroy'>

/** What the lobby can be told. */
export interface LobbyOptions {
  /** Their connections are neither counted nor shed: many people stand behind each. */
  readonly trustedProxies?: readonly string[]
  /** Connections of one address: 256 when left out. */
  readonly perAddressMax?: number
  /** Connections of all addresses that wait: 512 when left out. */
  readonly waitingMax?: number
  /** Called for each connection that was shed or not taken. */
  readonly onShed?: (reason: ShedReason) => void
}

/** Why a connection had to go. */
export type ShedReason = 'too many connections of one address' | 'too many unfinished requests'

/** One connection. */
interface Guest {
  readonly name: string
  readonly socket: LobbySocket
  readonly block: Block
  /** Requests that are being answered. */
  answering: number
  /** When it has waited enough. */
  waitUntilMs: number
}

/** One address, or one network of IPv6. */
interface Block {
  readonly address: string
  /** All its connections. */
  size: number
  /** Those that wait, the one that waits longest first. */
  readonly waiting: Set<Guest>
}

const nothing = (): void => {}

/** Keeps the connections that are no WebSockets, and drops the oldest of the largest crowd. */
export class Lobby {
  readonly #proxies: TrustedProxies
  readonly #perAddressMax: number
  readonly #waitingMax: number
  readonly #onShed: (reason: ShedReason) => void
  readonly #blocks = new Map<string, Block>()
  /** By address and port: TLS wraps a socket into another one, and these stay the same. */
  readonly #guests = new Map<string, Guest>()
  /** Blocks by how many of theirs wait, so that the fullest is found at once. */
  readonly #blocksByWaiting: Set<Block>[] = []
  #fullest = 0
  #waiting = 0

  constructor(options: LobbyOptions = {}) {
    this.#proxies = new TrustedProxies(options.trustedProxies ?? [])
    this.#perAddressMax = options.perAddressMax ?? lobbyPerBlockMax
    this.#waitingMax = options.waitingMax ?? lobbyWaitingMax
    this.#onShed = options.onShed ?? nothing
  }

  /** Connections that are counted. */
  get size(): number {
    return this.#guests.size
  }

  /** Those among them that nobody answers at the moment. */
  get waiting(): number {
    return this.#waiting
  }

  /**
   * Takes a connection in, and sheds another one for it where that must be. Gives what to call when it
   * ended or became a WebSocket; undefined when it is not taken, and has to go.
   */
  enter(socket: LobbySocket, nowMs: number): (() => void) | undefined {
    const { remoteAddress } = socket
    // It may be gone before anybody looked at it.
    if (remoteAddress === undefined) return undefined
    const address = plainAddress(remoteAddress)
    if (this.#proxies.has(address)) return nothing
    const name = nameOf(socket)
    const block = this.#blockOf(addressBlock(address))
    // One port of a stranger cannot speak to us twice, unless this machine has several addresses.
    if (this.#guests.has(name) || !this.#makeRoomIn(block)) {
      this.#onShed('too many connections of one address')
      return undefined
    }
    const guest: Guest = { name, socket, block, answering: 0, waitUntilMs: nowMs + lobbyWaitMs }
    this.#guests.set(name, guest)
    this.#blocks.set(block.address, block)
    block.size++
    this.#wait(guest)
    return () => this.#leave(guest)
  }

  /** A request is being answered: it is not shed until what this gives is called, with the time. */
  serve(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): (nowMs: number) => void {
    const guest = this.#guests.get(nameOf(socket))
    if (guest === undefined) return nothing
    if (guest.answering++ === 0) this.#stopWaiting(guest)
    return (nowMs) => {
      guest.answering--
      if (guest.answering > 0 || this.#guests.get(guest.name) !== guest) return
      guest.waitUntilMs = nowMs + lobbyWaitMs
      this.#wait(guest)
    }
  }

  /** Ends those that have waited enough. They are few, so that all are looked at. */
  endWaits(nowMs: number): void {
    for (const guest of this.#guests.values()) {
      if (guest.answering > 0 || guest.waitUntilMs > nowMs) continue
      this.#leave(guest)
      guest.socket.destroy()
    }
  }

  /** It became a WebSocket. Harmless when it is not here. */
  leave(socket: Pick<Socket, 'remoteAddress' | 'remotePort'>): void {
    const guest = this.#guests.get(nameOf(socket))
    if (guest !== undefined) this.#leave(guest)
  }

  #blockOf(address: string): Block {
    return this.#blocks.get(address) ?? { address, size: 0, waiting: new Set() }
  }

  /** False when all that an address may have is being answered. */
  #makeRoomIn(block: Block): boolean {
    if (block.size < this.#perAddressMax) return true
    if (block.waiting.size === 0) return false
    this.#shedOldest(block, 'too many connections of one address')
    return true
  }

  #fullestBlock(): Block {
    const [block] = this.#blocksByWaiting[this.#fullest]!
    return block!
  }

  #shedOldest(block: Block, reason: ShedReason = 'too many unfinished requests'): void {
    const [guest] = block.waiting
    this.#leave(guest!)
    guest!.socket.destroy()
    this.#onShed(reason)
  }

  #leave(guest: Guest): void {
    if (this.#guests.get(guest.name) !== guest) return
    this.#guests.delete(guest.name)
    if (guest.answering === 0) this.#stopWaiting(guest)
    guest.block.size--
    if (guest.block.size === 0) this.#blocks.delete(guest.block.address)
  }

  #wait(guest: Guest): void {
    this.#waiting++
    this.#unsort(guest.block)
    guest.block.waiting.add(guest)
    this.#sort(guest.block)
    if (this.#waiting > this.#waitingMax) this.#shedOldest(this.#fullestBlock())
  }

  #stopWaiting(guest: Guest): void {
    this.#waiting--
    this.#unsort(guest.block)
    guest.block.waiting.delete(guest)
    this.#sort(guest.block)
  }

  #unsort(block: Block): void {
    this.#blocksByWaiting[block.waiting.size]?.delete(block)
  }

  /** Blocks are sorted by how many of theirs wait, which changes by one at a time. */
  #sort(block: Block): void {
    const { size } = block.waiting
    if (size > 0) {
      this.#blocksByWaiting[size] ??= new Set()
      this.#blocksByWaiting[size].add(block)
    }
    if (size > this.#fullest) this.#fullest = size
    while (this.#fullest > 0 && this.#blocksByWaiting[this.#fullest]!.size === 0) this.#fullest--
  }
}

function nameOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>) {
  return `${remoteAddress} ${remotePort}`
}
