import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readVectors } from '../../packages/samestep/src/wire/testing/vector-file.ts'
import type { WireVectors } from '../../packages/samestep/src/wire/testing/vectors.ts'
import { root } from '../programs.ts'
import { Fuzzer, type FuzzTarget } from './fuzzer.ts'
import { loadInstrumented } from './load.ts'
import { Probe } from './probe.ts'

const folder = import.meta.dirname
const probe = new Probe()
const bugs = await loadInstrumented<{ makeTargets(): readonly FuzzTarget[] }>(
  join(folder, 'testing', 'planted.ts'),
  probe,
)
const decoders = await loadInstrumented<{
  makeTargets(vectors: WireVectors): FuzzTarget[]
}>(join(folder, 'targets.ts'), probe)
const targets = decoders.module.makeTargets(readVectors())

function plantedBug(name: string): FuzzTarget {
  return (
    bugs.module.makeTargets().find((target) => target.name === name) ?? expect.unreachable(name)
  )
}

/** Enough to go through every decoder from end to end, and a few seconds for all. */
const runs = 3_000

test.each(targets)('$name survives changed bytes', (target) => {
  const fuzzer = new Fuzzer(target, probe, { seed: 1, constants: decoders.constants })
  const finding = fuzzer.run(runs)
  const shown = finding && fuzzer.minimise(finding)
  expect(shown && { ...shown, bytes: Buffer.from(shown.bytes).toString('hex') }).toBeUndefined()
  expect(fuzzer.stats.accepted).toBeGreaterThan(target.seeds.length)
  expect(fuzzer.stats.corpus).toBeGreaterThan(target.seeds.length)
})

test('every layer that decodes is among the targets', () => {
  const layers = new Set(targets.map(({ name }) => name.split('/')[0]))
  expect([...layers].sort()).toEqual(['link', 'record', 'schema', 'snapshot', 'wire'])
})

describe('a planted bug', () => {
  const rareRuns = 200_000
  const rare = { seed: 1, constants: bugs.constants }

  test.each([1, 2, 3])('behind five bytes that must all be right is found, seed %i', (seed) => {
    const fuzzer = new Fuzzer(plantedBug('throws rarely'), probe, { ...rare, seed })
    const finding = fuzzer.run(rareRuns) ?? expect.unreachable('nothing was found')
    expect(finding.fault).toEqual({ kind: 'threw', detail: 'RangeError: Invalid array length' })
    expect([...fuzzer.minimise(finding).bytes]).toEqual([0x53, 0xa7, 0x4c, 0x31, 0x9c])
  })

  test('is not found in the same time by changes without guidance', () => {
    const fuzzer = new Fuzzer(plantedBug('throws rarely'), probe, { ...rare, isGuided: false })
    expect(fuzzer.run(rareRuns)).toBeUndefined()
  })

  test.each([
    ['accepts two forms', 'not canonical'],
    ['believes a length', 'allocates'],
    ['believes a count', 'takes long'],
    ['refuses its seed', 'refuses a seed'],
  ])('that %s is found', (name, kind) => {
    expect(new Fuzzer(plantedBug(name), probe, { seed: 1 }).run(20_000)?.fault.kind).toBe(kind)
  })

  test('where there is none is not found', () => {
    expect(new Fuzzer(plantedBug('behaves'), probe, { seed: 1 }).run(20_000)).toBeUndefined()
  })
})

test('a finding is made as short and plain as it can be', () => {
  const fuzzer = new Fuzzer(plantedBug('accepts two forms'), probe, { seed: 1 })
  const finding = fuzzer.run(20_000) ?? expect.unreachable('nothing was found')
  expect([...fuzzer.minimise(finding).bytes]).toEqual([0xff, 0, 0])
})

test('one seed gives one history, another seed another', () => {
  const history = (seed: number): unknown => {
    const fuzzer = new Fuzzer(targets[0] as FuzzTarget, probe, { seed })
    fuzzer.run(500)
    return fuzzer.stats
  }
  expect(history(3)).toEqual(history(3))
  expect(history(3)).not.toEqual(history(4))
})

test('the command ends badly when something was found, and says how to see it again', () => {
  const planted = join('tools', 'fuzz', 'testing', 'planted.ts')
  const options = ['--runs', '20000', '--module', planted, '--target', 'accepts two forms']
  const { status, stdout } = spawnSync(
    process.execPath,
    ['--import', 'tsx', join(root, 'tools', 'fuzz.ts'), ...options],
    { cwd: root, encoding: 'utf8' },
  )
  expect(stdout).toContain(
    "accepts two forms not canonical: encodes to 00\n  ff0000\n  npm run fuzz -- --target 'accepts two forms' --replay ff0000\n",
  )
  expect(status).toBe(1)
})
