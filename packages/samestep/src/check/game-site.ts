/** Which line of the game's source something came from. */
import type { CallSite, CallSiteResolver } from '../sim/trace/call-site.ts'
import { CallSites, parseStack } from '../sim/trace/call-site.ts'

// biome-ignore lint/complexity/noBannedTypes: any function can be the one that was called.
type Called = Function

const callSites = new CallSites()

/** The game's line that called a function, asked from inside that function. */
export function siteOfCaller(called: Called, resolve?: CallSiteResolver): CallSite | undefined {
  const sites = callSites.capture(called).map((frame) => tidy(resolve?.(frame) ?? frame))
  return sites.find(({ file }) => !isOwn(file))
}

/** The game's line that an error came from. Hosts with source maps have put them into the text. */
export function siteOfError(error: unknown): CallSite | undefined {
  if (!(error instanceof Error)) return undefined
  return parseStack(error.stack ?? '')
    .map(tidy)
    .find(({ file }) => !isOwn(file))
}

/** Where the library is, as stacks name it; its frames say nothing about the game. */
const ownRoot = tidyPath(parseStack(new Error('own').stack ?? '')[0]?.file ?? '').replace(
  /check\/game-site\.[jt]s$/,
  '',
)

/** The library's tests are games like any other. */
function isOwn(file: string): boolean {
  if (file.startsWith('node:')) return true
  return file.startsWith(ownRoot) && !/\.test\.|\/testing\//.test(file)
}

/** A path without what loaders hang on it. */
export function tidy(site: CallSite): CallSite {
  const functionName = site.functionName.replace(/^Object\.|^<anonymous>$/, '')
  return { ...site, functionName, file: tidyPath(site.file) }
}

function tidyPath(file: string): string {
  return file.replace(/^file:\/\//, '').replace(/\?.*$/, '')
}

/** `src/game.ts:12:5`: as much of the path as tells files apart. */
export function siteText({ file, line, column }: CallSite): string {
  return `${file.split('/').slice(-3).join('/')}:${line}:${column}`
}
