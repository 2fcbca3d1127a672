import { callSiteText } from '../../base/call-site-text.ts'
import { UsageError } from '../../base/errors.ts'
import type { RandomPart } from '../game/run/engine-parts.ts'
import { letCloneStandIns } from '../guard/clone-stand-ins.ts'
import type { CodePlace, CodeWatch } from '../guard/code-watch.ts'
import { joinWatches } from '../guard/code-watch.ts'
import type { Json } from '../schema/field.ts'
import type { Column } from '../state/columns.ts'
import type { PartDeclarations, StatePart } from '../state/part.ts'
import type { QueuePart } from '../state/queue.ts'
import type { SinglePart } from '../state/single.ts'
import type { State } from '../state/state.ts'
import type { TablePart } from '../state/table.ts'
import type { TableFields } from '../state/table-rows.ts'
import type { CallSiteResolver } from './call-site.ts'
import { CallSites, findGameSite, libraryRoot } from './call-site.ts'
import { cellText } from './cell-text.ts'
import type { FleetingResult, NoteCall } from './host-watch.ts'
import { HostWatch } from './host-watch.ts'
import type { Recorder, Write } from './recorder.ts'
import type { TraceEntry, TraceKind, TracePlace } from './trace-entry.ts'
import type { TraceItem, TraceLogOptions } from './trace-log.ts'
import { TraceLog } from './trace-log.ts'
import { TracedPlain } from './traced-plain.ts'
import { TracedRandom } from './traced-random.ts'
import { traceQueue, traceSingle } from './traced-rows.ts'
import { traceTable } from './traced-table.ts'
import { UnseenChanges } from './unseen-changes.ts'

/** The options of a trace. */
export interface TraceOptions extends TraceLogOptions {
  /**
   * Whether to find the source line of every write. Defaults to true. Without it, tracing is several times
   * faster.
   */
  readonly callSites?: boolean
  /**
   * Whether to record nothing before {@link Trace.restart}: where a later tick is examined, recording
   * `setup` may cost more than the tick.
   */
  readonly waitsForRestart?: boolean
  /** Maps lines of bundled code back to the sources. */
  readonly resolve?: CallSiteResolver
  /**
   * Whether to record also what game code asks its machine for, such as `Math.sin`, as entries of kind
   * `call`.
   */
  readonly watchesHost?: boolean
  /**
   * The values that the clock and random functions return, where the host is watched:
   * {@link Trace.fleeting} of another run.
   */
  readonly fleeting?: readonly FleetingResult[]
}

/**
 * Creates a trace. Pass it to one simulation as its `trace` option: every write to its state and every
 * random draw is recorded, with the line of game code that made it.
 *
 * The game needs no change: it gets columns, rows and objects that look like the real ones and forward
 * every operation to them. State and hashes are the same as without a trace; it is only slower. Programs
 * that do not call this function neither run nor bundle any of this.
 *
 * @example
 * ```ts
 * const trace = createTrace()
 * const simulation = createSimulation(game, { seed, trace })
 * trace.restart()
 * simulation.step(bundle)
 * for (const { part, row, field, before, after, site } of trace.entries()) { … }
 * ```
 */
export function createTrace(options: TraceOptions = {}): Trace {
  return new Trace(options)
}

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that game code called.
type Any = Function

/** The writes of one simulation. See {@link createTrace}. */
export class Trace implements CodeWatch {
  readonly #log: TraceLog
  readonly #callSites: boolean
  readonly #sites = new CallSites()
  readonly #resolve: CallSiteResolver | undefined
  readonly #recorder: Recorder
  #isWaiting: boolean
  #skipped = 0
  readonly #standIns = new Map<StatePart, object>()
  readonly #unseen = new UnseenChanges((write) => this.#write(undefined, write))
  /** Entries by who wrote; systems, which write most, are not counted. */
  readonly #counts = new Map<TracePlace, number>()
  #root: { readonly path: string | undefined } | undefined
  #tick = 0
  #where: TracePlace = 'outside'
  #name = 'outside'
  /** From begin to end, where only functions of the game are traced: the rest is the engine's. */
  #isInTick = false
  #restoreClone: () => void = () => {}
  readonly #host: HostWatch | undefined

