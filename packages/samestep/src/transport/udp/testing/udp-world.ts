/** A UDP server and its clients in one process under virtual time: no socket, no waiting. */
import { Prng } from '../../../base/prng.ts'
import type { ConnectionEnd } from '../../connection.ts'
import { makeKeyPair, type RandomBytes } from '../crypto/x25519.ts'
import { silenceMsDefault } from '../limits.ts'
import { UdpClient, type UdpClientOptions } from '../udp-client.ts'
import type { UdpAddress } from '../udp-format.ts'
import { UdpServer, type UdpServerOptions } from '../udp-server.ts'
import type { UdpOutput, UdpSession } from '../udp-session.ts'

/** Random bytes that a seed decides. */
export function seededBytes(seed: number, name = 'bytes'): RandomBytes {
  const prng = new Prng(seed, name)
  return (size) => Uint8Array.from({ length: size }, () => prng.below(256))
}

/** What is on its way. */
export interface Flight {
  readonly from: UdpAddress
  readonly to: UdpAddress
  readonly bytes: Uint8Array
  readonly atMs: number
}

/** Where the server of a world is. */
export const serverAddress: UdpAddress = { address: '198.51.100.1', port: 7_777 }

/** Where the `index`th client is. */
export function clientAddress(index: number): UdpAddress {
  return { address: `203.0.113.${index}`, port: 40_000 + index }
}

/** One client and what it heard. */
export class WorldClient {
  address: UdpAddress
  readonly client: UdpClient
  readonly heard: Uint8Array[] = []
  readonly ends: ConnectionEnd[] = []
  failure: { readonly code: number | undefined } | undefined
  session: UdpSession | undefined

  constructor(client: UdpClient, address: UdpAddress) {
    this.client = client
    this.address = address
  }
}

/** One UDP server and any number of clients under virtual time. */
export class UdpWorld {
  nowMs = 1_000
  readonly latencyMs = 10
  readonly secretKey = seededBytes(99, 'server')(32)
  readonly publicKey = makeKeyPair(this.secretKey).publicKey
  server: UdpServer
  readonly clients: WorldClient[] = []
  readonly accepted: UdpSession[] = []
  readonly heard = new Map<UdpSession, Uint8Array[]>()
  readonly ends: { readonly session: UdpSession; readonly end: ConnectionEnd }[] = []
  /** Everything that was ever sent, whether it arrived or not. */
  readonly log: Flight[] = []
  /** Whether whoever is accepted joins a match at once, as players do. */
  joins = true
  /** Decides what is lost. */
  isLost: (flight: Flight) => boolean = () => false
  #flights: Flight[] = []
  readonly #serverOptions: Partial<UdpServerOptions>
  #seed: number

  constructor(seed = 1, serverOptions: Partial<UdpServerOptions> = {}) {
    this.#seed = seed
    this.#serverOptions = serverOptions
    this.server = this.#makeServer()
  }

  /** The server dies and another one begins at the same address, with the same secret key. */
  restartServer(): void {
    this.server = this.#makeServer()
  }

