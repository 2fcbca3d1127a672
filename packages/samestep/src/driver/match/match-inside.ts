import { isDevelopment } from '../../base/environment.ts'
import { UsageError } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import type { ClientEvent } from '../../client/events.ts'
import { toldDesyncsMax } from '../../client/membership/told-desyncs.ts'
import type { OrderEnd, PendingOrder } from '../../client/outbox/order-outbox.ts'
import type { OwnEvidence } from '../../desync/investigate/own-evidence.ts'
import { captureTicks } from '../../desync/recent/captured-ticks.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { LevelOptions } from '../debug/level-switch.ts'
import { LevelSwitch } from '../debug/level-switch.ts'
import { warnOfDesync } from './desync-line.ts'
import { Emitter } from './emitter.ts'
import { FaultLog } from './fault-log.ts'
import { machineText } from './machine-text.ts'
import type { MatchEvents } from './match.ts'
import { publish } from './publish.ts'
import type { SavableReport } from './savable-report.ts'
import { savable } from './savable-report.ts'
import { TickMeasuring } from './tick-measuring.ts'

/** What the inside of a match is told by its developer. */
export interface InsideOptions extends LevelOptions {
  /** Whether faults are shown on the console; as the environment says when left out. */
  readonly development?: boolean | undefined
  /** What players type to join it, for files about it. */
  readonly match?: string
  /** The module of the debug levels, for worlds in which nothing may be loaded at its own time. */
  readonly levels?: typeof import('../../client/debug/level-watch.ts')
}

/**
 * What is behind a match and none of its players' business: for its line, and for the worker that
 * shows it on a page.
 */
export class MatchInside<G extends GameShape, R> {
  readonly client: Client<G, R>
  readonly events = new Emitter<MatchEvents>()
  /** Told when ticks were run. */
  handleRan: (() => void) | undefined

  /** Who is told of the end of an order. */
  readonly orderTellers = new WeakMap<PendingOrder, (end: OrderEnd) => void>()

  readonly measuring: TickMeasuring
  readonly debug: LevelSwitch<G, R>

  readonly #name: string
  readonly #faults: FaultLog
  /** What this machine had when each of the last desyncs was told, by the tick it was told with. */
  readonly #evidence = new Map<number, Promise<OwnEvidence | undefined>>()

  /** `meterMs` is the clock by which ticks are measured. */
  constructor(client: Client<G, R>, meterMs: () => number, options: InsideOptions = {}) {
    const { development = isDevelopment(), match = '', levels } = options
    this.client = client
    this.#name = match
    this.measuring = new TickMeasuring(meterMs)
    this.debug = new LevelSwitch(client, this.measuring, match, options, levels)
    this.#faults = new FaultLog(development ? printError : undefined)
  }

  /** Tells the match's listeners of what the client tells. */
  readonly handleEvent = (event: ClientEvent): void => {
    if (event.type === 'debug-wish') this.debug.handleWish(event.body.level)
    if (event.type === 'desync') {
      warnOfDesync(event.body)
      this.events.emit('desync', this.#makeSavable(event.body))
      return
    }
    // After a resync it is the same simulation, and what looked at its ticks begins anew.
    if (event.type === 'launched' || event.type === 'resync') {
      this.measuring.follow(this.client.simulation)
      this.debug.handleLaunched()
    }
    if (event.type === 'order-ended') this.orderTellers.get(event.order)?.(event.end)
    if (event.type === 'investigate') this.#investigate().catch(warnOfLoad)
    publish(
      this.events,
      event,
      () => this.client.status,
      (fault) => this.#faults.note(fault),
    )
  }

  /** A report as a file, for a page whose match is played here. */
  desyncFile(report: DesyncReport): Promise<Uint8Array> {
    return makeFile(report, this.#evidence.get(report.toldTick))
  }

  /** What this machine has is taken at once: it is soon given up for what is newer. */
  #makeSavable(report: DesyncReport): SavableReport {
    if (report.stage === 'detected') {
      const taking = this.#takeEvidence(report)
      // Whoever saves is told what went wrong.
      taking.catch(() => {})
      this.#evidence.delete(report.toldTick)
      this.#evidence.set(report.toldTick, taking)
      const [oldest = 0] = this.#evidence.keys()
      if (this.#evidence.size > toldDesyncsMax) this.#evidence.delete(oldest)
    }
    const evidence = this.#evidence.get(report.toldTick)
    const matchId = this.client.running?.seated.matchId ?? 'match'
    return savable(report, matchId, () => makeFile(report, evidence))
  }

  async #takeEvidence(report: DesyncReport): Promise<OwnEvidence | undefined> {
    const { game, running } = this.client
    if (running === undefined) return undefined
    const { seated, recent, simulation } = running
    const match = { game, seated, recent, tick: simulation.matchTick }
    const captured = captureTicks(match, report.tick, report.agreedTick)
    const { OwnEvidence } = await import('../../desync/investigate/own-evidence.ts')
    return new OwnEvidence(match, this.#name, captured, report, machineText())
  }

  /** Loads what answers questions about a desync. Nothing of it is there before it is needed. */
  async #investigate(): Promise<void> {
    const { investigate } = await import('../../desync/investigate/investigate.ts')
    const machine = machineText()
    this.client.investigateWith((match) => investigate(match, { machine }))
  }
}

async function makeFile(
  report: DesyncReport,
  evidence: Promise<OwnEvidence | undefined> | undefined,
): Promise<Uint8Array> {
  const taken = await evidence
  if (taken === undefined) {
    throw new UsageError('SS_NOT_LAUNCHED', 'Cannot save the report: no match runs here')
  }
  return taken.toBytes(report)
}

/** A page that was replaced on its server since it was loaded, or a line that is gone: play goes on. */
function warnOfLoad(error: unknown): void {
  console.warn('[samestep] Cannot load what explains a desync:', error)
}

function printError(text: string, error: unknown): void {
  console.error(text, error)
}
