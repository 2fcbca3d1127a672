import type { KeptState } from '../../desync/recent/snapshot-ring.ts'
import { saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import { DebugFiles } from './debug-files.ts'
import type { DebugFile, DebugLevel, DebugOptions } from './debug-level.ts'
import { OrderLog } from './order-log.ts'
import { Retrace } from './retrace.ts'
import { Shadow } from './shadow.ts'
import type { TickWatcher, WatchedMatch } from './tick-watcher.ts'
import { WriteTwin } from './write-twin.ts'

/**
 * Looks at a match as closely as its level says. What a level needs is made when the level is reached,
 * and dropped when it is left.
 *
 * This module is loaded when somebody asks for a level above 0: nothing else imports it.
 */
export class LevelWatch implements TickWatcher {
  readonly #match: WatchedMatch
  readonly #name: string
  readonly #files: DebugFiles
  readonly #snapshotEvery: number
  readonly #retrace: Retrace
  #level: DebugLevel = 0
  #logName = ''
  #log: OrderLog | undefined
  #twin: WriteTwin | undefined
  #shadow: Shadow | undefined
  /** The state before the tick that runs. */
  #before: KeptState | undefined

  /** `name` is what players type to join the match. */
  constructor(match: WatchedMatch, name: string, options: DebugOptions = {}) {
    this.#match = match
    this.#name = name
    this.#files = new DebugFiles(options)
    this.#snapshotEvery = options.snapshotEveryTicks ?? 10 * match.simulation.game.tickRate
    this.#retrace = new Retrace(match.inner)
  }

  get level(): DebugLevel {
    return this.#level
  }

  setLevel(level: DebugLevel): void {
    this.#level = level
    this.#log = level >= 1 ? (this.#log ?? this.#beginLog()) : undefined
    this.#twin = level >= 2 ? (this.#twin ?? new WriteTwin(this.#match, this.#retrace)) : undefined
    this.#shadow = level >= 4 ? (this.#shadow ?? new Shadow(this.#match, this.#retrace)) : undefined
    this.#before = undefined
    this.#takeLog()
  }

  /** What is kept in memory; nothing where files are saved as they are made. */
  files(): readonly DebugFile[] {
    return this.#files.list()
  }

  /** The writes of the last ticks, oldest first, at level 2 and above. */
  writes(): readonly TraceEntry[] {
    return this.#twin?.writes() ?? []
  }

  handleDue(): void {
    if (this.#level < 2) return
    this.#twin?.handleDue()
    this.#before = this.#match.inner.saveNow()
  }

  handleRan(bundle: Uint8Array): void {
    if (this.#level === 0) return
    this.#noteOrders(bundle)
    const before = this.#before
    if (before !== undefined) {
      this.#twin?.handleRan(before, bundle)
      this.#shadow?.handleRan(before, bundle)
    }
    if (this.#level >= 3) this.#noteSnapshot()
  }

  handleLoaded(): void {
    this.#before = undefined
    this.#twin?.reload()
    if (this.#log !== undefined) this.#log = this.#beginLog()
    this.#takeLog()
  }

  /** Each log is a file of its own, named by the tick after which it begins. */
  #beginLog(): OrderLog {
    this.#logName = fileName(this.#match.simulation, 'ssrc')
    return new OrderLog(this.#match, this.#name)
  }

  #noteOrders(bundle: Uint8Array): void {
    const log = this.#log
    if (log === undefined) return
    log.note(bundle)
    if (this.#files.isLogFull(log.totalBytes)) this.#log = this.#beginLog()
    this.#takeLog()
  }

  #takeLog(): void {
    const bytes = this.#log?.take()
    if (bytes !== undefined && bytes.byteLength > 0) this.#files.appendLog(this.#logName, bytes)
  }

  #noteSnapshot(): void {
    const { simulation } = this.#match
    if (simulation.matchTick % this.#snapshotEvery !== 0) return
    const name = fileName(simulation, 'snap')
    this.#files.addSnapshot({ name, bytes: saveSnapshot(simulation) })
  }
}

/** Sorted by name, files of a match are sorted by tick. */
function fileName(
  { matchId, matchTick }: { readonly matchId: string; readonly matchTick: number },
  extension: string,
): string {
  return `${matchId}_${String(matchTick).padStart(10, '0')}.${extension}`
}
