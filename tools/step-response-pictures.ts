/**
 * The step responses as pictures and as a table. Everything in them comes from virtual time, so that
 * they are the same on every machine.
 */
import { evennessOf, firstMs, ordersOf } from '../packages/samestep/test/step-response/figures.ts'
import {
  playCalm,
  playScene,
  type Scene,
  scenes,
} from '../packages/samestep/test/step-response/scenes.ts'
import type {
  ClientRecord,
  ClientSample,
  StageResult,
} from '../packages/samestep/test/step-response/stage.ts'
import { type LinePanel, type Plot, renderPlot, type Series, type StatePanel } from './plot-svg.ts'

/** A scene, what happened in it, and what happens when nothing does. */
export interface PlayedScene {
  readonly scene: Scene
  readonly result: StageResult
  readonly calm: StageResult
}

/** Plays all scenes. */
export function playAll(): PlayedScene[] {
  return Object.values(scenes).map((scene: Scene) => {
    return { scene, result: playScene(scene), calm: playCalm(scene) }
  })
}

/** The picture of a scene, as an SVG document. */
export function drawScene({ scene, result }: PlayedScene): string {
  const { id, title, description, fromMs, toMs } = scene
  const plot: Plot = {
    title,
    description,
    xLabel: 'time, s',
    idPrefix: id,
    marks: [
      { x: fromMs / 1_000, label: 'begins' },
      { x: toMs / 1_000, label: 'ends' },
    ],
    panels: [
      drawCause(scene, result),
      drawDelay(scene, result),
      drawMargin(result),
      drawBuffer(scene, result),
      drawStates(result),
      drawOthers(result),
    ],
  }
  return renderPlot(plot)
}

/** Until everybody is there and knows its line, nothing is drawn. */
const drawnFromMs = 6_000

function sampled(
  name: string,
  { timesMs }: StageResult,
  value: (atMs: number, index: number) => number,
  isStepped = false,
): Series {
  const kept = [...timesMs.keys()].filter((index) => (timesMs[index] as number) >= drawnFromMs)
  return {
    name,
    x: kept.map((index) => (timesMs[index] as number) / 1_000),
    y: kept.map((index) => value(timesMs[index] as number, index)),
    isStepped,
  }
}

function one({ clients }: StageResult): ClientRecord {
  return clients[0] as ClientRecord
}

function sampleOf({ samples }: ClientRecord, index: number): ClientSample {
  return samples[index] as ClientSample
}

/** What is done to the first player. */
function drawCause({ options }: Scene, result: StageResult): LinePanel {
  const { latencyMs, jitterMs, tickCostMs, isHidden } = options.clients[0] ?? {}
  if (tickCostMs !== undefined) {
    const series = sampled('cost', result, tickCostMs, true)
    return { title: 'cost of a tick, one player, ms', series: [series], yMin: 0, heightPx: 70 }
  }
  if (isHidden !== undefined) {
    const series = sampled('hidden', result, (atMs) => (isHidden(atMs) ? 0 : 60), true)
    return { title: 'pictures per second, one player', series: [series], yMin: 0, heightPx: 70 }
  }
  const latency = sampled('one-way latency', result, latencyMs ?? (() => 20), true)
  const jitter = sampled('mean jitter', result, jitterMs ?? (() => 1), true)
  return { title: 'line, one player, ms', series: [latency, jitter], yMin: 0, heightPx: 70 }
}

/** The input delay, with the speed beside it where that moves. */
function drawDelay({ options }: Scene, result: StageResult): LinePanel {
  if (result.speeds.length > 0) {
    const speed = sampled('speed', result, (atMs) => valueAt(result.speeds, atMs, 100), true)
    return { title: 'speed of the match, %', series: [speed], yMin: 0, yMax: 100 }
  }
  const start = (options.inputDelay?.min ?? 2) + 1
  const delay = sampled('delay', result, (atMs) => valueAt(result.delays, atMs, start), true)
  return { title: 'input delay of the match, ticks', series: [delay], yMin: 0, yMax: 6 }
}

function valueAt(changes: StageResult['delays'], atMs: number, before: number): number {
  return changes.findLast((change) => change.atMs <= atMs)?.value ?? before
}

function drawMargin(result: StageResult): LinePanel {
  const other = result.clients[1] as ClientRecord
  return {
    title: 'margin of inputs at the relay, least of a second, ms',
    series: [
      sampled('one player', result, (_, index) => sampleOf(one(result), index).marginMs, true),
      sampled('another', result, (_, index) => sampleOf(other, index).marginMs, true),
    ],
    yMin: 0,
    yMax: 50,
  }
}

/** Far behind, the buffer is no buffer any more. */
const farTicks = 30

function drawBuffer({ options }: Scene, result: StageResult): LinePanel {
  const { samples } = one(result)
  const most = Math.max(...samples.map(({ behindTicks }) => behindTicks))
  if (most > farTicks) {
    const others = result.clients[1] as ClientRecord
    return {
      title: 'ticks behind the relay',
      series: [
        sampled('one player', result, (_, index) => sampleOf(one(result), index).behindTicks),
        sampled('another', result, (_, index) => sampleOf(others, index).behindTicks),
      ],
      yMin: 0,
    }
  }
  const isHiding = options.clients[0]?.isHidden !== undefined
  return {
    title: 'jitter buffer, one player, ticks',
    series: [
      sampled('ticks that wait', result, (_, index) => sampleOf(one(result), index).bufferTicks),
      sampled('meant to', result, (_, index) => sampleOf(one(result), index).targetTicks),
    ],
    yMin: 0,
    yMax: isHiding ? 2 : 4,
  }
}

