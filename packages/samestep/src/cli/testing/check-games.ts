import { defineGame, i16, range, single } from '../../index.ts'

/** A sound game for tests of the command line. */
export const steady = defineGame({
  id: 'steady',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { mark: single({ at: i16 }) },
  orders: { move: { by: range(-5, 5) } },
  step({ state, orders }) {
    for (const { data } of orders) state.mark.at += data.by
  },
})

/** One that rolls dice of its own. */
export const shaky = defineGame({
  id: 'shaky',
  version: 1,
  seats: { min: 1, max: 4 },
  state: { mark: single({ at: i16 }) },
  orders: { move: { by: range(-5, 5) } },
  step({ state, orders }) {
    for (const { data } of orders) state.mark.at += data.by + Math.floor(Math.random() * 2)
  },
})

/** Orders that make sense. */
export function explore({ seat }: { readonly seat: number }) {
  return { type: 'move', data: { by: seat } }
}
