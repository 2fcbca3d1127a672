import { createSimulation } from 'samestep/debug'
import { tag } from './game.ts'

/** Four runners who hold and let go of their controls by chance. */
export function runTag(ticks: number, onTick: (tick: number, line: string) => void = () => {}) {
  const simulation = createSimulation(tag, { seed: 'headless', seats: 4, development: false })
  let draws = 7
  const draw = (below: number) => {
    draws = (Math.imul(draws, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((draws / 2 ** 32) * below)
  }
  for (let tick = 1; tick <= ticks; tick++) {
    const inputs = [0, 1, 2, 3].map((seat) =>
      (tick + seat) % 12 === 0
        ? { turn: draw(3) - 1, forward: draw(4) > 0, dash: draw(10) === 0 }
        : undefined,
    )
    const { faults } = simulation.step({ tick, inputs, orders: [], events: [] })
    for (const { name, error } of faults) throw new Error(`${name} failed: ${String(error)}`)
    if (tick % 600 === 0) {
      const { field } = simulation.state
      const tags = field.runners.map((runner) => runner.tags).join(' ')
      onTick(tick, `seat ${field.it} is it, tags ${tags}, sync hash ${simulation.syncHash()}`)
    }
  }
  return simulation
}

if (process.argv[1] === import.meta.filename) {
  console.log('tag: 4 runners as plain objects, moved by held controls')
  const before = performance.now()
  const simulation = runTag(3_600, (tick, line) => {
    console.log(`  tick ${String(tick).padStart(4)}  ${line}`)
  })
  const seconds = (performance.now() - before) / 1_000
  console.log(`  state hash ${simulation.stateHash()}`)
  console.log(`  ${Math.round(3_600 / seconds)} ticks/s`)
}
