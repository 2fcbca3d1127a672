/**
 * What players do, seeded: eight of them for ten minutes at 30 ticks per second. Three kinds of game
 * and a pause. Synthetic, with the statistics that decide about bytes: how often something changes,
 * how much changes at once, and how long it stays.
 *
 *     doom     walking keys that change once or twice a second, a mouse that turns in bursts of nine
 *              ticks with pauses of sixteen, fire, use, weapons           46 % of player-ticks change
 *     arcade   ten buttons, each pressed and released by its own habit                           30 %
 *     rts      150 orders per minute: kind, place, group                                          8 %
 *     idle     the controls of doom, and nobody touches them                                      0 %
 */
import { Prng } from '../packages/samestep/src/base/prng.ts'
import type { Fields } from '../packages/samestep/src/sim/schema/index.ts'
import { bool, i8, i16, range, struct } from '../packages/samestep/src/sim/schema/index.ts'
import {
  type Context,
  leastEntropy,
  noContext,
  previousPair,
  previousSign,
  previousValue,
} from './entropy.ts'

/** The controls that one player holds in one tick. */
export type Controls = { readonly [field: string]: number | boolean }

/** One order of the strategy game. */
export type TraceOrder = {
  readonly kind: number
  readonly x: number
  readonly y: number
  readonly group: number
}

/** What all players did. Entry `tick * players + player` belongs to one player in one tick. */
export type Trace = {
  readonly name: 'doom' | 'arcade' | 'rts' | 'idle'
  readonly players: number
  readonly ticks: number
  /** The fields of an input; none where players only give orders. */
  readonly fields: Fields
  readonly inputs: readonly Controls[]
  readonly orders: readonly (TraceOrder | undefined)[]
  /** How few bits per player and tick this takes, with perfect statistics of itself. */
  readonly entropyBits: number
}

const players = 8
const tickRate = 30

/** Ten minutes. */
const ticksDefault = 10 * 60 * tickRate

/** The ticcmd of Doom. */
export const doomFields = {
  forward: i8,
  side: i8,
  turn: i16,
  fire: bool,
  use: bool.oneShot(),
  weapon: range(0, 9).oneShot(),
}

const arcadeButtons = 10

/** Ten buttons. */
export const arcadeFields: Fields = Object.fromEntries(
  Array.from({ length: arcadeButtons }, (_, button) => [`b${button}`, bool]),
)

const orderKinds = 8
const groups = 10

/** Cells of the map along one side: a place is two numbers of fourteen bits. */
const mapCells = 16_384

/** An order of the strategy game, as its game declares it. */
export const traceOrder = struct({
  kind: range(0, orderKinds - 1),
  x: range(0, mapCells - 1),
  y: range(0, mapCells - 1),
  group: range(0, groups - 1),
})

/** A number from 1 on, geometrically distributed, with this mean. */
function geometric(random: Prng, mean: number): number {
  let value = 1
  while (random.chance(1 - 1 / mean)) value += 1
  return value
}

const forwardSpeeds = [50, 50, 50, 25, 0, 0, -40] as const
const sideSpeeds = [0, 0, 0, 0, 40, -40, 24, -24] as const
const turnOnTicks = 9
const turnOffTicks = 16
const turnMean = 18
const fireOnTicks = 7
const fireOffTicks = 45

function makeDoomPlayer(random: Prng, ticks: number): Controls[] {
  const controls: Controls[] = []
  let [forward, side, fire] = [0, 0, false]
  // 0 while the mouse rests, else the direction of the burst.
  let direction = 0
  for (let tick = 0; tick < ticks; tick++) {
    if (random.chance(1 / 18)) forward = random.pick(forwardSpeeds)
    if (random.chance(1 / 14)) side = random.pick(sideSpeeds)
    if (random.chance(1 / (direction === 0 ? turnOffTicks : turnOnTicks))) {
      direction = direction === 0 ? random.pick([-1, 1]) : 0
    }
    if (random.chance(1 / (fire ? fireOnTicks : fireOffTicks))) fire = !fire
    controls.push({
      forward,
      side,
      turn: direction === 0 ? 0 : direction * geometric(random, turnMean),
      fire,
      use: random.chance(1 / 150),
      weapon: random.chance(1 / 300) ? 1 + random.below(9) : 0,
    })
  }
  return controls
}

/** How long each button is held, and how long it is left alone, in ticks: four directions, two
 * triggers, four that are needed now and then. */
const habits: readonly (readonly [onTicks: number, offTicks: number])[] = [
  [16, 32],
  [16, 32],
  [12, 48],
  [12, 48],
  [5, 18],
  [4, 30],
  [6, 90],
  [6, 120],
  [4, 240],
  [3, 480],
]

function makeArcadePlayer(random: Prng, ticks: number): Controls[] {
  const held = new Array<boolean>(arcadeButtons).fill(false)
  return Array.from({ length: ticks }, () => {
    for (const [button, [onTicks, offTicks]] of habits.entries()) {
      if (random.chance(1 / (held[button] ? onTicks : offTicks))) held[button] = !held[button]
    }
    return Object.fromEntries(held.map((isHeld, button) => [`b${button}`, isHeld]))
  })
}