  constructor(options: TraceOptions) {
    const note: NoteCall = (above, field, after) =>
      this.#write(above, { kind: 'call', part: '#machine', field, before: null, after })
    if (options.watchesHost === true) this.#host = new HostWatch(note, options.fleeting)
    this.#log = new TraceLog(options)
    this.#callSites = options.callSites ?? true
    this.#isWaiting = options.waitsForRestart ?? false
    this.#resolve = options.resolve
    this.#recorder = {
      write: (above, write) => this.#write(above, write),
      writeCell: (above, part, column, row, before, kind) =>
        this.#writeCell(above, part, column, row, before, kind),
      writePlain: (above, write, explains, placed) => {
        this.#unseen.explain(write.part, explains, placed)
        this.#write(above, write)
      },
      settle: (part) => this.#unseen.settle(part),
    }
  }

  /** The number of entries since the start, kept or not. */
  get count(): number {
    return this.#log.count
  }

  /** Writes that were not recorded because the trace waited for {@link restart}. */
  get skipped(): number {
    return this.#skipped
  }

  /** The values that the clock and random functions returned to game code, where the host is watched. */
  get fleeting(): readonly FleetingResult[] {
    return this.#host?.fleeting ?? []
  }

  /** An entry by its number; `undefined` if it is not kept. */
  entry(index: number): TraceEntry | undefined {
    const item = this.#log.item(index)
    return item === undefined ? undefined : this.#describe(item)
  }

  /** All kept entries, oldest first. */
  entries(): TraceEntry[] {
    const found: TraceEntry[] = []
    for (let index = 0; index < this.#log.count; index++) {
      const entry = this.entry(index)
      if (entry !== undefined) found.push(entry)
    }
    return found
  }

  /** The first kept entry that satisfies the condition. Only the entry found is built in full. */
  findFirst(isWanted: (item: TraceItem) => boolean): TraceEntry | undefined {
    const { count, entriesMax } = this.#log
    for (let index = Math.max(0, count - entriesMax); index < count; index++) {
      const item = this.#log.item(index)
      if (item !== undefined && isWanted(item)) return this.#describe(item)
    }
    return undefined
  }

  /** The last kept entry that satisfies the condition. */
  findLast(isWanted: (item: TraceItem) => boolean): TraceEntry | undefined {
    const { count, entriesMax } = this.#log
    for (let index = count - 1; index >= Math.max(0, count - entriesMax); index--) {
      const item = this.#log.item(index)
      if (item !== undefined && isWanted(item)) return this.#describe(item)
    }
    return undefined
  }

  /** The total number of entries from functions of this kind; systems are not counted. */
  countBy(where: TracePlace): number {
    return this.#counts.get(where) ?? 0
  }

  /** Removes all entries: the next one has number 0 again. Call it before the tick to examine. */
  restart(): void {
    this.#isWaiting = false
    this.#log.clear()
  }

  /** Where code last wrote to the state from outside of a tick. */
  lastOutsideSite(): string | undefined {
    for (let index = this.#log.count - 1; index >= 0; index--) {
      const item = this.#log.item(index)
      if (item?.where !== 'outside') return undefined
      const { site } = this.#describe(item)
      if (site !== undefined) return callSiteText(site)
    }
    return undefined
  }

  /** See {@link TraceLog.prefixWords}: what two traces compare. */
  prefixWords(entries: number, out: Uint32Array): boolean {
    return this.#log.prefixWords(entries, out)
  }

  /** Returns the proxy that game code gets for a part. Called by the state. */
  readonly wrapLive = (part: StatePart): unknown => {
    const known = this.#standIns.get(part)
    if (known !== undefined) return known
    const standIn = this.#standIn(part)
    // Plain and custom values are other objects after a load; the rest stay what they are.
    if (part.kind !== 'plain' && standIn !== undefined) this.#standIns.set(part, standIn)
    return standIn ?? part.live
  }

  /** Combines this trace and the guard of the same simulation. */
  join(guard: CodeWatch | undefined): CodeWatch {
    return joinWatches(guard, this)
  }

  /** Called by the traced simulation, before anything runs. */
  attach(state: State<PartDeclarations>): void {
    if (this.#unseen.isAttached) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        'Cannot trace two simulations with one trace: their writes would mix; create one for each',
      )
    }
    this.#unseen.attach(state)
  }

  begin(tick: number): void {
    // Whatever changed since the last tick, and was not seen, did so from outside.
    this.#unseen.sweep()
    this.#unseen.captureAll()
    this.#tick = tick
    this.#isInTick = true
    this.#restoreClone = letCloneStandIns()
    this.#host?.open()
  }

  enter(where: CodePlace['where'], name: string): void {
    // The engine's own writes, between functions of the game, are no part of the trace.
    this.#unseen.enter()
    this.#where = where
    this.#name = name
    this.#host?.enter()
  }

  leave(): void {
    this.#host?.leave()
    this.#unseen.leave()
    this.#where = 'outside'
    this.#name = 'outside'
  }

  end(): void {
    this.#host?.close()
    this.#restoreClone()
    this.#isInTick = false
    // Values were made canonical since the last function of the game.
    this.#unseen.captureAll()
  }

  loaded(): void {
    this.#unseen.reset()
  }

  #standIn(part: StatePart): object | undefined {
    const recorder = this.#recorder
    switch (part.kind) {
      case 'table':
        return traceTable(recorder, part as TablePart<TableFields>)
      case 'single':
        return traceSingle(recorder, part as SinglePart<TableFields>)
      case 'queue':
        return traceQueue(recorder, part as StatePart as QueuePart<TableFields>)
      case 'plain':
        return new TracedPlain(recorder, part.name).wrap(part.live as object)
      case 'custom':
        if (part.name !== '#random') return undefined
        return new TracedRandom(
          (part as RandomPart<string>).words,
          (part as RandomPart<string>).streams,
          recorder,
        )
    }
  }

  #writeCell(
    above: Any,
    part: string,
    column: Column,
    row: number,
    before: number | undefined,
    kind: TraceKind = 'set',
  ): void {
    const shadow = this.#unseen.cellsOf(column)
    const old = before ?? (shadow?.[row] as number)
    const after = column.cells[row] as number
    if (shadow !== undefined) shadow[row] = after
    this.#write(above, { kind, part, row, field: column.name, before: old, after, column })
  }

  #write(above: Any | undefined, write: Write): void {
    if (this.#isInTick && this.#where === 'outside') return
    if (this.#isWaiting) {
      this.#skipped += 1
      return
    }
    if (this.#where !== 'step') this.#counts.set(this.#where, this.countBy(this.#where) + 1)
    const isWanted = above !== undefined && this.#callSites && this.#log.keepsNext
    const frames = isWanted ? this.#sites.capture(above) : noFrames
    this.#log.append({
      kind: write.kind,
      tick: this.#tick,
      where: this.#where,
      name: this.#name,
      part: write.part,
      row: write.row,
      field: write.field,
      before: write.before,
      after: write.after,
      column: write.column,
      frames,
    })
  }

  #describe(item: TraceItem): TraceEntry {
    const { column, frames } = item
    const show = (value: Json): Json =>
      column === undefined || typeof value !== 'number' ? value : cellText(column, value)
    this.#root ??= { path: libraryRoot(this.#resolve) }
    return {
      index: item.index,
      kind: item.kind,
      tick: item.tick,
      where: item.where,
      name: item.name,
      part: item.part,
      row: item.row,
      field: item.field,
      before: show(item.before),
      after: show(item.after),
      site: findGameSite(frames, this.#root.path, this.#resolve),
      frames,
    }
  }
}

const noFrames: readonly never[] = Object.freeze([])
