/**
 * Whole games, run for some hundred ticks: the sync hash of every tick chained into one digest, and the
 * state hash of the last. Made from the example games, as their players would run them.
 */
import { fixed } from 'samestep'
import { createSimulation, loadSnapshot, type SealedOrder, saveSnapshot } from 'samestep/debug'
import { battle } from '../../../../examples/battle/src/game.ts'
import { sandbox } from '../../../../examples/sand/src/game.ts'
import { tag } from '../../../../examples/tag/src/game.ts'
import type { Digest } from './index.ts'

/** A small generator of its own, so that nothing under test decides what is tested. */
function drawer(seed: number): (below: number) => number {
  let word = seed
  return (below) => {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((word / 2 ** 32) * below)
  }
}

function chain(digest: number, hash: string): number {
  for (let index = 0; index < hash.length; index++) {
    digest = Math.imul(digest ^ hash.charCodeAt(index), 0x0100_0193) >>> 0
  }
  return digest
}

function runBattle(): string {
  const simulation = createSimulation(battle, { seed: 'digest', seats: 3, development: false })
  const draw = drawer(1)
  let digest = 0x811c_9dc5
  for (let tick = 1; tick <= 300; tick++) {
    const orders: SealedOrder[] = []
    if (tick % 8 === 1) {
      const { units } = simulation.state
      const seat = draw(3)
      const group: number[] = []
      for (const row of units) {
        if (units.owner[row] === seat && draw(4) === 0 && group.length < 150) {
          group.push(units.refOf(row))
        }
      }
      const data = { units: group, x: fixed.fromInt(draw(128)), y: fixed.fromInt(draw(128)) }
      orders.push({ seat, bytes: battle.orderCodec.encode('move', data) })
    }
    simulation.step({ tick, orders, inputs: [], events: [] })
    digest = chain(digest, simulation.syncHash())
  }
  return `${digest.toString(16)}-${simulation.stateHash().slice(0, 16)}`
}

/** Saved and loaded in the middle, so that a snapshot which differs between engines shows too. */
function runTag(): string {
  let simulation = createSimulation(tag, { seed: 'digest', seats: 4, development: false })
  const draw = drawer(2)
  let digest = 0x811c_9dc5
  for (let tick = 1; tick <= 600; tick++) {
    const inputs = [0, 1, 2, 3].map((seat) =>
      (tick + seat) % 9 === 0
        ? { turn: draw(3) - 1, forward: draw(3) > 0, dash: draw(8) === 0 }
        : undefined,
    )
    simulation.step({ tick, inputs, orders: [], events: [] })
    digest = chain(digest, simulation.syncHash())
    if (tick === 300) {
      const bytes = saveSnapshot(simulation, { encoding: 'deflate' })
      simulation = createSimulation(tag, { seed: 'digest', seats: 4, development: false })
      loadSnapshot(simulation, bytes)
      digest = chain(digest, String(bytes.length))
    }
  }
  return `${digest.toString(16)}-${simulation.stateHash().slice(0, 16)}`
}

function runSand(): string {
  const simulation = createSimulation(sandbox, { seed: 'digest', seats: 1, development: false })
  const draw = drawer(3)
  let digest = 0x811c_9dc5
  for (let tick = 1; tick <= 150; tick++) {
    const data = {
      x: draw(160),
      y: draw(40),
      what: (['sand', 'water', 'stone'] as const)[draw(3)] ?? 'sand',
    }
    const orders = [{ seat: 0, bytes: sandbox.orderCodec.encode('pour', data) }]
    simulation.step({ tick, orders, inputs: [], events: [] })
    digest = chain(digest, simulation.syncHash())
  }
  return `${digest.toString(16)}-${simulation.stateHash().slice(0, 16)}`
}

/** The digests of the example games. */
export function gameDigests(): Digest[] {
  return [
    { name: 'battle', digest: runBattle() },
    { name: 'tag', digest: runTag() },
    { name: 'sand', digest: runSand() },
  ]
}
