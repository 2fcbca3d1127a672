/**
 * The same matches in other engines, as far as they are installed: a browser without a window, or
 * the shell of an engine. The game and what plays it go there as one file.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { UsageError } from '../../base/errors.ts'
import type { CheckFailure, Parting, PlayedMatch } from '../../check/index.ts'
import { explainParting, packMatches } from '../../check/index.ts'
import type { Game } from '../../sim/game/definition/define-game.ts'
import { findEsbuild } from '../game/instrument.ts'
import { findFile } from '../game/load-game.ts'

/** An engine that is a program. */
type Engine = {
  readonly name: string
  readonly programs: readonly string[]
  readonly isBrowser: boolean
  readonly args: readonly string[]
}

const engines: readonly Engine[] = [
  {
    name: 'Chromium',
    programs: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    isBrowser: true,
    // Without a sandbox it also runs in a container; the page is the developer's own game.
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--dump-dom', '--disable-dev-shm-usage'],
  },
  { name: 'JavaScriptCore', programs: ['jsc'], isBrowser: false, args: ['-m'] },
  {
    name: 'SpiderMonkey',
    programs: ['js128', 'js115', 'js102', 'js'],
    isBrowser: false,
    args: ['--module'],
  },
]

/** Matches that are played: a browser takes its time to start, and each match is the same to it. */
const matchesMax = 3

/** What other engines found, and which ones they were. */
export interface EnginesResult {
  readonly names: readonly string[]
  readonly failure: CheckFailure | undefined
}

/**
 * Plays matches in every other engine that is installed.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` when there is none, or no bundler.
 */
export async function checkEngines(
  game: Game,
  gameFile: string,
  exportName: string | undefined,
  matches: readonly PlayedMatch[],
  limitMs: number,
): Promise<EnginesResult> {
  const installed = engines.flatMap((engine) => {
    const path = findProgram(engine.programs)
    return path === undefined ? [] : [{ engine, path }]
  })
  if (installed.length === 0) {
    const names = engines.flatMap(({ programs }) => programs.slice(0, 1)).join(', ')
    refuse(`no other engine is installed (looked for ${names} and similar)`)
  }
  const played = matches.slice(-matchesMax)
  const script = await bundlePlayer(game, gameFile, exportName, played)
  for (const { engine, path } of installed) {
    const parting = await runEngine(engine, path, script, limitMs)
    if (parting === null) continue
    const where = `another engine, ${engine.name},`
    const failure = explainParting(game, played, parting, 'engines', where)
    return { names: installed.map((each) => each.engine.name), failure }
  }
  return { names: installed.map((each) => each.engine.name), failure: undefined }
}

function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  for (const name of names) {
    for (const folder of folders) if (existsSync(join(folder, name))) return join(folder, name)
  }
  return undefined
}

/** What Node alone has is there for sockets, which no simulation uses: nothing takes its place. */
const withoutNode = {
  name: 'without-node',
  setup(build: Plugins): void {
    build.onResolve({ filter: /^(?:node:|ws$)/ }, ({ path }) => ({ path, namespace: 'nothing' }))
    build.onLoad({ filter: /.*/, namespace: 'nothing' }, () => ({
      contents: 'module.exports = {}',
    }))
  },
}

type Plugins = {
  onResolve(
    options: { readonly filter: RegExp },
    resolve: (asked: { readonly path: string }) => object,
  ): void
  onLoad(options: object, load: () => object): void
}

/** Before and after the answer, whatever else an engine prints. */
const begin = 'samestep-parting:'
const end = ':samestep-end'

async function bundlePlayer(
  game: Game,
  gameFile: string,
  exportName: string | undefined,
  matches: readonly PlayedMatch[],
): Promise<string> {
  const file = findFile(gameFile)
  const esbuild = await findEsbuild(file)
  if (esbuild === undefined) refuse('bundling the game needs esbuild; run "npm i -D esbuild"')
  const suffix = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const player = fileURLToPath(new URL(`../../check/lanes/elsewhere.${suffix}`, import.meta.url))
  const { outputFiles } = await esbuild.build({
    stdin: {
      contents: `
        import * as module from ${JSON.stringify(file)}
        import { playElsewhere } from ${JSON.stringify(player)}
        const say = typeof document === 'undefined' ? print : (text) => {
          document.documentElement.textContent = text
        }
        const game = ${exportName === undefined ? `Object.values(module).find((each) => each?.fingerprint !== undefined && each.orderCodec)` : `module[${JSON.stringify(exportName)}]`}
        try {
          const parting = playElsewhere(game, ${JSON.stringify(packMatches(game, matches))})
          say(${JSON.stringify(begin)} + JSON.stringify(parting ?? null) + ${JSON.stringify(end)})
        } catch (error) {
          say(${JSON.stringify(begin)} + JSON.stringify({ error: String(error) }) + ${JSON.stringify(end)})
        }
      `,
      resolveDir: dirname(file),
    },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    plugins: [withoutNode],
    target: 'es2022',
    logLevel: 'silent',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  return outputFiles[0]?.text ?? ''
}

async function runEngine(
  { name, isBrowser, args }: Engine,
  path: string,
  script: string,
  limitMs: number,
): Promise<Parting | null> {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-engine-'))
  try {
    const file = join(folder, 'play.mjs')
    writeFileSync(file, script)
    const page = join(folder, 'play.html')
    const isolated = isBrowser ? [`--user-data-dir=${join(folder, 'profile')}`] : []
    // Inline: a page from a file may not load modules from files.
    const inline = script.replaceAll('</script', '<\\/script')
    writeFileSync(
      page,
      `<!doctype html><meta charset="utf-8"><script type="module">${inline}</script>`,
    )
    const target = isBrowser ? pathToFileURL(page).href : file
    const output = await runProgram(path, [...args, ...isolated, target], limitMs)
    // The page shows its own script until the answer takes its place.
    const from =
      output.indexOf(`${begin}{`) >= 0
        ? output.indexOf(`${begin}{`)
        : output.indexOf(`${begin}null`)
    const to = output.indexOf(end, Math.max(from, 0))
    if (from < 0 || to < from) refuse(`${name} gave no answer: ${output.slice(-500)}`)
    const text = output.slice(from + begin.length, to).replaceAll('&quot;', '"')
    const answer = JSON.parse(text.replaceAll('&amp;', '&').replaceAll('&lt;', '<')) as
      | (Parting & { readonly error?: string })
      | null
    if (answer?.error !== undefined) refuse(`in ${name} the game threw ${answer.error}`)
    return answer
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function runProgram(path: string, args: readonly string[], limitMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 10 * limitMs })
    let output = ''
    const add = (text: string): void => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', add)
    child.stderr.setEncoding('utf8').resume()
    child.on('error', reject)
    child.on('close', () => resolve(output))
  })
}

function refuse(problem: string): never {
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot check in other engines: ${problem}`)
}
