import { defineGame } from '../../game/definition/define-game.ts'
import { bool, f32, list, range, u8, u16, u32 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { defineJob, jobQueue } from '../job.ts'
import { jobRunner } from '../job-runner.ts'

/** Adds up numbers, slowly one would think. The result is rounded on its way, as any is. */
export const addUp = defineJob({
  name: 'add-up',
  dueTicks: 5,
  waitingMax: 4,
  input: { terms: list(u16, 8), isBad: bool },
  output: { sum: u32, mean: f32 },
  run({ terms, isBad }) {
    if (isBad) throw new Error('bad terms')
    const sum = terms.reduce((total, term) => total + term, 0)
    return { sum, mean: sum / Math.max(terms.length, 1) }
  },
})

/** Every result is folded into the state, with its tick and its place in the sequence. */
export const sums = defineGame({
  id: 'sums',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 2 },
  state: {
    sums: jobQueue(addUp),
    all: single({ digest: u32, done: u16, refused: u16, lastTick: u32 }),
  },
  derived: { sums: jobRunner('sums', addUp) },
  orders: {
    add: { terms: list(u16, 8), isBad: bool, ticks: range(1, 20) },
    trip: {},
    bad: { what: u8 },
  },
  step({ state, derived, tick, orders }) {
    const { all } = state
    let isTripping = false
    for (const { type, data } of orders) {
      if (type === 'trip') isTripping = true
      if (type === 'bad') derived.sums.start(tick, { terms: [data.what] } as never)
      if (type !== 'add') continue
      const { terms, isBad, ticks } = data
      if (!derived.sums.start(tick, { terms, isBad }, ticks)) all.refused += 1
    }
    derived.sums.finish(tick, ({ sum, mean }, { terms }) => {
      if (isTripping) throw new Error('tripped')
      all.done += 1
      all.lastTick = tick
      const part = sum * 7 + Math.floor(mean * 1_000) + terms.length + tick
      all.digest = (Math.imul(all.digest, 31) + part) >>> 0
    })
  },
})
