/**
 * How long an order takes from the hand that issued it back to the screen of the same player, in
 * virtual time: the real client and the real relay over simulated lines, with all invariants checked.
 *
 *     issued ──up──► relay │ waits for the tick │ ──down──► run
 *     └───────────────────── latency ───────────────────────┘
 *
 * The floor is the same way over a line without jitter and loss: up, down, and the wait for the next
 * tick, which is anything up to one tick long. Jitter and loss are what a scheme has to deal with, so
 * they do not excuse it: the floor knows nothing of them.
 */
import { planVersion } from '../../src/storm/engine/plan.ts'
import type { StormNode, StormPlan } from '../../src/storm/plan/storm-plan.ts'
import { StormRun } from '../../src/storm/run-storm.ts'

/** Ticks per second of the storm's game. */
export const tickRate = 30

/** A line between a player and the relay, the same both ways. */
export interface Line {
  /** The round trip of a packet that nothing delays. */
  readonly rttMs: number
  /** The mean of what one packet waits on top, in each direction; exponential. */
  readonly jitterMs: number
  /** Share of packets lost, in each direction. */
  readonly loss: number
}

/** Who plays, over what, and for how long. */
export interface Scene {
  readonly lines: readonly Line[]
  readonly kind: 'datagram' | 'stream'
  readonly seconds: number
  readonly seed: number
}

/** Latencies of one scheme in one scene. */
export interface Latency {
  readonly p50: number
  readonly p99: number
  /** The same if ticks are run by a steady schedule instead of at once: see {@link playOut}. */
  readonly steadyP50: number
  readonly steadyP99: number
  /** Share of ticks that came too late for the schedule. */
  readonly late: number
  readonly orders: number
}

type Player = {
  readonly issuedAt: Map<number, number>
  /** When each tick came, by tick. */
  readonly arrivedAt: number[]
  readonly orders: { readonly latencyMs: number; readonly tick: number }[]
}

/** Nothing counts before everybody is there and the round trips are known. */
const settledMs = 5_000

/** The end of a storm, in which nobody issues orders any more. */
const quietMs = 20_000

/** Runs a scene, and gives the latencies of some of its players, all of them by default. */
export function measure(scene: Scene, players: readonly number[] = [...scene.lines.keys()]) {
  const run = new StormRun(makePlan(scene))
  const book = new Map<string, Player>()
  const sealedAt: number[] = []
  watch(run, book, sealedAt)
  run.run()
  const chosen = players.map((index) => book.get(nameOf(index)) as Player)
  return summarise(chosen, sealedAt)
}

/** The floor of a line: half of all orders, and 99 of 100, wait no longer for their tick. */
export function floorOf({ rttMs }: Line): { readonly p50: number; readonly p99: number } {
  return { p50: rttMs + 500 / tickRate, p99: rttMs + 990 / tickRate }
}

/** The value below which a share of the sorted values lies. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] as number
}

function nameOf(index: number): string {
  return `c${index}`
}

function makePlan({ lines, kind, seconds, seed }: Scene): StormPlan {
  const players = lines.map((_, index): StormNode => {
    const habits = { role: 'player', orderEveryMs: 200, inputEveryMs: 200 } as const
    return { name: nameOf(index), kind: 'client', clock: {}, ...habits }
  })
  return {
    version: planVersion,
    seed,
    profile: 'sunny',
    durationMs: seconds * 1_000,
    quietMs,
    knobs: {},
    nodes: [{ name: 'relay', kind: 'relay', clock: {} }, ...players],
    links: lines.map(({ rttMs, jitterMs, loss }, index) => ({
      from: nameOf(index),
      to: 'relay',
      points: [{ atMs: 0, conditions: { kind, there: { latencyMs: rttMs / 2, jitterMs, loss } } }],
    })),
    faults: [],
    attackers: [],
    work: [],
  }
}

/** Notes times beside what the oracle notes anyway. */
function watch({ oracle, world }: StormRun, book: Map<string, Player>, sealedAt: number[]): void {
  const { noteIssued, noteSettled, noteSealed, noteBundle } = oracle
  const of = (name: string): Player => {
    const known = book.get(name) ?? { issuedAt: new Map(), arrivedAt: [], orders: [] }
    book.set(name, known)
    return known
  }
  oracle.noteSealed = (tick, bytes) => {
    sealedAt[tick] = world.nowMs
    noteSealed.call(oracle, tick, bytes)
  }
  oracle.noteBundle = (client, tick, bytes) => {
    of(client.name).arrivedAt[tick] = world.nowMs
    noteBundle.call(oracle, client, tick, bytes)
  }
  oracle.noteIssued = (client, number, bytes) => {
    if (world.nowMs >= settledMs) of(client.name).issuedAt.set(number, world.nowMs)
    noteIssued.call(oracle, client, number, bytes)
  }
  oracle.noteSettled = (client, number, end) => {
    const { issuedAt, orders } = of(client.name)
    const at = issuedAt.get(number)
    const tick = end.result === 'lost' ? undefined : end.tick
    if (at !== undefined && tick !== undefined) orders.push({ latencyMs: world.nowMs - at, tick })
    noteSettled.call(oracle, client, number, end)
  }
}

function summarise(players: readonly Player[], sealedAt: readonly number[]): Latency {
  const onArrival: number[] = []
  const steady: number[] = []
  let lateTicks = 0
  let ticks = 0
  for (const player of players) {
    const { delayMs, late, counted } = playOut(player, sealedAt)
    lateTicks += late
    ticks += counted
    for (const { latencyMs, tick } of player.orders) {
      const arrived = player.arrivedAt[tick] as number
      onArrival.push(latencyMs)
      steady.push(latencyMs + Math.max((sealedAt[tick] as number) + delayMs - arrived, 0))
    }
  }
  onArrival.sort((a, b) => a - b)
  steady.sort((a, b) => a - b)
  return {
    p50: quantile(onArrival, 0.5),
    p99: quantile(onArrival, 0.99),
    steadyP50: quantile(steady, 0.5),
    steadyP99: quantile(steady, 0.99),
    late: lateTicks / ticks,
    orders: onArrival.length,
  }
}

/**
 * A schedule for a player who wants no jerks: every tick is run at the same delay after it was sealed.
 * The delay is what 99.5 % of the ticks of the first half kept to; the second half is then held
 * against it, so that the schedule does not know what it is judged by.
 */
function playOut({ arrivedAt }: Player, sealedAt: readonly number[]) {
  const delays: number[] = []
  for (let tick = 1; tick < arrivedAt.length; tick++) {
    const sealed = sealedAt[tick] as number
    if (sealed >= settledMs) delays.push((arrivedAt[tick] as number) - sealed)
  }
  const half = Math.floor(delays.length / 2)
  const learnt = delays.slice(0, half).sort((a, b) => a - b)
  const delayMs = quantile(learnt, 0.995)
  const judged = delays.slice(half)
  return { delayMs, late: judged.filter((delay) => delay > delayMs).length, counted: judged.length }
}
