import { expect } from 'vitest'
import { UsageError } from '../../../base/errors.ts'
import { defineGame } from '../../game/definition/define-game.ts'
import { derived } from '../../game/derived/derived.ts'
import { emptyBundle } from '../../game/run/bundle.ts'
import { createSimulation } from '../../game/run/simulation.ts'
import { i32, u8 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { table } from '../../state/table.ts'

/** A game that runs a function handed in, wherever a test wants it. */
export type Probes = {
  setup?: () => unknown
  validate?: () => unknown
  apply?: () => unknown
  step?: () => unknown
  derived?: () => unknown
}

/** The game; `id` tells two of them apart. */
export function probed(probes: Probes, id = 'probed') {
  return defineGame({
    id,
    version: 1,
    seats: { min: 1, max: 2 },
    state: { dots: table(4, { x: i32 }), score: single({ wave: u8 }) },
    orders: { poke: {} },
    derived: {
      count: derived(() => {
        probes.derived?.()
        return 0
      }),
    },
    setup({ state }) {
      state.dots.add({ x: 7 })
      probes.setup?.()
    },
    validate() {
      probes.validate?.()
      return true
    },
    apply() {
      probes.apply?.()
    },
    systems: [
      {
        name: 'first',
        run({ state }) {
          state.score.wave += 1
        },
      },
      {
        name: 'second',
        run() {
          probes.step?.()
        },
      },
      {
        name: 'third',
        run({ state }) {
          state.dots.x[0]! += 1
        },
      },
    ],
  })
}

/** Starts it in development. */
export function start(probes: Probes, options: { guard?: boolean; development?: boolean } = {}) {
  return createSimulation(probed(probes), { seed: 1, development: true, ...options })
}

/** A bundle with one order. */
export const poke = (tick: number) => ({
  ...emptyBundle(tick),
  orders: [{ seat: 0, bytes: probed({}).orderCodec.encode('poke', {}) }],
})

/** The misuse that a function throws. */
export function problemOf(run: () => unknown): UsageError {
  try {
    run()
  } catch (error) {
    if (error instanceof UsageError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

/** Everything that the guard may touch, by descriptor. */
export function hostPicture(): Map<string, PropertyDescriptor> {
  const picture = new Map<string, PropertyDescriptor>()
  const owners: [string, object][] = [
    ['global', globalThis],
    ['Math', Math],
    ['Date', Date],
    ['Date.prototype', Date.prototype],
    ['Promise', Promise],
    ['Promise.prototype', Promise.prototype],
    ['Intl', Intl],
    ['Collator', Intl.Collator.prototype],
    ['String', String.prototype],
    ['Number', Number.prototype],
    ['Array', Array],
    ['Array.prototype', Array.prototype],
    ['typed', Object.getPrototypeOf(Uint8Array.prototype)],
    ['performance', Object.getPrototypeOf(performance)],
    ['crypto', Object.getPrototypeOf(crypto)],
    ['console', console],
    ['process', process],
    ['hrtime', process.hrtime],
  ]
  for (const [name, owner] of owners) {
    const descriptors = Object.entries(Object.getOwnPropertyDescriptors(owner))
    for (const [key, descriptor] of descriptors) picture.set(`${name}.${key}`, descriptor)
  }
  return picture
}

/** Compares by identity: two functions that look alike are not the same. */
export function expectSameHost(before: Map<string, PropertyDescriptor>): void {
  const changed: string[] = []
  const after = hostPicture()
  for (const key of new Set([...before.keys(), ...after.keys()])) {
    const [a, b] = [before.get(key), after.get(key)]
    const isSame =
      a !== undefined &&
      b !== undefined &&
      (['value', 'get', 'set', 'writable', 'enumerable', 'configurable'] as const).every((name) =>
        Object.is(a[name], b[name]),
      )
    if (!isSame) changed.push(key)
  }
  expect(changed).toEqual([])
}
