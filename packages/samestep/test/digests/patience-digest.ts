/** Rows that wake and jobs that come due: in which sequence is part of the bits. */
import { defineGame, list, single, sleepList, table, u8, u16, u32 } from 'samestep'
import { createSimulation, loadSnapshot, type SealedOrder, saveSnapshot } from 'samestep/debug'
import { defineJob, jobQueue, jobRunner } from 'samestep/jobs'
import type { Digest } from './index.ts'

const mix = defineJob({
  name: 'mix',
  dueTicks: 9,
  waitingMax: 8,
  input: { terms: list(u16, 4) },
  output: { sum: u32 },
  run: ({ terms }) => ({ sum: terms.reduce((sum, term) => (Math.imul(sum, 31) + term) >>> 0, 7) }),
})

const patience = defineGame({
  id: 'patience',
  version: 1,
  seats: { min: 1, max: 1 },
  state: {
    things: table(64, { wakeAt: u32, visits: u8 }),
    mixes: jobQueue(mix),
    all: single({ digest: u32 }),
  },
  derived: { asleep: sleepList('things', 'wakeAt'), mixes: jobRunner('mixes', mix) },
  orders: { mix: { terms: list(u16, 4), ticks: u8 }, drop: { row: u8 } },
  setup({ state, derived }) {
    for (let row = 0; row < 64; row++)
      derived.asleep.sleep(state.things.add(), 1 + ((row * 7) % 19))
  },
  step({ state, derived, tick, orders }) {
    const { things, all } = state
    const note = (value: number) => {
      all.digest = (Math.imul(all.digest, 31) + value) >>> 0
    }
    for (const { type, data } of orders) {
      if (type === 'mix') derived.mixes.start(tick, { terms: data.terms }, 1 + (data.ticks % 30))
      else if (things.isAlive(data.row % 64)) things.remove(data.row % 64)
    }
    derived.asleep.wake(tick, (row) => {
      note(row)
      if (things.count < 64) derived.asleep.sleep(things.add({ visits: 1 }), tick + 11)
      derived.asleep.sleep(row, tick + 1 + (row % 13))
    })
    derived.mixes.finish(tick, ({ sum }) => note(sum))
  },
})

function start() {
  return createSimulation(patience, { seed: 'digest', development: false })
}

/** Whoever loads the state in the middle goes on as the others do. */
function run(): string {
  let simulation = start()
  for (let tick = 1; tick <= 200; tick++) {
    const orders: SealedOrder[] = []
    if (tick % 3 === 0) {
      const data = { terms: [tick, tick * 5, 3], ticks: (tick * 11) % 256 }
      orders.push({ seat: 0, bytes: patience.orderCodec.encode('mix', data) })
    }
    if (tick % 5 === 0) {
      const data = { row: (tick * 13) % 256 }
      orders.push({ seat: 0, bytes: patience.orderCodec.encode('drop', data) })
    }
    simulation.step({ tick, orders, inputs: [], events: [] })
    if (tick !== 100) continue
    const bytes = saveSnapshot(simulation)
    simulation = start()
    loadSnapshot(simulation, bytes)
  }
  return `${simulation.state.all.digest.toString(16)}-${simulation.stateHash().slice(0, 16)}`
}

/** The digest of what waits. */
export function patienceDigests(): Digest[] {
  return [{ name: 'jobs and sleepers', digest: run() }]
}
