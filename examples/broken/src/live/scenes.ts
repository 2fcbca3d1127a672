/**
 * How the broken games of this folder are played by two machines. What makes the machines differ is
 * what makes those of players differ: time zone, language, a watch that is off, an environment
 * variable, a match that was played before, frames that take longer, or coming late.
 */

/** An order of one seat at a tick. */
export type ScriptedOrder = {
  readonly tick: number
  readonly seat: number
  readonly order: string
  readonly data: object
}

/** How two machines play one broken game. */
export type Scene = {
  /** Played by Node and a page in Chromium, where the two compute this differently. */
  readonly engines?: (tick: number) => number
  /** How fast the match goes, in percent; with `lateTick`, until then. */
  readonly speed?: number
  /** Not as fast before the orders until this tick have run: on a busy machine they come late. */
  readonly speedTick?: number
  /** The second machine comes when the match has gone on for so many ticks, and gets its state. */
  readonly lateTick?: number
  /** How long a picture of each machine takes, in milliseconds. */
  readonly frameMs?: readonly [number, number]
  /** Its seat is on the screen before a tick runs: on a busy machine the first picture has several. */
  readonly isShownFirst?: true
  /** What the second machine has played before, alone. */
  readonly before?: readonly ScriptedOrder[]
  readonly orders?: readonly ScriptedOrder[]
  /** The order that the interface of the second machine asks about, at each picture. */
  readonly asks?: { readonly order: string; readonly data: object }
}

/** A fast and a slow machine: the slow one runs several ticks at once. */
const unevenFrames = [10, 150] as const

/** Later than a match is still run from its beginning by whoever comes: ten seconds. */
const late = { lateTick: 310, speed: 400 }

function order(tick: number, seat: number, name: string, data: object): ScriptedOrder {
  return { tick, seat, order: name, data }
}

/** One order every few ticks. */
function every(ticks: number, make: (index: number) => ScriptedOrder['data'], name: string) {
  return Array.from({ length: 60 }, (_, index) => order(5 + ticks * index, 0, name, make(index)))
}

/** The same orders, so many ticks later. */
function later(ticks: number, orders: readonly ScriptedOrder[]): ScriptedOrder[] {
  return orders.map((each) => ({ ...each, tick: each.tick + ticks }))
}

/** Every game that two machines can play differently, by its file. */
export const scenes: { readonly [file: string]: Scene } = {
  'math-random': {},
  'math-sin': { engines: (tick) => Math.cos(tick / 10) + Math.sin(tick / 10) },
  'math-taken': { engines: (tick) => Math.sin(0.3 * tick) * Math.cos(0.1 * tick) },
  power: { engines: (tick) => (1 + tick) ** 0.75 },
  'wall-clock': {},
  'time-zone': {},
  'locale-sort': {},
  'import-collator': {},
  'import-sorted': {},
  'import-zone': {},
  'import-env': {},
  'import-cores': {},
  'import-random': {},
  'late-promise': { frameMs: unevenFrames },
  'late-microtask': {
    frameMs: unevenFrames,
    orders: every(4, (index) => ({ bell: index % 8 }), 'strike'),
  },
  'late-timer': { frameMs: unevenFrames },
  'write-from-render': {
    frameMs: unevenFrames,
    orders: every(9, (index) => ({ lamp: index % 16 }), 'hit'),
  },
  'view-random': { frameMs: unevenFrames },
  'viewer-leak': { isShownFirst: true },
  'impure-validate': {
    orders: every(9, (index) => ({ x: index }), 'build'),
    asks: { order: 'build', data: { x: 50 } },
  },
  'module-cache': { before: [order(2, 0, 'dig', { cell: 1, depth: 9 })] },
  'shared-counter': { before: [] },
  'shared-scratch': { before: [order(2, 0, 'kick', { x: 3, y: 4 })] },
  'set-order': {
    ...late,
    orders: every(7, (index) => ({ guest: (200 - 3 * index + 201) % 201 }), 'queue'),
  },
  // All before the second machine comes: what is stoked later would heat its forge too.
  'missing-save': { ...late, speedTick: 65, orders: every(1, () => ({ coal: 200 }), 'stoke') },
  // Rows are used again when all have been used: from then on newer stones lie in front of older ones.
  'float-sequence': {
    ...late,
    speedTick: 185,
    orders: [
      ...every(1, (index) => ({ grams: 1 + ((131 * index) % 997) }), 'put'),
      ...later(60, every(1, (index) => ({ stone: index }), 'take').slice(0, 40)),
      ...later(
        120,
        every(1, (index) => ({ grams: 1 + ((61 * index) % 997) }), 'put'),
      ),
      // Two sequences may add up to the same by chance: many sums are compared.
      ...later(
        late.lateTick,
        every(2, (index) => ({ stone: index }), 'take'),
      ),
    ],
  },
  'derived-leftovers': late,
  'stale-derived': {
    ...late,
    orders: [
      ...every(3, () => ({ size: 1 }), 'build').slice(0, 20),
      ...later(80, every(3, (index) => ({ hut: index }), 'raze').slice(0, 10)),
      ...later(
        330,
        every(5, () => ({ size: 2 }), 'build'),
      ),
    ],
  },
  aliasing: { ...late, orders: every(9, () => ({ knight: 0 }), 'hit') },
}

/** What this engine computes in the first ticks of a game that engines compute differently. */
export function sample(file: string): readonly number[] {
  const compute = scenes[file]?.engines ?? (() => 0)
  return Array.from({ length: 300 }, (_, tick) => compute(tick + 1))
}