const ordersPerMinute = 150

function makeRtsPlayer(random: Prng, ticks: number): (TraceOrder | undefined)[] {
  const kinds = [0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7]
  return Array.from({ length: ticks }, () => {
    if (!random.chance(ordersPerMinute / 60 / tickRate)) return undefined
    return {
      kind: random.pick(kinds),
      x: random.below(mapCells),
      y: random.below(mapCells),
      group: random.below(groups),
    }
  })
}

/** Brings per-player sequences into the sequence of ticks. */
function interleave<T>(sequences: readonly (readonly T[])[], ticks: number): T[] {
  const all: T[] = []
  for (let tick = 0; tick < ticks; tick++) {
    for (const sequence of sequences) all.push(sequence[tick] as T)
  }
  return all
}

const fieldContexts: readonly Context[] = [noContext, previousValue, previousSign]
const buttonContexts: readonly Context[] = [noContext, previousValue, previousPair]

/** Fields change independently of each other here, so what they need adds up. */
function inputEntropy(
  sequences: readonly (readonly Controls[])[],
  names: readonly string[],
  contexts: readonly Context[],
): number {
  let bits = 0
  for (const name of names) {
    const values = sequences.map((controls) =>
      Int32Array.from(controls, (held) => Number(held[name])),
    )
    bits += leastEntropy(values, contexts)
  }
  return bits
}

/** The low half of a coordinate: two halves of seven bits each can be counted, fourteen cannot. */
const halfBits = 7

function orderEntropy(sequences: readonly (readonly (TraceOrder | undefined)[])[]): number {
  const isThere = sequences.map((orders) => Int32Array.from(orders, (order) => (order ? 1 : 0)))
  const given = sequences.map((orders) => orders.filter((order) => order !== undefined))
  const count = given.reduce((sum, orders) => sum + orders.length, 0)
  const total = sequences.reduce((sum, orders) => sum + orders.length, 0)
  const parts: readonly ((order: TraceOrder) => number)[] = [
    ({ kind }) => kind,
    ({ group }) => group,
    ({ x }) => x >> halfBits,
    ({ x }) => x & (2 ** halfBits - 1),
    ({ y }) => y >> halfBits,
    ({ y }) => y & (2 ** halfBits - 1),
  ]
  let perOrder = 0
  for (const part of parts) {
    perOrder += leastEntropy(
      given.map((orders) => Int32Array.from(orders, part)),
      [noContext, previousValue],
    )
  }
  return leastEntropy(isThere, buttonContexts) + (perOrder * count) / total
}

function makeInputTrace(
  name: Trace['name'],
  fields: Fields,
  contexts: readonly Context[],
  sequences: readonly (readonly Controls[])[],
  ticks: number,
): Trace {
  return {
    name,
    players,
    ticks,
    fields,
    inputs: interleave(sequences, ticks),
    orders: new Array<undefined>(players * ticks).fill(undefined),
    entropyBits: inputEntropy(sequences, Object.keys(fields), contexts),
  }
}

function eachPlayer<T>(seed: number, name: string, make: (random: Prng) => T): T[] {
  return Array.from({ length: players }, (_, player) => make(new Prng(seed, `${name}/${player}`)))
}

/** Makes one trace. The same name, seed and length give the same trace everywhere. */
export function makeTrace(name: Trace['name'], ticks: number = ticksDefault, seed = 1): Trace {
  switch (name) {
    case 'doom': {
      const sequences = eachPlayer(seed, name, (random) => makeDoomPlayer(random, ticks))
      return makeInputTrace(name, doomFields, fieldContexts, sequences, ticks)
    }
    case 'arcade': {
      const sequences = eachPlayer(seed, name, (random) => makeArcadePlayer(random, ticks))
      return makeInputTrace(name, arcadeFields, buttonContexts, sequences, ticks)
    }
    case 'idle': {
      const rest: Controls = struct(doomFields).makeDefault()
      const sequences = eachPlayer(seed, name, () => new Array<Controls>(ticks).fill(rest))
      return makeInputTrace(name, doomFields, fieldContexts, sequences, ticks)
    }
    case 'rts': {
      const sequences = eachPlayer(seed, name, (random) => makeRtsPlayer(random, ticks))
      const orders = interleave(sequences, ticks)
      const inputs = orders.map((): Controls => ({}))
      return {
        name,
        players,
        ticks,
        fields: {},
        inputs,
        orders,
        entropyBits: orderEntropy(sequences),
      }
    }
  }
}

/** The share of player-ticks in which something differs from the tick before. */
export function changedShare(trace: Trace): number {
  let changed = 0
  for (let index = 0; index < trace.inputs.length; index++) {
    const held = trace.inputs[index]
    const before = trace.inputs[index - trace.players]
    const isOrder = trace.orders[index] !== undefined
    const isHeld =
      before === undefined || Object.keys(before).every((it) => before[it] === held?.[it])
    if (isOrder || !isHeld) changed += 1
  }
  return changed / trace.inputs.length
}
