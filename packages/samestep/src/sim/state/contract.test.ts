import { describe } from 'vitest'
import {
  bool,
  f32,
  f64,
  fixedField,
  i16,
  list,
  map,
  oneOf,
  optional,
  set,
  struct,
  text,
  u8,
  u16,
} from '../schema/index.ts'
import { custom } from './custom.ts'
import { plain } from './plain.ts'
import { queue } from './queue.ts'
import { single } from './single.ts'
import { table } from './table.ts'
import { runPartContract } from './testing/part-contract.ts'

describe('every kind of state keeps the contract', () => {
  runPartContract({
    name: 'table',
    declaration: table(100, {
      x: fixedField,
      hp: i16.default(7),
      angle: f64,
      small: f32,
      on: bool,
    }),
    change(live, round) {
      const row = live.add({ x: round * 65_536, on: round % 2 === 0 })
      live.angle[row] = round % 3 === 0 ? Number.NaN : -0
      live.small[row] = round / 3
      if (round % 4 === 3) live.remove(live.first())
    },
  })
  runPartContract({
    name: 'single',
    declaration: single({ wave: u16, over: bool, kind: oneOf(['a', 'b', 'c']), speed: f64 }),
    change(live, round) {
      live.wave = round + 1
      live.over = round % 2 === 0
      live.kind = (['a', 'b', 'c'] as const)[round % 3]
      live.speed = -0
    },
  })
  runPartContract({
    name: 'queue',
    declaration: queue(8, { job: u16, cost: u8.default(1) }),
    change(live, round) {
      live.push({ job: round + 1 })
      live.push({ job: round + 2, cost: 2 })
      if (round % 2 === 1) live.run(2, (item: { cost: number }) => item.cost)
    },
  })
  runPartContract({
    name: 'plain',
    declaration: plain(
      struct({
        names: list(text(20), 20),
        hands: map(u8, list(u8, 5), 20),
        seen: set(u8, 20),
        last: optional(u8),
        ratio: f32,
      }),
    ),
    change(live, round) {
      live.names.push(`né ${round}`)
      // Deleted and set again, a key moves to the end: the sequence itself is state.
      live.hands.delete(0)
      live.hands.set(round, [round, round + 1])
      live.hands.set(0, [])
      live.seen.add(20 - round)
      live.last = round % 2 === 0 ? round : undefined
      live.ratio = round / 3
    },
  })
  runPartContract({
    name: 'custom',
    declaration: custom({
      create: () => ({ cells: new Uint8Array(16) }),
      save: (world) => world.cells.slice(),
      load: (bytes, world) => {
        world.cells.set(bytes)
        return world
      },
    }),
    change(live, round) {
      live.cells[round] = round + 1
    },
  })
})
