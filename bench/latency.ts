/**
 * `npx tsx bench/latency.ts [--json]`: how long an order takes from issuing to running, by line and by
 * scheme, in virtual time. The table in `docs/latency.md` is what this prints.
 */
import { parseArgs } from 'node:util'
import { measureClassic } from '../packages/samestep/test/latency/classic.ts'
import {
  floorOf,
  type Latency,
  type Line,
  measure,
} from '../packages/samestep/test/latency/measure.ts'
import {
  evenScenes,
  everybody,
  fibre,
  mixed,
  seven,
} from '../packages/samestep/test/latency/scenes.ts'

const seconds = 60
const seed = 1

type Scheme = {
  readonly name: string
  run(lines: readonly Line[], players: readonly number[]): Latency
}

const schemes: readonly Scheme[] = [
  {
    name: 'Samestep, datagrams',
    run: (lines, players) => measure({ lines, kind: 'datagram', seconds, seed }, players),
  },
  {
    name: 'Samestep, streams',
    run: (lines, players) => measure({ lines, kind: 'stream', seconds, seed }, players),
  },
  {
    name: 'classic, delay 3 (model)',
    run: (lines, players) => measureClassic({ lines, delay: 3, seconds, seed }, players),
  },
  {
    name: 'classic, delay 6 (model)',
    run: (lines, players) => measureClassic({ lines, delay: 6, seconds, seed }, players),
  },
]

type Row = { readonly scene: string; readonly scheme: string; readonly floor: Line } & Latency

function measureAll(): Row[] {
  const rows: Row[] = []
  for (const [name, line] of Object.entries(evenScenes)) {
    const lines = everybody(line)
    for (const { name: scheme, run } of schemes) {
      rows.push({ scene: name, scheme, floor: line, ...run(lines, [...lines.keys()]) })
    }
  }
  for (const { name: scheme, run } of schemes) {
    rows.push({ scene: 'fibre, the seven', scheme, floor: fibre, ...run(everybody(fibre), seven) })
    rows.push({ scene: 'beside a mobile', scheme, floor: fibre, ...run(mixed, seven) })
  }
  return rows
}

function ofFloor(ms: number, floorMs: number): string {
  return `${ms.toFixed(0)} (${(ms / floorMs).toFixed(2)})`
}

function print(rows: readonly Row[]): void {
  const out = [
    '| line | scheme | p50 ms (× floor) | p99 ms (× floor) | steady p50 | steady p99 | late ticks |',
    '|---|---|---|---|---|---|---|',
  ]
  let scene = ''
  for (const row of rows) {
    const floor = floorOf(row.floor)
    const isModel = row.scheme.startsWith('classic')
    const steady = isModel
      ? ['', '']
      : [ofFloor(row.steadyP50, floor.p50), ofFloor(row.steadyP99, floor.p99)]
    const cells = [
      row.scene === scene ? '' : row.scene,
      row.scheme,
      ofFloor(row.p50, floor.p50),
      ofFloor(row.p99, floor.p99),
      ...steady,
      `${(row.late * 100).toFixed(1)} %`,
    ]
    scene = row.scene
    out.push(`| ${cells.join(' | ')} |`)
  }
  process.stdout.write(`${out.join('\n')}\n`)
}

const { values: options } = parseArgs({ options: { json: { type: 'boolean', default: false } } })
const rows = measureAll()
if (options.json) process.stdout.write(`${JSON.stringify({ seconds, seed, rows }, null, 2)}\n`)
else print(rows)
