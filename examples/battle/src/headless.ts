import { fixed } from 'samestep'
import { createSimulation, type SealedOrder, saveSnapshot } from 'samestep/debug'
import { battle } from './game.ts'

/** Two armies that are sent across the map, by orders that a generator of its own makes up. */
export function runBattle(ticks: number, onTick: (tick: number, line: string) => void = () => {}) {
  const simulation = createSimulation(battle, { seed: 'headless', seats: 2, development: false })
  let draws = 1
  const draw = (below: number) => {
    draws = (Math.imul(draws, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((draws / 2 ** 32) * below)
  }
  for (let tick = 1; tick <= ticks; tick++) {
    const orders: SealedOrder[] = []
    if (tick % 10 === 1) {
      const { units } = simulation.state
      for (let seat = 0; seat < 2; seat++) {
        const own = [...units].filter((row) => units.owner[row] === seat)
        const from = draw(Math.max(own.length - 100, 1))
        const group = own.slice(from, from + 100).map((row) => units.refOf(row))
        const [x, y] = [fixed.fromInt(20 + draw(80)), fixed.fromInt(20 + draw(80))]
        orders.push({ seat, bytes: battle.orderCodec.encode('move', { units: group, x, y }) })
      }
    }
    const { outcomes, faults } = simulation.step({ tick, orders, inputs: [], events: [] })
    for (const { result, reason } of outcomes) {
      if (result !== 'executed') throw new Error(`An order was ${result}: ${reason}`)
    }
    for (const { name, error } of faults) throw new Error(`${name} failed: ${String(error)}`)
    if (tick % 150 === 0) {
      const { units, score } = simulation.state
      onTick(
        tick,
        `${units.count} units alive, kills ${score.kills[0]} : ${score.kills[1]}, sync hash ${simulation.syncHash()}`,
      )
    }
  }
  return simulation
}

if (process.argv[1] === import.meta.filename) {
  console.log('battle: 2 seats × 500 units on tables, moved by orders')
  const before = performance.now()
  const simulation = runBattle(1_500, (tick, line) => {
    console.log(`  tick ${String(tick).padStart(4)}  ${line}`)
  })
  const seconds = (performance.now() - before) / 1_000
  const bytes = saveSnapshot(simulation).byteLength
  console.log(`  state hash ${simulation.stateHash()}`)
  console.log(`  ${Math.round(1_500 / seconds)} ticks/s; a snapshot is ${bytes} bytes`)
}
