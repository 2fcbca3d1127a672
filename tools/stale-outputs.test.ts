import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findStaleOutputs } from './stale-outputs.ts'

test('an output is stale when its source is gone, and nothing else is', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stale-'))
  try {
    expect(findStaleOutputs(folder)).toEqual([])
    const kept = [
      'src/a/b.ts',
      'dist/a/b.js',
      'dist/a/b.d.ts',
      'dist/a/b.js.map',
      'dist/a/b.d.ts.map',
    ]
    const stale = [
      'dist/a/gone.d.ts',
      'dist/a/gone.d.ts.map',
      'dist/a/gone.js',
      'dist/a/gone.js.map',
    ]
    for (const path of [...kept, ...stale, 'dist/.tsbuildinfo/a.tsbuildinfo']) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), '')
    }
    expect(findStaleOutputs(folder)).toEqual(stale)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
