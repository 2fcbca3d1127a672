import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { openChromium } from './engines/browsers.ts'
import { bundleDigests } from './engines/bundle.ts'
import { findMismatches, type Golden } from './engines/compare.ts'
import type { Engine } from './engines/engine.ts'
import { shellEngine } from './engines/shell.ts'

/** A million arguments per function keep an engine busy for a while, more so on a shared machine. */
const patienceMs = 300_000

const golden: Golden = JSON.parse(
  readFileSync(join(import.meta.dirname, 'vectors', 'digests.json'), 'utf8'),
)

let script = ''
beforeAll(async () => {
  script = await bundleDigests()
})

/** The other engines, which a machine may not have, are in `npm run test:engines`. */
const engines: readonly (readonly [string, () => Promise<Engine>])[] = [
  ['this Node', async () => shellEngine('Node', process.versions.node, process.execPath)],
  ['Chromium', openChromium],
]

describe.concurrent('the simulation computes the committed bits', () => {
  test.each(engines)('in %s', { timeout: patienceMs }, async (_name, open) => {
    const engine = await open()
    try {
      expect(findMismatches(golden, await engine.run(script, golden.count))).toEqual([])
    } finally {
      await engine.close()
    }
  })
})
