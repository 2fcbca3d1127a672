import { readFileSync } from 'node:fs'
import type { SourceMapPayload } from 'node:module'
import { findSourceMap, SourceMap } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { CallSite, CallSiteResolver } from '../../sim/trace/call-site.ts'

/** Source maps that are kept: one per file of generated code, and a game is a few of them. */
const mapsMax = 256

/** The last comment of this kind in a file says where its map is. */
const mapComment = /^[ \t]*\/\/[#@] sourceMappingURL=(\S+)[ \t]*$/gm

/**
 * Takes call sites of bundled or compiled code back to the sources, where there is a source map: one
 * that Node has loaded itself, one inside the file, or one beside it. Files are read when they are
 * first asked for, and once.
 */
export function createSourceMapResolver(): CallSiteResolver {
  const maps = new Map<string, SourceMap | undefined>()
  return (site) => {
    const url = urlOf(site.file)
    if (url === undefined) return undefined
    if (!maps.has(url)) {
      if (maps.size >= mapsMax) maps.clear()
      maps.set(url, loadMap(url))
    }
    const map = maps.get(url)
    return map === undefined ? undefined : originOf(map, site)
  }
}

/** The original place of one in generated code, by a map of that. */
export function originOf(map: SourceMap, site: CallSite): CallSite | undefined {
  // Source maps count from 0, stack traces from 1.
  const entry = map.findEntry(site.line - 1, site.column - 1)
  if (!('originalSource' in entry) || !entry.originalSource) return undefined
  const { originalSource, originalLine, originalColumn } = entry
  return {
    functionName: site.functionName,
    file: originalSource.startsWith('file:') ? fileURLToPath(originalSource) : originalSource,
    line: originalLine + 1,
    column: originalColumn + 1,
  }
}

/** Stack traces name modules by URL and scripts by path. */
function urlOf(file: string): string | undefined {
  if (file.startsWith('file:')) return file
  return file.startsWith('/') || /^[A-Za-z]:[\\/]/.test(file) ? pathToFileURL(file).href : undefined
}

function loadMap(url: string): SourceMap | undefined {
  try {
    return findSourceMap(fileURLToPath(url)) ?? findSourceMap(url) ?? readMap(url)
  } catch {
    // A file that is gone, or a map that is none: the generated line is better than nothing.
    return undefined
  }
}

function readMap(url: string): SourceMap | undefined {
  const comments = [...readFileSync(fileURLToPath(url), 'utf8').matchAll(mapComment)]
  const reference = comments.at(-1)?.[1]
  if (reference === undefined) return undefined
  const isInline = reference.startsWith('data:')
  const mapUrl = isInline ? url : new URL(reference, url).href
  const text = isInline ? decodeDataUrl(reference) : readFileSync(fileURLToPath(mapUrl), 'utf8')
  const payload = JSON.parse(text) as SourceMapPayload
  const root = new URL(
    payload.sourceRoot ? `${payload.sourceRoot.replace(/\/$/, '')}/` : '.',
    mapUrl,
  )
  const sources = payload.sources.map((source) => new URL(source, root).href)
  return new SourceMap({ ...payload, sources, sourceRoot: '' })
}

/** The map inside a text of generated code; `undefined` when there is none. */
export function readInlineMap(text: string): SourceMapPayload | undefined {
  const reference = [...text.matchAll(mapComment)].at(-1)?.[1]
  if (reference?.startsWith('data:') !== true) return undefined
  return JSON.parse(decodeDataUrl(reference)) as SourceMapPayload
}

function decodeDataUrl(url: string): string {
  const comma = url.indexOf(',')
  const content = url.slice(comma + 1)
  return url.slice(0, comma).endsWith(';base64')
    ? Buffer.from(content, 'base64').toString('utf8')
    : decodeURIComponent(content)
}
