/** What a page loads at first for one import, and what it loads later, if ever. */
import { basename } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Metafile } from 'esbuild'
import { root } from './programs.ts'

/** Bytes of one file or of several. */
export interface Size {
  readonly minified: number
  readonly gzipped: number
}

/** A file that is loaded when it is needed, by the module that asks for it. */
export interface Chunk extends Size {
  readonly name: string
}

/** What one way to import Samestep costs. */
export interface BundleSize {
  readonly first: Size
  readonly chunks: readonly Chunk[]
  /** Modules of the first load, below the package or `node_modules`, with their minified bytes. */
  readonly modules: ReadonlyMap<string, number>
}

/**
 * Bundles as a web game would: an ES module for browsers, minified, for production, with parts that are
 * loaded later in files of their own, and compressed as a web server does it.
 */
export async function measureBundle(code: string): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    outdir: root,
    absWorkingDir: root,
    define: { 'process.env.NODE_ENV': '"production"' },
    // What only Node has is not in a browser's bundle; a door that needs it shows the rest.
    external: ['node:*', 'node-datachannel', 'eslint'],
    logLevel: 'error',
  })
  const sizes = new Map<string, Size>()
  for (const { path, contents } of outputFiles) {
    const gzipped = gzipSync(contents, { level: 9 }).length
    sizes.set(basename(path), { minified: contents.length, gzipped })
  }
  const { outputs } = metafile
  const entry = Object.keys(outputs).find((path) => outputs[path]?.entryPoint === '<stdin>') ?? ''
  const loaded = reachable(outputs, entry)
  const modules = new Map<string, number>()
  for (const path of loaded) {
    for (const [input, { bytesInOutput }] of Object.entries(outputs[path]?.inputs ?? {})) {
      modules.set(input.replace('packages/samestep/dist/', ''), bytesInOutput)
    }
  }
  const first = sum([...loaded].map((path) => sizes.get(basename(path))))
  return { first, chunks: listChunks(outputs, loaded, sizes), modules }
}

type Outputs = Metafile['outputs']

/** A file and all that it imports at once. */
function reachable(outputs: Outputs, start: string): ReadonlySet<string> {
  const seen = new Set<string>()
  const visit = (path: string): void => {
    if (seen.has(path)) return
    seen.add(path)
    for (const { path: next, kind, external } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement' && external !== true) visit(next)
    }
  }
  visit(start)
  return seen
}

/** What is loaded later, each with all that comes with it and was not there yet; largest first. */
function listChunks(
  outputs: Outputs,
  loaded: ReadonlySet<string>,
  sizes: ReadonlyMap<string, Size>,
): Chunk[] {
  const chunks: Chunk[] = []
  for (const [path, { entryPoint }] of Object.entries(outputs)) {
    if (entryPoint === undefined || entryPoint === '<stdin>' || loaded.has(path)) continue
    const parts = [...reachable(outputs, path)].filter((each) => !loaded.has(each))
    const name = entryPoint.replace(/^packages\/samestep\/dist\//, '').replace(/\.js$/, '')
    chunks.push({ name, ...sum(parts.map((each) => sizes.get(basename(each)))) })
  }
  return chunks.sort((a, b) => b.gzipped - a.gzipped)
}

function sum(parts: readonly (Size | undefined)[]): Size {
  let [minified, gzipped] = [0, 0]
  for (const part of parts) {
    minified += part?.minified ?? 0
    gzipped += part?.gzipped ?? 0
  }
  return { minified, gzipped }
}
