import { investigate } from '../../desync/investigate/investigate.ts'
import type { CallSite } from '../../sim/trace/call-site.ts'
import { libraryRoot } from '../../sim/trace/call-site.ts'

/** Where the library is on this machine, built or not. */
const root = libraryRoot()

/**
 * A place in code by a path that is the same wherever the library and the game are installed. Reports of
 * desyncs carry paths, and longer messages take longer: with whole paths, a plan found on one machine would
 * play otherwise on another.
 */
export function portablePlace(site: CallSite, libraryFolder = root): CallSite {
  const { functionName, file, line, column } = site
  const isOurs = libraryFolder !== undefined && file.startsWith(libraryFolder)
  const path = isOurs ? `samestep/${file.slice(libraryFolder.length)}` : lastFolder(file)
  return { functionName, file: path.replace(/\.[cm]?js$/, '.ts'), line, column }
}

/** {@link investigate}, as the machines of a storm do it. */
export const investigatePortably: typeof investigate = (match, options) =>
  investigate(match, { ...options, resolve: (site) => portablePlace(site) })

function lastFolder(file: string): string {
  return file.split(/[\\/]/).slice(-2).join('/')
}
