/**
 * A game many times over, each time from modules that are loaded anew, on machines of the check's
 * choice. One bundle is imported again and again under other addresses: Node takes each for another
 * module. Without a bundler only the file itself is new each time, and not what it imports.
 */
import { rmSync, writeFileSync } from 'node:fs'
import type { SourceMapPayload } from 'node:module'
import { SourceMap } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { GameGraphs, ModuleValue } from '../../check/causes/game-graphs.ts'
import type { AmbientUse } from '../../check/machine/machine.ts'
import { Machine } from '../../check/machine/machine.ts'
import type { Factor } from '../../check/machine/machine-state.ts'
import { factors } from '../../check/machine/machine-state.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { Bundle } from '../game/instrument.ts'
import { bundle, findEsbuild, variablesName } from '../game/instrument.ts'
import type { Module } from '../game/load-game.ts'
import { explainLoad, findFile, findGame, importFile } from '../game/load-game.ts'
import { createSourceMapResolver, readInlineMap } from '../game/source-map-resolver.ts'
import type { WatchedMap } from './watchdog.ts'

/** One game, and what is known of its modules. */
type Loaded = {
  readonly module: Module
  readonly game: Game
  readonly uses: readonly AmbientUse[]
}

/** Modules for finding out why: a few for each question that is asked. */
const plainCount = 24
const otherCount = 4
const singleCount = 4

/** The modules of one file. */
export class LoadedGraphs implements GameGraphs {
  readonly #path: string
  readonly #exportName: string | undefined
  readonly #bundle: Bundle | undefined
  readonly #map: SourceMap | undefined
  readonly #built: string | undefined
  readonly #spare = new Map<string, Loaded[]>()
  readonly #known = new Map<Game, Loaded>()
  readonly resolve: CallSiteResolver
  #loads = 0

  private constructor(path: string, exportName: string | undefined, made: Bundle | undefined) {
    this.#path = path
    this.#exportName = exportName
    this.#bundle = made
    const file = findFile(path)
    this.#built =
      made === undefined ? undefined : join(dirname(file), `.samestep-${process.pid}.mjs`)
    const payload = made === undefined ? undefined : readInlineMap(made.text)
    this.#map = payload === undefined ? undefined : makeMap(payload, dirname(file))
    const fromFiles = createSourceMapResolver()
    this.resolve = (site) => this.#resolveBuilt(site) ?? fromFiles(site)
  }

  /**
   * Makes a file ready to be loaded, and loads it for a first time.
   *
   * @throws LoadError for a file that cannot be loaded, with the line.
   */
  static async open(path: string, exportName: string | undefined): Promise<LoadedGraphs> {
    Machine.hookHost()
    const file = findFile(path)
    const esbuild = await findEsbuild(file)
    try {
      const made = esbuild === undefined ? undefined : await bundle(esbuild, file)
      return new LoadedGraphs(path, exportName, made)
    } catch (error) {
      throw explainLoad(path, error)
    }
  }

  /** What it takes to find source lines in another thread. */
  get watched(): WatchedMap | undefined {
    if (this.#map === undefined || this.#built === undefined) return undefined
    return { built: this.#built, payload: this.#map.payload }
  }

  /** Whether the bundle shows more than the sources do: `**`, and what a `catch` caught. */
  get isInstrumented(): boolean {
    return this.#bundle !== undefined
  }

  /** Loads the game once more. */
  async load(others: readonly Factor[] = []): Promise<Loaded> {
    const machine = new Machine({ seed: 1, tickRate: 20, others, resolve: this.resolve })
    try {
      const module = await machine.load(() => this.#import())
      const game = findGame(this.#path, module, this.#exportName)
      const loaded = { module, game, uses: machine.uses }
      this.#known.set(game, loaded)
      return loaded
    } catch (error) {
      throw explainLoad(this.#path, error, this.resolve)
    }
  }

  /** Loads what a check takes while nothing is found. */
  async prepare(): Promise<void> {
    await this.#fill([], 3)
    await this.#fill(factors, 1)
  }

  /** Loads what it takes to find out why. */
  async prepareToExplain(): Promise<void> {
    await this.#fill([], plainCount)
    await this.#fill(factors, otherCount)
    for (const factor of factors) await this.#fill([factor], singleCount)
  }

  take(others: readonly Factor[]): Game {
    const spare = this.#spare.get(keyOf(others)) ?? []
    // The last one is given out again and again: used modules are better than none.
    const loaded = spare.length > 1 ? spare.shift() : spare[0]
    if (loaded !== undefined) return loaded.game
    const [any] = this.#known.values()
    return (any as Loaded).game
  }

  usesOf(game: Game): readonly AmbientUse[] {
    return this.#known.get(game)?.uses ?? []
  }

  valuesOf(game: Game): readonly ModuleValue[] {
    const reads = this.#known.get(game)?.module[variablesName] as
      | readonly (() => readonly [string, unknown])[]
      | undefined
    return (reads ?? []).flatMap((read): ModuleValue[] => {
      try {
        const [name, value] = read()
        return [{ name, value, site: this.#declared(name) }]
      } catch {
        return []
      }
    })
  }

  async #fill(others: readonly Factor[], count: number): Promise<void> {
    const spare = this.#spare.get(keyOf(others)) ?? []
    this.#spare.set(keyOf(others), spare)
    while (spare.length < count) spare.push(await this.load(others))
  }

  async #import(): Promise<Module> {
    this.#loads += 1
    const query = `?graph=${this.#loads}`
    if (this.#bundle === undefined || this.#built === undefined) {
      return importFile(findFile(this.#path), this.#loads === 1 ? '' : query)
    }
    // Beside the source, so that the packages it imports are found as from there.
    try {
      writeFileSync(this.#built, this.#bundle.text)
      return (await import(`${pathToFileURL(this.#built).href}${query}`)) as Module
    } finally {
      rmSync(this.#built, { force: true })
    }
  }

  #resolveBuilt(site: CallSite): CallSite | undefined {
    const file = site.file.replace(/^file:\/\//, '').replace(/\?.*$/, '')
    if (this.#map === undefined || decodeURI(file) !== this.#built) return undefined
    const entry = this.#map.findEntry(site.line - 1, site.column - 1)
    if (!('originalSource' in entry) || !entry.originalSource) return undefined
    return {
      functionName: site.functionName,
      file: fileURLToPath(entry.originalSource),
      line: entry.originalLine + 1,
      column: entry.originalColumn + 1,
    }
  }

  #declared(name: string): CallSite | undefined {
    const at = this.#bundle?.variables.get(name)
    if (at === undefined || this.#built === undefined) return undefined
    return this.#resolveBuilt({ ...at, file: this.#built, functionName: '' })
  }
}

function keyOf(others: readonly Factor[]): string {
  return others.join()
}

function makeMap(payload: SourceMapPayload, folder: string): SourceMap {
  const root = `${pathToFileURL(folder).href}/`
  const sources = payload.sources.map((source) => new URL(source, root).href)
  return new SourceMap({ ...payload, sources, sourceRoot: '' })
}
