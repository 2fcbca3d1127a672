import type { Client } from '../../client/client.ts'
import { ClientPump } from '../../client/client-pump.ts'
import type { ClientEvent } from '../../client/events.ts'
import type { DigestJob } from '../../client/state/digests.ts'
import type { ChannelFactory } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Connection, Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import type { DoorKind, Doors } from '../../wire/messages/doors.ts'
import { reportError } from '../report-error.ts'
import { WakeUp } from '../timing.ts'
import { clientChannel } from './client-channel.ts'
import type { Digest } from './digest.ts'
import { digestFor } from './digest.ts'

/** What a client's driver tells its owner. */
export interface ClientDriverHooks {
  handleEvent(event: ClientEvent): void
  /** A packet came, or time passed: ticks may be ready. */
  handleProgress(nowMs: number): void
  /** The client now uses another transport, or none. */
  handleTransport?(transport: string | undefined): void
}

/** Opens a connection to a better door that the relay announced. */
export type DialDoor = (door: DoorKind, doors: Doors, signal: AbortSignal) => Promise<Connection>

/** A connection of a client, or the attempt to open one. */
interface OpenLink {
  readonly dialing: AbortController
  connection: Connection | undefined
}

/** A connection, and how to create its channel. */
interface Dialled {
  readonly connection: Connection
  readonly makeChannel: ChannelFactory
}

/**
 * Opens a client's connections, carries its packets and wakes it in time. There is usually one
 * connection; while the client moves to another, there are two.
 */
export class ClientDriver<G extends GameShape, R> {
  readonly #client: Client<G, R>
  readonly #dial: Dial
  readonly #dialDoor: DialDoor | undefined
  readonly #timing: Timing
  readonly #hooks: ClientDriverHooks
  readonly #wakeUp: WakeUp
  readonly #pump: ClientPump<G, R>
  readonly #links = new Map<number, OpenLink>()
  #toldTransport: string | undefined
  readonly #compute: Digest
  #isStopped = false

