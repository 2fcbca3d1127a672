import { defineJob, jobQueue, jobRunner } from '../../src/driver/jobs/index.ts'
import { defineGame, list, single, sleepList, table, u8, u16, u32 } from '../../src/index.ts'

/** A job that every player may begin. */
export const mix = defineJob({
  name: 'mix',
  dueTicks: 20,
  waitingMax: 8,
  input: { row: u8, terms: list(u16, 4) },
  output: { sum: u32 },
  run: ({ row, terms }) => ({ sum: terms.reduce((sum, term) => sum * 31 + term, row) >>> 0 }),
})

/** Jobs that wait for their tick, and rows that sleep; whatever happens leaves a trace. */
export const patient = defineGame({
  id: 'patient',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state: {
    things: table(64, { wakeAt: u32, value: u32 }),
    mixes: jobQueue(mix),
    all: single({ digest: u32 }),
  },
  derived: { asleep: sleepList('things', 'wakeAt'), mixes: jobRunner('mixes', mix) },
  orders: { mix: { row: u8, terms: list(u16, 4) }, nap: { row: u8, ticks: u8 }, drop: { row: u8 } },
  setup({ state, derived }) {
    for (let row = 0; row < 48; row++) derived.asleep.sleep(state.things.add(), 1 + 3 * row)
  },
  step({ state, derived, tick, orders }) {
    const { things, all } = state
    for (const { type, data } of orders) {
      const row = data.row % 64
      if (type === 'mix') derived.mixes.start(tick, { row, terms: data.terms })
      if (type === 'nap' && things.isAlive(row)) derived.asleep.sleep(row, tick + data.ticks + 1)
      if (type === 'drop' && things.isAlive(row)) things.remove(row)
    }
    derived.asleep.wake(tick, (row) => {
      all.digest = (Math.imul(all.digest, 31) + row + tick) >>> 0
      if (row % 7 === 0 && things.count < 64) derived.asleep.sleep(things.add(), tick + 40)
      derived.asleep.sleep(row, tick + 5 + (row % 60))
    })
    derived.mixes.finish(tick, ({ sum }, { row }) => {
      all.digest = (Math.imul(all.digest, 31) + sum) >>> 0
      if (things.isAlive(row)) things.value[row] = sum
    })
  },
})
