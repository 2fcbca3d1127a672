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
  /** Something came, or time passed: ticks may be ready. */
  handleProgress(nowMs: number): void
  /** Another transport carries the client from here on, or none. */
  handleTransport?(transport: string | undefined): void
}

/** Opens a connection to a better door that the relay announced. */
export type DialDoor = (door: DoorKind, doors: Doors, signal: AbortSignal) => Promise<Connection>

/** A connection of a client, or the attempt to get one. */
interface OpenLink {
  readonly dialing: AbortController
  connection: Connection | undefined
}

/** A connection, and what speaks over it. */
interface Dialled {
  readonly connection: Connection
  readonly makeChannel: ChannelFactory
}

/**
 * Carries a client's packets over whatever connection can be had, and wakes it in time. Mostly there is
 * one; while the client changes to another, there are two.
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

  /** Where the client wants to move to better doors, `dialDoor` opens them. */
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

  /** Lets the client see the time, and everybody what came of it. */
  wake(): void {
    if (this.#isStopped) return
    const nowMs = this.#timing.nowMs()
    this.#client.handleTime(nowMs)
    this.#progress(nowMs)
    this.flush()
  }

  /** Sends what the client has to say, and passes on what it has to tell. */
  flush(): void {
    if (this.#isStopped || !this.#pump.flush()) return
    if (this.#client.status === 'closed') this.#hangUp()
    this.#tellTransport()
    if (!this.#isStopped) this.#wakeUp.set(this.#client.wakeAtMs())
  }

  /** Ends it: what was said is still sent, and nothing is heard any more. */
  stop(): void {
    if (this.#isStopped) return
    this.flush()
    // Inside of a listener that one did nothing: the farewell must not wait for what it stands in.
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

  /** Inside of a flush, an answer that is there at once is sent by it. */
  #digest(job: DigestJob): void {
    this.#compute(job, (hashes) => {
      if (this.#isStopped) return
      this.#client.handleDigest(job, hashes, this.#timing.nowMs())
      this.flush()
    })
  }

  /** A listener that throws keeps neither packets from being sent nor the next wake-up from coming. */
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

  /** Nor does a game that does. */
  #progress(nowMs: number): void {
    try {
      this.#hooks.handleProgress(nowMs)
    } catch (error) {
      reportError(error)
    }
  }

  /** The client gave up on all others, whatever their transports say. */
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

  /** Nothing is said any more: the client need not wait for answers either. */
  #hangUp(): void {
    this.#dropAll()
    this.#client.handleLinkClosed(this.#timing.nowMs())
  }

  #dropAll(): void {
    for (const link of [...this.#links.keys()]) this.#drop(link, 'done')
  }
}

/** A dial that throws is one that fails. */
async function dialOnce(
  dial: (signal: AbortSignal) => Promise<Connection>,
  signal: AbortSignal,
): Promise<Dialled> {
  const connection = await dial(signal)
  const made = clientChannel(connection)
  // Awaited only where something is loaded: a stream opens as soon as it is there.
  return { connection, makeChannel: typeof made === 'function' ? made : await made }
}
