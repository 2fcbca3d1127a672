/** One run of `samestep check`, from loading the game to the report. */
import { readFileSync, writeFileSync } from 'node:fs'
import { UsageError } from '../../base/errors.ts'
import { GameCheck } from '../../check/check-game.ts'
import type {
  CheckFailure,
  CheckId,
  CheckOptions,
  CheckResult,
  Draw,
  Explore,
  PlayedMatch,
} from '../../check/index.ts'
import { checkAsync, readReproduction, recordMatch, replayCheck } from '../../check/index.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Module } from '../game/load-game.ts'
import { ProgressLine } from '../progress-line.ts'
import { checkElsewhere, elsewhereMatchesMax } from './check-elsewhere.ts'
import { checkEngines } from './check-engines.ts'
import type { CheckFlags } from './check-flags.ts'
import type { CheckReport } from './check-report.ts'
import { makeReport, progressText, reportText } from './check-report.ts'
import { LoadedGraphs } from './load-graphs.ts'
import { makeReclaimer } from './reclaim.ts'
import { Watchdog } from './watchdog.ts'

const limitSecondsDefault = 30

/** What was found beyond what one process shows. */
type Beyond = Pick<CheckReport, 'alsoChecked' | 'notChecked'> & {
  readonly failure: CheckFailure | undefined
}

/** Checks one file. */
export class CheckProgram {
  readonly #gameFile: string
  readonly #flags: CheckFlags
  readonly #limitMs: number
  readonly #line = new ProgressLine(process.stderr, 0)
  readonly #startMs = performance.now()
  // Kept from before the game is loaded: it may replace them.
  readonly #now = performance.now.bind(performance)
  readonly #watchdog: Watchdog
  readonly #matches: PlayedMatch[] = []
  #graphs: LoadedGraphs | undefined

  constructor(gameFile: string, flags: CheckFlags) {
    this.#gameFile = gameFile
    this.#flags = flags
    this.#limitMs = 1_000 * (flags.limit ?? limitSecondsDefault)
    this.#watchdog = new Watchdog(gameFile, this.#limitMs, flags.json === true)
  }

  /** Finds source lines, once the game is loaded. */
  get resolve(): CallSiteResolver | undefined {
    return this.#graphs?.resolve
  }

  /** Loads the game, checks it or replays a reproduction, prints, and sets the exit code. */
  async run(): Promise<void> {
    const graphs = await LoadedGraphs.open(this.#gameFile, this.#flags.export)
    this.#graphs = graphs
    if (graphs.watched !== undefined) this.#watchdog.showMap(graphs.watched)
    const { game, module } = await graphs.load()
    await graphs.prepare()
    if (this.#flags.replay === undefined) await this.#check(graphs, game, module)
    else await this.#replay(graphs, game, module, this.#flags.replay)
  }

  async close(): Promise<void> {
    await this.#watchdog.close()
  }

  #elapsed(): number {
    return this.#now() - this.#startMs
  }

  async #check(graphs: LoadedGraphs, game: Game, module: Module): Promise<void> {
    const options = this.#options(graphs, module)
    const early = this.#isWanted('async') ? await checkAsync(graphs.take([]), options) : undefined
    const startMs = this.#elapsed()
    const check = new GameCheck(game, early === undefined ? options : { ...options, ticks: 1 })
    const reclaim = makeReclaimer()
    while (early === undefined && check.playNext()) await reclaim()
    if (check.hasFound) {
      this.#line.show(() => 'found something · reloading modules', Number.POSITIVE_INFINITY)
      await graphs.prepareToExplain()
    }
    const checkedMs = this.#elapsed() - startMs
    const result = check.explain()
    const beyond = await this.#beyond(graphs, game, result, early)
    this.#line.clear()
    const { failure } = beyond
    const saved = failure === undefined ? undefined : this.#save(failure, result.seed)
    this.#print(makeReport(result, checkedMs, { ...beyond, failure: saved }))
  }

