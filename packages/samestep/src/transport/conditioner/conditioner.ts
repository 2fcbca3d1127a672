/**
 * Makes any transport as bad as one likes, while it runs: latency, jitter, loss, bursts, duplicates,
 * reordering, damage, throttling, stalls and cuts, per direction, drawn from a seed. For tests over
 * real sockets, for demonstrations, and for playing one's own game as somebody far away plays it.
 *
 * A stream stays a stream: not one packet is lost or overtaken; it comes late, or the stream dies.
 */
import type { PathConditions, PathPatch } from '../../netem/conditions.ts'
import { clearPath, isClear, patchConditions } from '../../netem/conditions.ts'
import type { PathStats } from '../../netem/path.ts'
import { makePathStats } from '../../netem/path.ts'
import { ConnectError } from '../connect-error.ts'
import { connectTimeoutMsDefault } from '../connect-timeout.ts'
import type { Accept, Connection, Dial } from '../connection.ts'
import type { Timing } from '../timing.ts'
import { machineTiming } from '../timing.ts'
import { ConditionedConnection } from './conditioned-connection.ts'

/** One direction, seen from the end that is wrapped, or both. */
export type ConditionedWay = 'sending' | 'receiving' | 'both'

/** The options of a conditioner. */
export interface ConditionerOptions {
  /** The initial conditions; omitted fields have no effect. */
  readonly sending?: PathPatch
  readonly receiving?: PathPatch
  /** The same seed and the same packets at the same times give the same results. Defaults to 1. */
  readonly seed?: number
  /** Defaults to the machine's clock and timers. */
  readonly timing?: Timing
}

/** Uses what `wrap` gives for each open connection instead of that connection from now on. */
export type Rewrap = (wrap: (connection: Connection) => Connection) => void

/** Simulated conditions for any number of connections, which can be changed at run time. */
export class Conditioner {
  /** Packet counts of all wrapped connections so far. */
  readonly stats: PathStats = makePathStats()
  readonly #timing: Timing
  readonly #seed: number
  readonly #connections = new Set<ConditionedConnection>()
  /** Those who hold connections that were not wrapped because nothing was to be done to them. */
  readonly #holders: Rewrap[] = []
  /** Dials that wait for the end of a cut. */
  readonly #waiting = new Set<() => void>()
  #serial = 0
  #sending: PathConditions
  #receiving: PathConditions

  constructor(options: ConditionerOptions = {}) {
    this.#timing = options.timing ?? machineTiming
    this.#seed = options.seed ?? 1
    this.#sending = patchConditions(clearPath, options.sending ?? {})
    this.#receiving = patchConditions(clearPath, options.receiving ?? {})
  }

  /** The conditions for packets that the wrapped end sends. */
  get sending(): PathConditions {
    return this.#sending
  }

  /** The conditions for packets that the wrapped end receives. */
  get receiving(): PathConditions {
    return this.#receiving
  }

  /**
   * Changes some conditions from now on, also for open connections; packets in flight keep their time of
   * arrival. Throws `SS_BAD_VALUE` for a value outside its range, without changing anything.
   */
  set(patch: PathPatch, way: ConditionedWay = 'both'): void {
    const sending = way === 'receiving' ? this.#sending : patchConditions(this.#sending, patch)
    const receiving = way === 'sending' ? this.#receiving : patchConditions(this.#receiving, patch)
    this.#sending = sending
    this.#receiving = receiving
    for (const connection of this.#connections) connection.setConditions(sending, receiving)
    if (!this.#isClear) this.#stepIn()
    if (!this.#isBlocked) for (const resume of [...this.#waiting]) resume()
  }

  /** Removes all conditions. */
  reset(): void {
    this.set(clearPath)
  }

  /** Breaks all connections, like a router that restarts: their handlers get close code 1006. */
  breakConnections(): void {
    this.#stepIn()
    for (const connection of [...this.#connections]) connection.break('broken by the conditioner')
  }

  /** Wraps a connection with these conditions. The given one must not be used any more. */
  wrap(connection: Connection): Connection {
    const wrapped = new ConditionedConnection(connection, {
      timing: this.#timing,
      stats: this.stats,
      seed: this.#seed,
      name: `connection ${this.#serial++}`,
      onEnded: () => this.#connections.delete(wrapped),
    })
    wrapped.setConditions(this.#sending, this.#receiving)
    this.#connections.add(wrapped)
    return wrapped
  }

  /** Wraps a dial with these conditions: dialling takes one more round trip, and fails during a cut. */
  wrapDial(dial: Dial): Dial {
    return async (signal) => {
      await this.#delay(this.#sending.latencyMs + this.#receiving.latencyMs)
      if (this.#isBlocked) await this.#untilPassable(signal)
      return this.wrap(await dial(signal))
    }
  }

  /**
   * Wraps an accept function with these conditions. If the caller can replace an open connection by a
   * wrapped one, it passes `rewrap`: it then gets connections unwrapped while there are no conditions, at
   * no cost per packet, and is asked to replace them when conditions are set.
   */
  wrapAccept(accept: Accept, rewrap?: Rewrap): Accept {
    if (rewrap !== undefined) this.#holders.push(rewrap)
    return (connection) => {
      accept(this.#isClear && rewrap !== undefined ? connection : this.wrap(connection))
    }
  }

  get #isClear(): boolean {
    return isClear(this.#sending) && isClear(this.#receiving)
  }

  get #isBlocked(): boolean {
    const [there, back] = [this.#sending, this.#receiving]
    return there.isCut || there.isClogged || back.isCut || back.isClogged
  }

  /** Wraps the connections that were accepted while the line was clear. */
  #stepIn(): void {
    const known: ReadonlySet<Connection> = this.#connections
    const wrap = (connection: Connection) =>
      known.has(connection) ? connection : this.wrap(connection)
    for (const rewrap of this.#holders) rewrap(wrap)
  }

  async #delay(delayMs: number): Promise<void> {
    if (delayMs === 0) return
    await new Promise<void>((resolve) => this.#timing.schedule(resolve, delayMs))
  }

  /** Waits for the end of a cut, as long as a dial waits. */
  #untilPassable(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const url = 'the other end of a cut'
      const settle = (finish: () => void) => () => {
        undo()
        this.#waiting.delete(resume)
        signal?.removeEventListener('abort', abort)
        finish()
      }
      const resume = settle(resolve)
      const abort = settle(() => reject(ConnectError.aborted(url, signal?.reason)))
      const giveUp = settle(() => reject(ConnectError.timedOut(url, connectTimeoutMsDefault)))
      const undo = this.#timing.schedule(giveUp, connectTimeoutMsDefault)
      this.#waiting.add(resume)
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort)
    })
  }
}
