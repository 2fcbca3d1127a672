import type { Client } from '../../client/client.ts'
import { ClientPump } from '../../client/client-pump.ts'
import type { ClientEvent } from '../../client/events.ts'
import type { DigestJob } from '../../client/state/digests.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Connection, Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import { reportError } from '../report-error.ts'
import { WakeUp } from '../timing.ts'
import { channelFor } from './channels.ts'
import type { Digest } from './digest.ts'
import { digestFor } from './digest.ts'

/** What a client's driver tells its owner. */
export interface ClientDriverHooks {
  handleEvent(event: ClientEvent): void
  /** Something came, or time passed: ticks may be ready. */
  handleProgress(nowMs: number): void
}

/** Carries a client's packets over whatever connection can be had, and wakes it in time. */
export class ClientDriver<G extends GameShape, R> {
  readonly #client: Client<G, R>
  readonly #dial: Dial
  readonly #timing: Timing
  readonly #hooks: ClientDriverHooks
  readonly #wakeUp: WakeUp
  readonly #pump: ClientPump<G, R>
  readonly #compute: Digest
  #connection: Connection | undefined
  #dialing: AbortController | undefined
  #isStopped = false

  constructor(client: Client<G, R>, dial: Dial, timing: Timing, hooks: ClientDriverHooks) {
    this.#client = client
    this.#dial = dial
    this.#timing = timing
    this.#hooks = hooks
    this.#compute = digestFor(timing)
    this.#wakeUp = new WakeUp(timing, () => this.wake())
    this.#pump = new ClientPump(client, {
      handleWantLink: () => this.#connect(),
      handleDigest: (job) => this.#digest(job),
      handleEvent: (event) => this.#tell(event),
      send: (packet) => this.#connection?.send(packet),
    })
  }

  /** The transport in use, for people; `undefined` while there is none. */
  get transport(): string | undefined {
    return this.#connection?.transport
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
    if (this.#client.status === 'closed') {
      this.#connection?.close(1000, 'done')
      this.#connection = undefined
    }
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
    this.#dialing?.abort()
    this.#connection?.close(1000, 'done')
    this.#connection = undefined
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

  /** Nor does a game that does. */
  #progress(nowMs: number): void {
    try {
      this.#hooks.handleProgress(nowMs)
    } catch (error) {
      reportError(error)
    }
  }

  #connect(): void {
    if (this.#isStopped) return
    // The client gave up on the old one, whatever its transport says.
    this.#connection?.close(1000, 'replaced')
    this.#connection = undefined
    this.#dialing?.abort()
    const dialing = new AbortController()
    this.#dialing = dialing
    this.#dialOnce(dialing.signal).then(
      (connection) => {
        if (dialing.signal.aborted || this.#isStopped) connection.close(1000, 'too late')
        else this.#open(connection)
      },
      () => {
        if (dialing.signal.aborted || this.#isStopped) return
        this.#client.handleLinkClosed(this.#timing.nowMs())
        this.flush()
      },
    )
  }

  /** A dial that throws is one that fails. */
  async #dialOnce(signal: AbortSignal): Promise<Connection> {
    return await this.#dial(signal)
  }

  #open(connection: Connection): void {
    this.#connection = connection
    this.#client.handleLinkOpened(channelFor(connection, 'initiator'), this.#timing.nowMs())
    connection.open({
      handlePacket: (bytes) => {
        if (connection !== this.#connection) return
        const nowMs = this.#timing.nowMs()
        this.#client.handlePacket(bytes, nowMs)
        this.#progress(nowMs)
        this.flush()
      },
      handleClosed: () => {
        if (connection !== this.#connection) return
        this.#connection = undefined
        this.#client.handleLinkClosed(this.#timing.nowMs())
        this.flush()
      },
    })
    this.flush()
  }
}