  /** What takes other processes: only worth its time when nothing was found in this one. */
  async #beyond(
    graphs: LoadedGraphs,
    game: Game,
    result: CheckResult,
    early: CheckFailure | undefined,
  ): Promise<Beyond> {
    const alsoChecked: CheckId[] = this.#isWanted('async') ? ['async'] : []
    const notChecked: string[] = []
    if (!graphs.isInstrumented) notChecked.push(withoutBundler)
    const found = early ?? result.failure
    if (found !== undefined) return { alsoChecked, notChecked, failure: found }
    const { export: name, here, engines } = this.#flags
    let failure: CheckFailure | undefined
    if (here !== true && this.#isWanted('elsewhere')) {
      this.#line.show(() => 'repeating in other processes', Number.POSITIVE_INFINITY)
      this.#watchdog.pause()
      failure = await checkElsewhere(game, this.#gameFile, name, this.#matches, this.#limitMs)
      alsoChecked.push('elsewhere')
    }
    if (failure === undefined && engines === true && this.#isWanted('engines')) {
      this.#line.show(() => 'repeating in other engines', Number.POSITIVE_INFINITY)
      this.#watchdog.pause()
      const { failure: other } = await checkEngines(
        game,
        this.#gameFile,
        name,
        this.#matches,
        this.#limitMs,
      )
      failure = other
      alsoChecked.push('engines')
    }
    return { alsoChecked, notChecked, failure }
  }

  #isWanted(check: CheckId): boolean {
    const { only, skip } = this.#flags
    return (only === undefined || only.includes(check)) && skip?.includes(check) !== true
  }

  #options(graphs: LoadedGraphs, module: Module): CheckOptions {
    const { explore, allocationBytesMax } = module
    const { ticks, seats, seed, only, skip, match, long } = this.#flags
    return {
      ...(ticks === undefined ? {} : { ticks }),
      ...(seats === undefined ? {} : { seats }),
      ...(seed === undefined ? {} : { seed }),
      ...(only === undefined ? {} : { only }),
      ...(skip === undefined ? {} : { skip }),
      ...(match === undefined ? {} : { matchTicks: match }),
      ...(long === undefined ? {} : { longTicks: long }),
      explore: typeof explore === 'function' ? (explore as Explore) : undefined,
      draw: drawOf(module),
      allocationBytesMax: this.#flags.allocationMax ?? (allocationBytesMax as number | undefined),
      graphs,
      resolve: graphs.resolve,
      heapBytes: () => process.memoryUsage().heapUsed,
      onBeat: (tick) => this.#watchdog.beat(tick),
      onProgress: (progress) =>
        this.#line.show(() => progressText(progress, this.#elapsed()), this.#elapsed()),
      onMatch: (played) => {
        if (this.#matches.length < elsewhereMatchesMax) this.#matches.push(played)
      },
    }
  }

  async #replay(graphs: LoadedGraphs, game: Game, module: Module, file: string): Promise<void> {
    const failure = await this.#replayed(graphs, game, drawOf(module), readJson(file))
    if (failure === undefined) {
      const text = `${file}: nothing differs any more.\n`
      process.stdout.write(this.#flags.json === true ? '{ "ok": true }\n' : text)
      return
    }
    process.exitCode = 1
    const command = this.#again(file)
    process.stdout.write(
      this.#flags.json === true
        ? `${JSON.stringify({ ok: false, failure }, undefined, 2)}\n`
        : `${failure.text}\n  again    ${command}\n`,
    )
  }

  async #replayed(
    graphs: LoadedGraphs,
    game: Game,
    draw: Draw | undefined,
    reproduction: unknown,
  ): Promise<CheckFailure | undefined> {
    const { script, check } = readReproduction(game, reproduction)
    const { resolve } = graphs
    if (check === 'async') return checkAsync(game, { seats: script.seats, script, resolve })
    if (check === 'elsewhere' || check === 'engines') {
      this.#watchdog.pause()
      const matches = [recordMatch(game, script)]
      const { export: name } = this.#flags
      if (check === 'elsewhere') {
        return checkElsewhere(game, this.#gameFile, name, matches, this.#limitMs)
      }
      return (await checkEngines(game, this.#gameFile, name, matches, this.#limitMs)).failure
    }
    await graphs.prepareToExplain()
    return replayCheck(game, reproduction, { draw, fresh: graphs.take([]), graphs, resolve })
  }

  /** Writes down what shows a failure; nothing when it does not show it again. */
  #save(failure: CheckFailure, seed: number): NonNullable<CheckReport['failure']> {
    if (!failure.isReproduced) return { ...failure, file: undefined, replay: undefined }
    const file = this.#flags.out ?? `check-failure-${failure.check}-${seed}.json`
    writeFileSync(file, `${JSON.stringify(failure.reproduction, undefined, 2)}\n`)
    return { ...failure, file, replay: this.#again(file) }
  }

  #again(file: string): string {
    const { export: exported } = this.#flags
    const name = exported === undefined ? '' : ` --export ${exported}`
    return `npx samestep check ${this.#gameFile} --replay ${file}${name}`
  }

  #print(report: CheckReport): void {
    if (!report.ok) process.exitCode = 1
    const { json } = this.#flags
    const text = json === true ? JSON.stringify(report, undefined, 2) : reportText(report)
    process.stdout.write(`${text}\n`)
  }
}

const withoutBundler =
  '** on fractions, error texts, and reloading the files that your game imports: this needs esbuild in your project (npm i -D esbuild)'

function drawOf({ draw }: Module): Draw | undefined {
  return typeof draw === 'function' ? (draw as Draw) : undefined
}

function readJson(file: string): unknown {
  const text = readFileSync(file, 'utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new UsageError('SS_BAD_ARGUMENT', `Cannot read ${file}: it is not JSON`)
  }
}
