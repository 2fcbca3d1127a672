/**
 * `npm run fuzz -- --minutes 10 [--target wire] [--seed 7] [--json]`: feeds changed bytes to every decoder
 * of a stranger's bytes until time is up or one of them misbehaves.
 *
 * A decoder misbehaves when it throws something else than a `WireError`, accepts bytes that are not the
 * one encoding of what they say, or takes memory or work out of proportion to them. Then the shortest
 * such input is printed with the command that replays it, and the exit code is 1.
 *
 * `--runs N` instead of `--minutes` tries so many inputs per target: the same on every machine.
 * `--target` takes any part of a target's name. `--replay <hex>` tries one input. `--module <file>` takes
 * targets from another module that exports `makeTargets`: for decoders of your own.
 */
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { readVectors } from '../packages/samestep/src/wire/testing/vector-file.ts'
import type { WireVectors } from '../packages/samestep/src/wire/testing/vectors.ts'
import { type Finding, Fuzzer, type FuzzTarget } from './fuzz/fuzzer.ts'
import { loadInstrumented } from './fuzz/load.ts'
import { Probe } from './fuzz/probe.ts'
import { refuse, root } from './programs.ts'
import { formatPlain } from './table.ts'

/** Runs between two looks at the clock, and how long a target has before the next has its turn. */
const batchRuns = 100
const sliceMs = 50

const progressEveryMs = process.stderr.isTTY ? 250 : 10_000

const { values: options } = parseArgs({
  options: {
    minutes: { type: 'string' },
    runs: { type: 'string' },
    target: { type: 'string', default: '' },
    seed: { type: 'string', default: '1' },
    replay: { type: 'string' },
    module: { type: 'string', default: 'tools/fuzz/targets.ts' },
    json: { type: 'boolean', default: false },
  },
})

function numberOf(name: string, text: string): number {
  const value = Number(text)
  if (Number.isFinite(value) && value >= 0) return value
  return refuse(`Cannot use --${name} ${text}: it must be a number from 0`)
}

const seed = numberOf('seed', options.seed)
const runsMax =
  options.runs === undefined ? Number.POSITIVE_INFINITY : numberOf('runs', options.runs)
const minutes = numberOf('minutes', options.minutes ?? (options.runs === undefined ? '1' : '1e9'))

const probe = new Probe()
type Module = { makeTargets(vectors: WireVectors): readonly FuzzTarget[] }
const { module, constants } = await loadInstrumented<Module>(resolve(root, options.module), probe)
const all = module.makeTargets(readVectors())
const targets = all.filter(({ name }) => name.includes(options.target))
if (targets.length === 0) {
  refuse(
    `Cannot find a target with '${options.target}': there are ${all.map(({ name }) => name).join(', ')}`,
  )
}

const fuzzers = targets.map((target) => new Fuzzer(target, probe, { seed, constants }))
if (options.replay === undefined) finish(fuzzAll())
else finish(replay(options.replay))

function fuzzAll(): Finding | undefined {
  const startMs = performance.now()
  const untilMs = startMs + minutes * 60_000
  let shownMs = startMs
  let left = [...fuzzers]
  while (left.length > 0) {
    for (const fuzzer of left) {
      const sliceUntilMs = performance.now() + sliceMs
      do {
        const finding = fuzzer.run(Math.min(batchRuns, runsMax - fuzzer.stats.runs))
        if (finding !== undefined) return fuzzer.minimise(finding)
      } while (fuzzer.stats.runs < runsMax && performance.now() < sliceUntilMs)
      const nowMs = performance.now()
      if (nowMs >= untilMs) return undefined
      if (nowMs - shownMs < progressEveryMs) continue
      shownMs = nowMs
      showProgress((nowMs - startMs) / 1_000)
    }
    left = left.filter(({ stats }) => stats.runs < runsMax)
  }
  return undefined
}

function showProgress(seconds: number): void {
  const sum = (name: 'runs' | 'corpus' | 'coverage'): number =>
    fuzzers.reduce((total, { stats }) => total + stats[name], 0)
  const rate = Math.round(sum('runs') / seconds)
  const text = `${Math.round(seconds)} s, ${sum('runs')} runs (${rate}/s), ${sum('corpus')} kept, ${sum('coverage')} steps covered`
  process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : `${text}\n`)
}

function replay(hex: string): Finding | undefined {
  const [fuzzer] = fuzzers
  if (fuzzer === undefined || fuzzers.length > 1) {
    return refuse(`Cannot replay on ${fuzzers.length} targets: name one with --target`)
  }
  const bytes = Uint8Array.from(Buffer.from(hex, 'hex'))
  const fault = fuzzer.try(bytes)
  return fault && { target: fuzzer.target.name, bytes, fault }
}

function finish(finding: Finding | undefined): never {
  if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  const hex = finding && Buffer.from(finding.bytes).toString('hex')
  const command = finding && `npm run fuzz -- --target '${finding.target}' --replay ${hex}`
  const stats = fuzzers.map((fuzzer) => fuzzer.stats)
  if (options.json) {
    const shown = finding && { target: finding.target, ...finding.fault, hex, command }
    process.stdout.write(`${JSON.stringify({ seed, targets: stats, finding: shown ?? null })}\n`)
  } else {
    const rows = stats.map(({ target, runs, accepted, corpus, coverage }) =>
      [target, runs, accepted, corpus, coverage].map(String),
    )
    const heading = ['target', 'runs', 'accepted', 'kept', 'steps covered']
    process.stdout.write(`${formatPlain([heading, ...rows])}\n`)
    if (finding !== undefined) {
      const { kind, detail } = finding.fault
      process.stdout.write(`\n${finding.target} ${kind}: ${detail}\n  ${hex}\n  ${command}\n`)
    }
  }
  process.exit(finding === undefined ? 0 : 1)
}
