import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { SourceMapPayload } from 'node:module'
import { SourceMap } from 'node:module'
import { join, posix, sep } from 'node:path'
import { UsageError } from '../../base/errors.ts'
import type { CallSiteResolver } from '../../sim/trace/call-site.ts'
import { originOf, readInlineMap } from '../game/source-map-resolver.ts'

/**
 * Takes lines of a build back to the sources by the source maps of a folder, such as `dist`. The build was
 * played elsewhere, from addresses that mean nothing here: a file is found by its name, and of several
 * with the same name the one whose folders are the most like.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for what is no folder.
 */
export function createFolderResolver(folder: string): CallSiteResolver {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError('SS_BAD_ARGUMENT', `Cannot read source maps: ${folder} is not a folder`)
  }
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = names.map((name) => name.split(sep).join(posix.sep))
  const maps = new Map<string, SourceMap | undefined>()
  return (site) => {
    const played = site.file.replace(/[?#].*$/, '').replace(/\\/g, '/')
    if (!maps.has(played)) maps.set(played, findMap(folder, paths, played))
    const map = maps.get(played)
    const origin = map && originOf(map, site)
    return origin && { ...origin, file: origin.file.replace(/^(?:\.\.\/)+/, '') }
  }
}

function findMap(folder: string, paths: readonly string[], played: string): SourceMap | undefined {
  const best = nearest(paths, played, '.map')
  try {
    if (best !== undefined) {
      const text = readFileSync(join(folder, best), 'utf8')
      return new SourceMap(JSON.parse(text) as SourceMapPayload)
    }
    const built = nearest(paths, played, '')
    if (built === undefined) return undefined
    const inline = readInlineMap(readFileSync(join(folder, built), 'utf8'))
    return inline && new SourceMap(inline)
  } catch {
    // A map that is none: the generated line is better than nothing.
    return undefined
  }
}

/** The path of the same name that agrees with the played one in most folders. */
function nearest(paths: readonly string[], played: string, ending: string): string | undefined {
  const wanted = `${played}${ending}`.split('/')
  const score = (path: string): number => {
    const parts = path.split('/')
    let same = 0
    while (same < parts.length && parts.at(-1 - same) === wanted.at(-1 - same)) same += 1
    return same
  }
  const found = paths.filter((path) => score(path) > 0)
  return found.sort((one, other) => score(other) - score(one) || (one < other ? -1 : 1))[0]
}
