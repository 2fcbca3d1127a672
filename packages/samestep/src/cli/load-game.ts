/**
 * A game from a file. JavaScript is imported as it is; TypeScript too where Node can (22.18 and
 * later), else through the project's own `tsx` or `esbuild`: whatever the developer builds with
 * anyway, and nothing that we would have to install.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { UsageError } from '../base/errors.ts'
import type { Game } from '../sim/game/define-game.ts'

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
  return importFile(findFile(path))
}

/**
 * Imports a file once more, as a module of its own: with all that it imports of the project where
 * there is an `esbuild` to put it together, else the file alone. Packages, ours among them, are those
 * that are loaded already.
 */
export async function loadFreshModule(path: string): Promise<Module> {
  const file = findFile(path)
  return (await importWithEsbuild(file, '-fresh')) ?? importFile(file, '?fresh')
}

function findFile(path: string): string {
  const file = resolve(path)
  if (!existsSync(file)) refuse(`Cannot load the game: there is no file ${path}`)
  return file
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
    refuse(`Cannot load the game: ${path} exports none; export what defineGame(…) gives`)
  }
  if (distinct.size > 1) {
    refuse(`Cannot load the game: ${path} exports several; choose with --export, from ${names}`)
  }
  return first as Game
}

function isGame(value: unknown): value is Game {
  return (
    typeof value === 'object' && value !== null && 'orderCodec' in value && 'fingerprint' in value
  )
}

async function importFile(file: string, query = ''): Promise<Module> {
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

async function importWithEsbuild(file: string, suffix = ''): Promise<Module | undefined> {
  const api = resolveFrom(file, 'esbuild')
  if (api === undefined) return undefined
  const esbuild = (await import(api)) as {
    build(options: object): Promise<{ readonly outputFiles: readonly { readonly text: string }[] }>
  }
  const { outputFiles } = await esbuild.build({
    entryPoints: [file],
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    sourcemap: 'inline',
    // Sources are named from here, and the file that is built lies here.
    absWorkingDir: dirname(file),
    write: false,
    logLevel: 'silent',
  })
  // Beside the source, so that the packages it imports are found as from there.
  const built = join(dirname(file), `.samestep-${process.pid}${suffix}.mjs`)
  try {
    writeFileSync(built, outputFiles[0]?.text ?? '')
    return (await import(pathToFileURL(built).href)) as Module
  } finally {
    rmSync(built, { force: true })
  }
}

/** Where the project that a file belongs to has a package; `undefined` when it has not. */
function resolveFrom(file: string, specifier: string): string | undefined {
  try {
    return pathToFileURL(createRequire(file).resolve(specifier)).href
  } catch {
    return undefined
  }
}

function refuseTypeScript(file: string): never {
  refuse(
    `Cannot load ${file}: Node ${process.versions.node} does not read TypeScript. Run "npm i -D tsx" in your project, use Node 22.18 or later, or give the built .js file`,
  )
}

function refuse(message: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', message)
}
