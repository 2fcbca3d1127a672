/**
 * A game from a file. JavaScript is imported as it is; TypeScript too where Node can (22.18 and
 * later), else through the project's own `tsx` or `esbuild`: whatever the developer builds with
 * anyway, and nothing that we would have to install.
 */
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../../base/errors.ts'
import { pathFromHere, siteOfError } from '../../check/causes/game-site.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import type { BuildError } from './instrument.ts'
import { bundlePlain, findEsbuild, resolveFrom } from './instrument.ts'

/** The exports of a file. */
export type Module = { readonly [name: string]: unknown }

/**
 * Imports a file and gives the one game that it exports, or the one of a name.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` that says what to do instead.
 */
export async function loadGame(path: string, exportName?: string): Promise<Game> {
  return findGame(path, await loadModule(path), exportName)
}

/**
 * Imports a file.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` that says what to do instead.
 */
export async function loadModule(path: string): Promise<Module> {
  try {
    return await importFile(findFile(path))
  } catch (error) {
    throw explainLoad(path, error)
  }
}

/** The file that a path names. */
export function findFile(path: string): string {
  const file = resolve(path)
  if (!existsSync(file)) refuse(`Cannot load the game: there is no file ${path}`)
  if (statSync(file).isDirectory()) {
    refuse(`Cannot load the game: ${path} is a folder; name the file that exports the game`)
  }
  return file
}

/** A game that cannot be loaded, and the line that is the reason. */
export class LoadError extends UsageError {
  readonly site: CallSite | undefined

  constructor(path: string, problem: string, site: CallSite | undefined) {
    const at =
      site === undefined ? '' : `\n  at ${pathFromHere(site.file)}:${site.line}:${site.column}`
    super('SS_BAD_ARGUMENT', `Cannot load ${path}: ${problem}${at}`)
    this.site = site
  }
}

/** What a failed import or build comes down to, in one sentence with its line. */
export function explainLoad(path: string, error: unknown, resolver?: CallSiteResolver): Error {
  if (error instanceof UsageError) return error
  const [first] = (error as { readonly errors?: readonly BuildError[] } | null)?.errors ?? []
  if (first?.location !== undefined) {
    const { text, location } = first
    const site =
      location === null
        ? undefined
        : {
            functionName: '',
            file: resolve(dirname(resolve(path)), location.file),
            line: location.line,
            column: location.column + 1,
          }
    return new LoadError(path, text.replace(/^Could not resolve/, 'it cannot resolve'), site)
  }
  const problem =
    error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`
  const site = siteOfError(error, resolver) ?? siteOfSyntaxError(error)
  return new LoadError(path, problem, site)
}

/** Node writes the place of a syntax error above the error itself. */
function siteOfSyntaxError(error: unknown): CallSite | undefined {
  const found = /^(?:file:\/\/)?(\/.+?):(\d+)\n/.exec((error as Error | undefined)?.stack ?? '')
  if (found === null) return undefined
  return { functionName: '', file: found[1] as string, line: Number(found[2]), column: 1 }
}

/** The game among the exports of a module. */
export function findGame(path: string, module: Module, exportName?: string): Game {
  const games = Object.entries(module).filter(([, value]) => isGame(value))
  const names = games.map(([name]) => name).join(', ')
  if (exportName !== undefined) {
    const chosen = module[exportName]
    if (isGame(chosen)) return chosen
    refuse(`Cannot load the game: ${path} exports no game '${exportName}', but ${names || 'none'}`)
  }
  const distinct = new Set(games.map(([, game]) => game))
  const [first] = distinct
  if (first === undefined) {
    refuse(`Cannot load the game: ${path} exports none; export the result of defineGame(…)`)
  }
  if (distinct.size > 1) {
    refuse(`Cannot load the game: ${path} exports several; choose one with --export: ${names}`)
  }
  return first as Game
}

function isGame(value: unknown): value is Game {
  return (
    typeof value === 'object' && value !== null && 'orderCodec' in value && 'fingerprint' in value
  )
}

/** Imports a file, TypeScript too. */
export async function importFile(file: string, query = ''): Promise<Module> {
  const url = `${pathToFileURL(file).href}${query}`
  if (!/\.[cm]?tsx?$/.test(file)) return import(url)
  try {
    return await import(url)
  } catch (error) {
    if (!isLanguageError(error)) throw error
  }
  return (
    (await importWithTsx(file, url)) ?? (await importWithEsbuild(file)) ?? refuseTypeScript(file)
  )
}

/** Node says so in one of these ways when it does not read TypeScript, or not all of it. */
function isLanguageError(error: unknown): boolean {
  const { code, name } = error as { readonly code?: string; readonly name?: string }
  const codes = [
    'ERR_UNKNOWN_FILE_EXTENSION',
    'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
    'ERR_MODULE_NOT_FOUND',
  ]
  return codes.includes(code ?? '') || name === 'SyntaxError'
}

async function importWithTsx(file: string, url: string): Promise<Module | undefined> {
  // The file beside it for `import`: the one for `require` cannot register anything.
  const api = resolveFrom(file, 'tsx/esm/api')?.replace(/\.cjs$/, '.mjs')
  if (api === undefined) return undefined
  const { register } = (await import(api)) as { register(): () => unknown }
  const unregister = register()
  try {
    // The first attempt is remembered as a failure under the plain address.
    return (await import(`${url}${url.includes('?') ? '&' : '?'}with=tsx`)) as Module
  } finally {
    await unregister()
  }
}

async function importWithEsbuild(file: string): Promise<Module | undefined> {
  const esbuild = await findEsbuild(file)
  if (esbuild === undefined) return undefined
  const text = await bundlePlain(esbuild, file)
  // Beside the source, so that the packages it imports are found as from there.
  const built = join(dirname(file), `.samestep-${process.pid}.mjs`)
  try {
    writeFileSync(built, text)
    return (await import(pathToFileURL(built).href)) as Module
  } finally {
    rmSync(built, { force: true })
  }
}

function refuseTypeScript(file: string): never {
  refuse(
    `Cannot load ${file}: Node ${process.versions.node} does not read TypeScript. Run "npm i -D tsx" in your project, use Node 22.18 or later, or pass the built .js file`,
  )
}

function refuse(message: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', message)
}
