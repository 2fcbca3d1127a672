import { Prng } from '../../../base/prng.ts'
import type { DelayOptions } from '../../../relay/pace/delay-controller.ts'
import type { LagMode } from '../../../relay/pace/lag-protection.ts'
import type { PacerState } from '../tick-pacer.ts'
import type { ClientPlan } from './virtual-client.ts'
import { VirtualClient } from './virtual-client.ts'
import { VirtualRelay } from './virtual-relay.ts'
import { VirtualLink, VirtualTime } from './virtual-time.ts'

/**
 * The control laws of client and relay in one closed loop, in virtual time: no wire, no game, nothing
 * but when things happen. One seed gives one history. Every client has its own streams of chance, so
 * what befalls one of them changes nothing for the others unless the laws make it so.
 */

/** One loop of a relay and its clients. */
export interface StepOptions {
  readonly forMs: number
  readonly clients: readonly ClientPlan[]
  readonly seed?: number
  readonly tickRate?: number
  readonly range?: DelayOptions['range']
  readonly lagMode?: LagMode
  /** Between two samples of the series. */
  readonly sampleMs?: number
}

/** What happened to one client, as series over {@link StepResult.timesMs}. */
export interface ClientSeries {
  readonly marginMs: number[]
  readonly holdMs: number[]
  readonly depth: number[]
  readonly targetDepth: number[]
  readonly rate: number[]
  /** Ticks that are here and not run. */
  readonly behind: number[]
  readonly states: PacerState['name'][]
  readonly progress: number[]
  /** From sealing a tick to running it. */
  readonly tickAgeMs: number[]
  /** By tick: when it was run. */
  readonly ranMs: readonly number[]
  readonly lateInputs: number
  readonly mostPerFrame: number
  readonly isHopeless: boolean
}

/** Time series of a loop. */
export interface StepResult {
  readonly timesMs: number[]
  readonly delayTicks: number[]
  readonly speedPercent: number[]
  readonly changes: readonly { readonly atMs: number; readonly ticks: number }[]
  readonly clients: readonly ClientSeries[]
}

/** Plays a loop from its first tick. */
export function playSteps(options: StepOptions): StepResult {
  const {
    forMs,
    seed = 1,
    tickRate = 30,
    range = { min: 2, max: 6 },
    lagMode = 'off',
    sampleMs = 100,
  } = options
  const time = new VirtualTime()
  const delay: DelayOptions = {
    seats: options.clients.length,
    tickRate,
    range,
  }
  const downs: VirtualLink[] = []
  const clients: VirtualClient[] = []
  const relay = new VirtualRelay(time, { ...delay, lagMode }, (seat, bundle) => {
    downs[seat]?.send(() => clients[seat]?.receive(bundle))
  })
  options.clients.forEach((plan, seat) => {
    const { latencyMs = () => 20, jitterMs = () => 0 } = plan
    const link = (name: string) =>
      new VirtualLink(time, new Prng(seed, `${name}${seat}`), latencyMs, jitterMs)
    downs.push(link('down'))
    const up = link('up')
    const start = { tickRate, delayTicks: relay.controller.delayTicks, phaseMs: seat * 3.7 }
    clients.push(
      new VirtualClient(time, plan, start, (turn) => up.send(() => relay.handleTurn(seat, turn))),
    )
  })
  const series = clients.map(() => makeSeries())
  const result = {
    timesMs: [] as number[],
    delayTicks: [] as number[],
    speedPercent: [] as number[],
  }
  for (let atMs = 0; atMs < forMs; atMs += sampleMs) {
    time.run(atMs)
    result.timesMs.push(atMs)
    result.delayTicks.push(relay.controller.delayTicks)
    result.speedPercent.push(relay.protection.effectivePercent)
    clients.forEach((client, seat) => {
      sample(series[seat] as Series, client, relay, seat)
    })
  }
  const ends = clients.map((client, seat) => ({
    ...(series[seat] as Series),
    ranMs: client.ranMs,
    lateInputs: relay.lateInputs[seat] as number,
    mostPerFrame: client.mostPerFrame,
    isHopeless: relay.controller.isHopeless(seat),
  }))
  return { ...result, changes: relay.changes, clients: ends }
}

type Series = Omit<ClientSeries, 'ranMs' | 'lateInputs' | 'mostPerFrame' | 'isHopeless'>

function makeSeries(): Series {
  return {
    marginMs: [],
    holdMs: [],
    depth: [],
    targetDepth: [],
    rate: [],
    behind: [],
    states: [],
    progress: [],
    tickAgeMs: [],
  }
}

function sample(series: Series, client: VirtualClient, relay: VirtualRelay, seat: number): void {
  const { pacer, shift, simulated, received } = client
  const sealed = relay.sealedMs[simulated] ?? 0
  series.marginMs.push(relay.marginMs[seat] as number)
  series.holdMs.push(shift.holdMs)
  series.depth.push(pacer.depth)
  series.targetDepth.push(pacer.targetDepth)
  series.rate.push(pacer.rate)
  series.behind.push(received - simulated)
  series.states.push(pacer.state.name)
  series.progress.push(pacer.progress)
  series.tickAgeMs.push((client.ranMs[simulated] ?? sealed) - sealed)
}

/** `inside` from one time to another, `outside` before and after. */
export function between(
  fromMs: number,
  toMs: number,
  inside: number,
  outside: number,
): (atMs: number) => number {
  return (atMs) => (atMs >= fromMs && atMs < toMs ? inside : outside)
}

/** The standard deviation of the time between ticks that a client ran, of ticks in a range. */
export function tickJitterMs(ranMs: readonly number[], fromTick: number, toTick: number): number {
  const gaps: number[] = []
  for (let tick = fromTick + 1; tick < toTick; tick++) {
    const [before, at] = [ranMs[tick - 1], ranMs[tick]]
    if (before !== undefined && at !== undefined) gaps.push(at - before)
  }
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  return Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) * (gap - mean), 0) / gaps.length)
}
