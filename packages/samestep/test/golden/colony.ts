/**
 * A game in three versions, as its developer would have changed it. The snapshots beside this file
 * were written by versions 1 and 2 and are never written again.
 */
import { bool, defineGame, f64, i16, i32, list, map, plain, queue, single, struct, table, text, u8, u16 } from '../../src/index.ts'
import { createSimulation } from '../../src/sim/debug/index.ts'

const base = { id: 'colony', seats: { min: 1, max: 2 } } as const

/** As it was first published. */
export const colony1 = defineGame({
  ...base,
  version: 1,
  state: {
    ants: table(100, { x: i16, health: u8.default(50), lazy: bool }),
    nest: single({ food: u16, queenAlive: bool.default(true) }),
    notes: plain(struct({ names: list(text(20), 10), visits: map(u8, u16, 10), mood: u8 })),
    digs: queue(20, { place: u16 }),
  },
  input: { press: bool },
  setup({ state, random }) {
    for (let ant = 0; ant < 20; ant++) state.ants.add({ x: random.below(1_000), lazy: ant % 3 === 0 })
    state.ants.remove(7)
    state.notes.names.push('Ada', 'Bé')
    state.notes.visits.set(3, 30)
    state.notes.visits.set(1, 10)
    state.notes.mood = 9
  },
  step({ state, random, tick }) {
    state.nest.food += random.below(5)
    state.digs.push({ place: tick })
    if (tick % 3 === 0) state.digs.run(1, () => 1)
  },
})

/** `health` became `hp`, ants learnt to carry, and the mood was dropped. */
export const colony2 = defineGame({
  ...base,
  version: 2,
  state: {
    ants: table(100, { x: i16, hp: u8.default(50).was('health'), lazy: bool, load: u8.since(2) }),
    nest: single({ food: u16, queenAlive: bool.default(true) }),
    notes: plain(
      struct({ names: list(text(20), 10), visits: map(u8, u16, 10), mood: u8.until(2) }),
    ),
    digs: queue(20, { place: u16 }),
  },
  input: { press: bool },
  setup({ state, random }) {
    for (let ant = 0; ant < 10; ant++) state.ants.add({ x: random.below(1_000), load: ant })
  },
  step({ state, random }) {
    state.nest.food += random.below(9)
  },
})

/** Wider columns, floats, a new part, a new stream; laziness is gone. */
export const colony3 = defineGame({
  ...base,
  version: 3,
  state: {
    ants: table(200, {
      x: i32,
      hp: i16.default(50).was('health'),
      lazy: bool.until(3),
      load: u8.since(2).default(1),
      angle: f64.since(3).default(0.5),
    }),
    nest: single({ food: u16, queenAlive: bool.default(true), wealth: i32.since(3).default(-7) }),
    notes: plain(
      struct({
        names: list(text(20), 10),
        visits: map(u8, u16, 10),
        mood: u8.until(2),
        motto: text(40).since(3).default('dig'),
      }),
    ),
    digs: queue(20, { place: u16, deep: bool.since(3) }),
    weather: single({ rain: u8.default(4) }),
  },
  input: { press: bool, pull: bool.since(3) },
  random: ['weather'],
  step({ state, random }) {
    state.nest.food += random.below(9)
    state.weather.rain = random.stream('weather').below(10)
  },
})

/** What the golden files hold: 30 ticks of each old version. */
export function runOld(game: typeof colony1 | typeof colony2) {
  const simulation = createSimulation(game as typeof colony1, { seed: 'golden', matchId: 'm1' })
  for (let tick = 1; tick <= 30; tick++) {
    simulation.step({ tick, orders: [], inputs: [], events: [] })
  }
  return simulation
}
