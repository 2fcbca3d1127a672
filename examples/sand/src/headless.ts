import { createSimulation, type SealedOrder } from 'samestep/debug'
import { height, sandbox, type World, width } from './game.ts'

/** Sand and water poured at a few places, onto a ledge of stone. */
export function runSand(ticks: number, onTick: (tick: number, line: string) => void = () => {}) {
  const simulation = createSimulation(sandbox, { seed: 'headless', seats: 2, development: false })
  for (let tick = 1; tick <= ticks; tick++) {
    const orders: SealedOrder[] = []
    const pour = (seat: number, x: number, y: number, what: 'sand' | 'water' | 'stone') => {
      orders.push({ seat, bytes: sandbox.orderCodec.encode('pour', { x, y, what }) })
    }
    if (tick <= 12) pour(0, 40 + 5 * tick, 60, 'stone')
    else if (tick % 3 === 0) pour(0, 60 + (tick % 20), 2, 'sand')
    else pour(1, 90 - (tick % 15), 2, 'water')
    const { faults } = simulation.step({ tick, orders, inputs: [], events: [] })
    for (const { name, error } of faults) throw new Error(`${name} failed: ${String(error)}`)
    if (tick % 100 === 0) {
      onTick(tick, `${simulation.state.count.poured} poured, sync hash ${simulation.syncHash()}`)
    }
  }
  return simulation
}

/** The world as text, a character for two cells. */
export function draw(world: World): string {
  const lines: string[] = []
  for (let y = 0; y < height; y += 4) {
    let line = ''
    for (let x = 0; x < width; x += 2) line += ' .~#'[world.at(x, y)]
    lines.push(line.trimEnd())
  }
  return lines.join('\n')
}

if (process.argv[1] === import.meta.filename) {
  console.log('sand: a world in memory of its own, poured into by orders')
  const before = performance.now()
  const simulation = runSand(500, (tick, line) => {
    console.log(`  tick ${String(tick).padStart(4)}  ${line}`)
  })
  const seconds = (performance.now() - before) / 1_000
  console.log(draw(simulation.state.world))
  console.log(`  state hash ${simulation.stateHash()}`)
  console.log(`  ${Math.round(500 / seconds)} ticks/s`)
}
