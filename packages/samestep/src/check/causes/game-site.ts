/** Which line of the game's source something came from. */
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'
import { CallSites, parseStack } from '../../sim/trace/call-site.ts'

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that was called.
type Called = Function

const callSites = new CallSites()

/** Who called a function: a line of the game, and the line of a package that stood in between. */
export interface Caller {
  readonly site: CallSite | undefined
  readonly within: CallSite | undefined
}

/** The game's line that called a function, asked from inside that function. */
export function siteOfCaller(called: Called, resolve?: CallSiteResolver): Caller {
  const sites = sitesOf(called, resolve).filter(({ file }) => !isHost(file))
  const [first] = sites
  if (first === undefined || !isPackage(first.file)) return { site: first, within: undefined }
  return { site: sites.find(({ file }) => !isPackage(file)), within: first }
}

/** Whether the game itself called a function, and not the host, the library or a package. */
export function isGameCaller(called: Called, resolve?: CallSiteResolver): boolean {
  const [first] = sitesOf(called, resolve)
  return first !== undefined && !isHost(first.file) && !isPackage(first.file)
}

function sitesOf(called: Called, resolve: CallSiteResolver | undefined): readonly CallSite[] {
  return callSites
    .capture(called)
    .map((frame) => tidy(resolve?.(frame) ?? frame))
    .filter(({ file }) => !isOwn(file))
}

/** The game's line that an error came from. Hosts with source maps have put them into the text. */
export function siteOfError(error: unknown, resolve?: CallSiteResolver): CallSite | undefined {
  if (!(error instanceof Error)) return undefined
  const sites = parseStack(error.stack ?? '')
    .map((frame) => tidy(resolve?.(frame) ?? frame))
    .filter(({ file }) => !isOwn(file) && !isHost(file))
  return sites.find(({ file }) => !isPackage(file)) ?? sites[0]
}

/** Where the library is, as stacks name it; its frames say nothing about the game. */
const ownRoot = tidyPath(parseStack(new Error('own').stack ?? '')[0]?.file ?? '').replace(
  /check\/causes\/game-site\.[jt]s$/,
  '',
)

/** The library as a package of somebody's, whether or not its source map is at hand. */
const ownPackage = /\/node_modules\/samestep\/(?:dist|src)\//

/** The library's own files. Its tests are games like any other. */
export function isOwn(file: string): boolean {
  if (ownPackage.test(file)) return true
  // From the built files, a source map leads to the sources beside them.
  const sources = ownRoot.replace(/\/dist\/$/, '/src/')
  const isInside = file.startsWith(ownRoot) || file.startsWith(sources)
  return isInside && !/\.test\.|\/testing\//.test(file)
}

function isHost(file: string): boolean {
  return file.startsWith('node:') || file === '<anonymous>'
}

function isPackage(file: string): boolean {
  return file.includes('/node_modules/')
}

/** A path without what loaders hang on it. */
export function tidy(site: CallSite): CallSite {
  const functionName = site.functionName.replace(/^Object\.|^<anonymous>$/, '')
  return { ...site, functionName, file: tidyPath(site.file) }
}

function tidyPath(file: string): string {
  return decodeSpaces(file.replace(/^file:\/\//, '').replace(/\?.*$/, ''))
}

function decodeSpaces(path: string): string {
  return path.replaceAll('%20', ' ')
}

/** `src/game.ts:12:5`, from the working directory where it lies there: terminals make it a link. */
export function siteText({ file, line, column }: CallSite): string {
  return `${pathFromHere(file)}:${line}:${column}`
}

/** A path as one would type it here. */
export function pathFromHere(file: string): string {
  const here = workingDirectory()
  if (here === undefined || !file.startsWith('/')) return file
  if (file.startsWith(`${here}/`)) return file.slice(here.length + 1)
  return file
}

/** There is none in a browser. */
function workingDirectory(): string | undefined {
  const { process } = globalThis as { readonly process?: { cwd?(): string } }
  return process?.cwd?.()
}
