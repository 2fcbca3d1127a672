import { join } from 'node:path'
import { build } from 'esbuild'
import { expect, test } from 'vitest'

/** What a first game loads at once, and the library's files that are in it; the rest comes when it is needed. */
async function bundleFor(mode: string): Promise<{ text: string; files: string[] }> {
  const { metafile, outputFiles } = await build({
    stdin: {
      contents: `import { defineGame, joinMatch, playLocal } from './index.ts'\nglobalThis.used = [defineGame, joinMatch, playLocal]`,
      resolveDir: join(import.meta.dirname, '..', '..'),
    },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    splitting: true,
    outdir: 'out',
    format: 'esm',
    platform: 'browser',
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
  })
  const { outputs } = metafile
  const loaded = new Set(Object.keys(outputs).filter((path) => path.endsWith('stdin.js')))
  for (const path of loaded) {
    for (const { kind, path: other } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') loaded.add(other)
    }
  }
  const files = [...loaded].flatMap((path) =>
    Object.entries(outputs[path]?.inputs ?? {})
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([name]) => name.slice(name.lastIndexOf('/sim/') + 1)),
  )
  const texts = outputFiles.filter(({ path }) => loaded.has(path.slice(path.lastIndexOf('out/'))))
  return { text: texts.map(({ text }) => text).join('\n'), files }
}

test('a bundle for production has neither guard nor tracing in it', async () => {
  const { text, files } = await bundleFor('production')
  expect(text).not.toContain('localeCompare')
  const guards = files.filter((name) => /sim\/(?:guard|trace)\//.test(name))
  expect(guards).toEqual(['sim/guard/create-guard.ts'])
})

test('a bundle for development has the guard, and tracing only for who asks for it', async () => {
  const { text, files } = await bundleFor('development')
  expect(text).toContain('localeCompare')
  expect(files).toContain('sim/guard/game-guard.ts')
  expect(files.filter((name) => name.startsWith('sim/trace/'))).toEqual([])
})

test('what explains desyncs is loaded when there is one', async () => {
  for (const mode of ['production', 'development']) {
    const { files } = await bundleFor(mode)
    const lazy = /desync\/(?:investigate|report-file)|save-file|cause-table/
    expect(files.filter((name) => lazy.test(name))).toEqual([])
  }
})