  addClient(options: Partial<UdpClientOptions> = {}, address?: UdpAddress): WorldClient {
    const index = this.clients.length + 1
    const client = new UdpClient(
      {
        server: serverAddress,
        serverKey: this.publicKey,
        protocol: 1,
        random: seededBytes(this.#seed++, 'client'),
        ...options,
      },
      this.nowMs,
    )
    const added = new WorldClient(client, address ?? clientAddress(index))
    this.clients.push(added)
    this.drain()
    return added
  }

  /** A client that knows nobody. */
  addStranger(options: Partial<UdpClientOptions> = {}, address?: UdpAddress): WorldClient {
    const { serverKey: _, ...rest } = { serverKey: undefined, ...options }
    const index = this.clients.length + 1
    const random = seededBytes(this.#seed++, 'stranger')
    const base = { server: serverAddress, protocol: 1, random }
    const client = new UdpClient({ ...base, ...rest }, this.nowMs)
    const added = new WorldClient(client, address ?? clientAddress(index))
    this.clients.push(added)
    this.drain()
    return added
  }

  /** Puts a datagram on its way, from whomever. */
  inject(bytes: Uint8Array, from: UdpAddress, to: UdpAddress = serverAddress): void {
    this.#fly(bytes, from, to)
  }

  /** Gives the server a datagram now, and says what it sends back because of it. */
  poke(bytes: Uint8Array, from: UdpAddress): readonly Flight[] {
    const before = this.log.length
    this.server.handleDatagram(bytes, from, this.nowMs)
    this.drain()
    return this.log.slice(before)
  }

  /** Lets time pass. */
  run(durationMs: number): void {
    const untilMs = this.nowMs + durationMs
    for (let events = 0; ; events++) {
      if (events > 1_000_000) throw new Error('Something spins')
      this.drain()
      const next = this.#nextAtMs()
      if (next > untilMs) break
      this.nowMs = Math.max(this.nowMs, next)
      this.#tick()
    }
    this.nowMs = untilMs
    this.drain()
  }

  /** What the server heard of a session. */
  heardBy(session: UdpSession | undefined): readonly Uint8Array[] {
    return (session && this.heard.get(session)) ?? []
  }

  /** Moves everything that machines want sent onto the network. */
  drain(): void {
    for (let next = this.server.pollOutput(); next; next = this.server.pollOutput()) {
      this.#performServer(next)
    }
    for (const entry of this.clients) {
      const { client } = entry
      for (let next = client.pollOutput(); next; next = client.pollOutput()) {
        if (next.type === 'transmit') this.#fly(next.bytes, entry.address, next.to)
        else if (next.type === 'accepted') entry.session = next.session
        else if (next.type === 'packet') entry.heard.push(next.bytes)
        else if (next.type === 'ended') entry.ends.push(next.end)
        else entry.failure = { code: next.code }
      }
    }
  }

  #performServer(next: UdpOutput): void {
    if (next.type === 'transmit') this.#fly(next.bytes, serverAddress, next.to)
    else if (next.type === 'accepted') {
      this.accepted.push(next.session)
      this.heard.set(next.session, [])
      if (this.joins) this.server.markKnown(next.session)
    } else if (next.type === 'packet') this.heard.get(next.session)!.push(next.bytes)
    else this.ends.push({ session: next.session, end: next.end })
  }

  #fly(bytes: Uint8Array, from: UdpAddress, to: UdpAddress): void {
    const flight = { bytes, from, to, atMs: this.nowMs + this.latencyMs }
    this.log.push(flight)
    if (!this.isLost(flight)) this.#flights.push(flight)
  }

  #nextAtMs(): number {
    let soonest = this.server.wakeAtMs()
    for (const { client } of this.clients) soonest = Math.min(soonest, client.wakeAtMs())
    for (const { atMs } of this.#flights) soonest = Math.min(soonest, atMs)
    return soonest
  }

  #tick(): void {
    const due = this.#flights.filter(({ atMs }) => atMs <= this.nowMs)
    this.#flights = this.#flights.filter(({ atMs }) => atMs > this.nowMs)
    for (const { bytes, from, to } of due) {
      if (to.port === serverAddress.port && to.address === serverAddress.address) {
        this.server.handleDatagram(bytes, from, this.nowMs)
      }
      for (const { client, address } of this.clients) {
        if (address.port !== to.port || address.address !== to.address) continue
        client.handleDatagram(bytes, from, this.nowMs)
      }
    }
    if (this.server.wakeAtMs() <= this.nowMs) this.server.handleTime(this.nowMs)
    for (const { client } of this.clients) {
      if (client.wakeAtMs() <= this.nowMs) client.handleTime(this.nowMs)
    }
  }

  #makeServer(): UdpServer {
    return new UdpServer(
      {
        secretKey: this.secretKey,
        protocol: 1,
        random: seededBytes(this.#seed++, 'server'),
        unixMs: () => this.nowMs,
        ...this.#serverOptions,
      },
      this.nowMs,
    )
  }
}

/** A world with one open session. */
export function openWorld(
  seed = 1,
  sequence = {},
  silenceMsMax = silenceMsDefault,
): { world: UdpWorld; client: WorldClient } {
  const world = new UdpWorld(seed, { sequence, silenceMsMax })
  const client = world.addClient({ sequence, silenceMsMax })
  world.run(200)
  return { world, client }
}

/** Sends a packet from a client, and gives the datagram that it became. */
export function say(world: UdpWorld, client: WorldClient, ...bytes: number[]): Uint8Array {
  const before = world.log.length
  client.client.send(Uint8Array.from(bytes), world.nowMs)
  world.drain()
  return world.log[before]?.bytes ?? new Uint8Array(0)
}

/** The first bytes of what the server heard of the first session. */
export const heard = (world: UdpWorld): number[] =>
  world.heardBy(world.accepted[0]).map(([first]) => first!)