  /** `dialDoor` opens connections to better doors, if the client may move to them. */
  constructor(
    client: Client<G, R>,
    dial: Dial,
    timing: Timing,
    hooks: ClientDriverHooks,
    dialDoor?: DialDoor,
  ) {
    this.#client = client
    this.#dial = dial
    this.#dialDoor = dialDoor
    this.#timing = timing
    this.#hooks = hooks
    this.#compute = digestFor(timing)
    this.#wakeUp = new WakeUp(timing, () => this.wake())
    this.#pump = new ClientPump(client, {
      handleWantLink: (link) => this.#connect(link),
      handleDigest: (job) => this.#digest(job),
      handleEvent: (event) => this.#handleEvent(event),
      send: (packet, link) => this.#links.get(link)?.connection?.send(packet),
    })
  }

  /** The transport in use, for people; `undefined` while there is none. */
  get transport(): string | undefined {
    return this.#links.get(this.#client.link)?.connection?.transport
  }

  /** Advances the client's time, and passes on the results. */
  wake(): void {
    if (this.#isStopped) return
    const nowMs = this.#timing.nowMs()
    this.#client.handleTime(nowMs)
    this.#progress(nowMs)
    this.flush()
  }

  /** Passes on the client's events and sends its packets. */
  flush(): void {
    if (this.#isStopped || !this.#pump.flush()) return
    if (this.#client.status === 'closed') this.#hangUp()
    this.#tellTransport()
    if (!this.#isStopped) this.#wakeUp.set(this.#client.wakeAtMs())
  }

  /** Stops the driver: queued packets are still sent, and nothing more is received. */
  stop(): void {
    if (this.#isStopped) return
    this.flush()
    // Inside a listener, `flush` does nothing; the farewell must not wait for the outer one.
    this.#pump.sendPackets()
    this.#isStopped = true
    this.#wakeUp.stop()
    this.#dropAll()
  }

  #handleEvent(event: ClientEvent): void {
    if (event.type === 'want-move') {
      const { link, door, doors } = event
      const dialDoor = this.#dialDoor
      const dial = (signal: AbortSignal) =>
        door === 'home' || dialDoor === undefined
          ? this.#dial(signal)
          : dialDoor(door, doors, signal)
      this.#open(link, dial)
    } else if (event.type === 'drop-link') {
      for (const packet of event.last) this.#links.get(event.link)?.connection?.send(packet)
      this.#drop(event.link, 'moved')
    }
    this.#tell(event)
  }

  /** If the answer is there at once, during a flush, that flush sends it. */
  #digest(job: DigestJob): void {
    this.#compute(job, (hashes) => {
      if (this.#isStopped) return
      this.#client.handleDigest(job, hashes, this.#timing.nowMs())
      this.flush()
    })
  }

  /** A listener that throws must not prevent packets from being sent, or the next wake-up. */
  #tell(event: ClientEvent): void {
    try {
      this.#hooks.handleEvent(event)
    } catch (error) {
      reportError(error)
    }
  }

  #tellTransport(): void {
    const { transport } = this
    if (transport === this.#toldTransport) return
    this.#toldTransport = transport
    try {
      this.#hooks.handleTransport?.(transport)
    } catch (error) {
      reportError(error)
    }
  }

  /** The same goes for a game that throws. */
  #progress(nowMs: number): void {
    try {
      this.#hooks.handleProgress(nowMs)
    } catch (error) {
      reportError(error)
    }
  }

  /** The client has given up all other links, whatever their transports report. */
  #connect(link: number): void {
    if (this.#isStopped) return
    for (const old of [...this.#links.keys()]) this.#drop(old, 'replaced')
    this.#open(link, this.#dial)
  }

  #open(link: number, dial: (signal: AbortSignal) => Promise<Connection>): void {
    const dialing = new AbortController()
    const open: OpenLink = { dialing, connection: undefined }
    this.#links.set(link, open)
    const isGone = () => this.#links.get(link) !== open || this.#isStopped
    dialOnce(dial, dialing.signal).then(
      ({ connection, makeChannel }) => {
        if (isGone()) connection.close(1000, 'too late')
        else this.#attach(link, open, connection, makeChannel)
      },
      () => {
        if (!isGone()) this.#handleClosed(link)
      },
    )
  }

  #attach(link: number, open: OpenLink, connection: Connection, makeChannel: ChannelFactory): void {
    open.connection = connection
    this.#client.handleLinkOpened(makeChannel, this.#timing.nowMs(), link)
    connection.open({
      handlePacket: (bytes) => {
        if (this.#links.get(link) !== open) return
        const nowMs = this.#timing.nowMs()
        this.#client.handlePacket(bytes, nowMs, link)
        this.#progress(nowMs)
        this.flush()
      },
      handleClosed: () => {
        if (this.#links.get(link) === open) this.#handleClosed(link)
      },
    })
    this.flush()
  }

  #handleClosed(link: number): void {
    this.#links.delete(link)
    this.#client.handleLinkClosed(this.#timing.nowMs(), link)
    this.flush()
  }

  #drop(link: number, why: string): void {
    const open = this.#links.get(link)
    this.#links.delete(link)
    open?.dialing.abort()
    open?.connection?.close(1000, why)
  }

  /** The session is over: tells the client too, so that it does not wait for answers. */
  #hangUp(): void {
    this.#dropAll()
    this.#client.handleLinkClosed(this.#timing.nowMs())
  }

  #dropAll(): void {
    for (const link of [...this.#links.keys()]) this.#drop(link, 'done')
  }
}

/** A dial that throws counts as one that fails. */
async function dialOnce(
  dial: (signal: AbortSignal) => Promise<Connection>,
  signal: AbortSignal,
): Promise<Dialled> {
  const connection = await dial(signal)
  const made = clientChannel(connection)
  // Awaited only if code must be loaded: a stream opens without another delay.
  return { connection, makeChannel: typeof made === 'function' ? made : await made }
}