const rowNames = ['one', 'another', 'third'] as const

function drawStates(result: StageResult): StatePanel {
  const kept = [...result.timesMs.keys()].filter((index) => {
    return (result.timesMs[index] as number) >= drawnFromMs
  })
  const x = kept.map((index) => (result.timesMs[index] as number) / 1_000)
  const rows = result.clients.map((record, index) => ({
    name: rowNames[index] ?? String(index),
    x,
    states: kept.map((at) => sampleOf(record, at).state.name as string),
  }))
  const seen = kept.map((at) => sampleOf(one(result), at).presence ?? 'active')
  return {
    title: 'play state of each player, and how the others see the one',
    rows: [...rows, { name: 'seen', x, states: seen }],
  }
}

/** When ticks run against when they were sealed: what others would feel. */
function drawOthers(result: StageResult): LinePanel {
  const { sealedMs, clients } = result
  const series = clients.slice(1).map(({ ranMs }, index): Series => {
    const ticks = [...ranMs.keys()].filter((tick) => {
      return tick > 1 && (ranMs[tick] ?? 0) >= drawnFromMs
    })
    return {
      name: index === 0 ? 'another' : 'third',
      x: ticks.map((tick) => (ranMs[tick] as number) / 1_000),
      y: ticks.map((tick) => gapOf(ranMs, tick) - gapOf(sealedMs, tick)),
    }
  })
  const title = 'time between ticks of the others, against the relay, ms'
  return { title, series, yMin: -40, yMax: 40 }
}

function gapOf(timesMs: readonly number[], tick: number): number {
  return (timesMs[tick] as number) - (timesMs[tick - 1] as number)
}

/** The figures of all scenes, as lines of Markdown. */
export function tabulate(played: readonly PlayedScene[]): string {
  const rows = [
    '| scene | delay or speed settles | late inputs of the one | of the others | order of another: p50, p99 | ticks of the others off by: mean, p99 | in a calm match | the one is shown |',
    '|---|---|---|---|---|---|---|---|',
    ...played.map(rowOf),
  ]
  return `${rows.join('\n')}\n`
}

function rowOf({ scene, result, calm }: PlayedScene): string {
  const { id, options } = scene
  const [first, ...others] = result.clients as [ClientRecord, ...ClientRecord[]]
  const orders = ordersOf(others[0] as ClientRecord, drawnFromMs, options.forMs)
  const late = others.reduce((sum, { lateTicks }) => sum + lateTicks.length, 0)
  const cells = [
    `[${id}](step-responses/${id}.svg)`,
    settling(scene, result),
    `${first.lateTicks.length} of ${result.sealedMs.length}`,
    String(late),
    `${orders.p50Ms.toFixed(0)}, ${orders.p99Ms.toFixed(0)} ms`,
    evenness(result, options.forMs),
    evenness(calm, options.forMs),
    telling(scene, result),
  ]
  return `| ${cells.join(' | ')} |`
}

/** What the one player is shown first, how soon, and when it is over. */
function telling({ fromMs, toMs }: Scene, result: StageResult): string {
  const first = one(result)
  const [told] = (['stalled', 'slow', 'hidden'] as const)
    .map((state) => ({ state, atMs: firstMs(result, first, state, fromMs) }))
    .sort((a, b) => a.atMs - b.atMs)
  if (told === undefined || told.atMs === Number.POSITIVE_INFINITY) return 'active'
  const after = `${told.state} after ${seconds(told.atMs - fromMs)}`
  if (told.state === 'stalled') {
    return `${after}, for ${seconds(firstMs(result, first, 'active', told.atMs) - told.atMs)}`
  }
  return `${after}, active ${seconds(firstMs(result, first, 'active', toMs) - toMs)} after the end`
}

/** The worse of the two others. */
function evenness(result: StageResult, forMs: number): string {
  const both = result.clients.slice(1).map((other) => {
    return evennessOf(result, other, drawnFromMs, forMs)
  })
  const mean = Math.max(...both.map(({ meanMs }) => meanMs))
  const p99 = Math.max(...both.map(({ p99Ms }) => p99Ms))
  return `${mean.toFixed(2)}, ${p99.toFixed(1)} ms`
}

function settling({ fromMs, toMs }: Scene, { delays, speeds }: StageResult): string {
  const changes = (speeds.length > 0 ? speeds : delays).filter(({ atMs }) => atMs >= fromMs)
  const unit = speeds.length > 0 ? ' %' : ' ticks'
  if (changes.length === 0) return 'stays'
  const during = changes.filter(({ atMs }) => atMs < toMs)
  const after = changes.filter(({ atMs }) => atMs >= toMs)
  const say = (some: typeof changes, sinceMs: number): string => {
    const last = some.at(-1)
    if (last === undefined) return 'stays'
    const how = some.length === 1 ? 'one change' : `${some.length} changes`
    return `${last.value}${unit} after ${seconds(last.atMs - sinceMs)}, ${how}`
  }
  return `${say(during, fromMs)}; then ${say(after, toMs)}`
}

function seconds(ms: number): string {
  return Number.isFinite(ms) ? `${(ms / 1_000).toFixed(1)} s` : 'never'
}
