import { expect, test } from 'vitest'
import { SyncTree, syncHashFromWords } from '../../hash/tree.ts'
import { recentHashesMin } from '../../limits.ts'
import { CosmeticRandom } from '../../random/index.ts'
import { SnapshotBuffer } from '../../snapshot/buffer.ts'
import { busy, busyBundle, startBusy, wayNames } from '../../trace/testing/busy-game.ts'
import { emptyBundle } from '../run/bundle.ts'
import { adoptMemory, SimulationMirror, writePicture } from './mirror.ts'
import { loadSnapshot, saveSnapshot } from './snapshots.ts'

/** Ways to write that may touch rows which do not live: a load makes those zero again. */
const careless = ['setCell', 'setNegativeZero', 'bulk', 'writeInCallback', 'runJobs', 'draw']

/** All rows live and stay, or rows come and go and only living ones are written to. */
const scripts = {
  crowded: wayNames.filter((name) => name !== 'removeRow' && name !== 'fail'),
  changing: wayNames.filter((name) => !careless.includes(name)),
}

function stage(script: keyof typeof scripts = 'changing') {
  const simulation = startBusy({ guard: false, matchId: 'friday' })
  const mirror = new SimulationMirror(busy, {
    matchId: 'friday',
    seats: 2,
    options: {},
    seed: 'busy',
    orderPolicy: [],
    development: false,
  })
  const random = new CosmeticRandom(3)
  const buffer = new SnapshotBuffer(8)
  const add = wayNames.indexOf('addRow')
  if (script === 'crowded') {
    const commands = Array.from({ length: 35 }, (_, a) => [add, a, a] as const)
    for (let from = 0; from < 35; from += 5) {
      simulation.step(busyBundle(simulation.tick + 1, commands.slice(from, from + 5)))
    }
  }
  return {
    simulation,
    mirror,
    buffer,
    step() {
      const commands = [0, 1].map(() => {
        const way = wayNames.indexOf(random.pick(scripts[script]))
        return [way, random.below(30), random.below(30)] as const
      })
      simulation.step(busyBundle(simulation.tick + 1, commands))
    },
    show(knownTick: number) {
      const layout = writePicture(simulation, buffer, knownTick)
      // As what crosses: another memory, which is taken away afterwards.
      const bytes = buffer.bytes.slice(0, buffer.length)
      mirror.load(bytes, layout)
      structuredClone(bytes.buffer, { transfer: [bytes.buffer] })
      return layout
    },
  }
}

test.each(['crowded', 'changing'] as const)(
  'a mirror shows every kind of state bit for bit, and the tick before: %s',
  (script) => {
    const { simulation, mirror, step, show } = stage(script)
    show(-1)
    for (let count = 0; count < 120; count++) {
      step()
      const { tick } = simulation
      show(tick - 1)
      expect(mirror.tick).toBe(tick)
      expect(saveSnapshot(mirror)).toEqual(saveSnapshot(simulation))
      expect(mirror.previous.units.x).toEqual(simulation.previous.units.x)
      for (const row of mirror.view.units) {
        expect(mirror.blend.units.x(row, 0.3)).toBe(simulation.blend.units.x(row, 0.3))
      }
      expect(mirror.syncHashAt(tick)).toBe(simulation.syncHashAt(tick))
    }
    const tree = new SyncTree()
    tree.update(mirror.parts, mirror.parts.memory)
    expect(syncHashFromWords(tree.rootLo, tree.rootHi)).toBe(simulation.syncHash())
  },
)

test('ticks that were not shown are no gap: the tick before, and all hashes, come along', () => {
  const { simulation, mirror, step, show } = stage()
  show(-1)
  for (let picture = 0, known = 0; picture < 20; picture++) {
    for (let count = 0; count < 7; count++) step()
    show(known)
    known = simulation.tick
    expect(mirror.previous.units.x).toEqual(simulation.previous.units.x)
  }
  for (let tick = 0; tick <= simulation.tick; tick++) {
    expect(mirror.syncHashAt(tick)).toBe(simulation.syncHashAt(tick))
  }
})

test('after more ticks than hashes are remembered for, the newest are there and no wrong ones', () => {
  const { simulation, mirror, show } = stage()
  show(-1)
  for (let tick = 1; tick <= recentHashesMin + 50; tick++) simulation.step(emptyBundle(tick))
  expect(show(0).hashCount).toBe(recentHashesMin)
  expect(mirror.syncHashAt(20)).toBeUndefined()
  for (let tick = 51; tick <= simulation.tick; tick++) {
    expect(mirror.syncHashAt(tick)).toBe(simulation.syncHashAt(tick))
  }
})

test('a simulation that was loaded shows what it was loaded with, and hashes from there on', () => {
  const { simulation, mirror, step, show } = stage()
  for (let count = 0; count < 10; count++) step()
  const saved = saveSnapshot(simulation)
  for (let count = 0; count < 10; count++) step()
  show(-1)
  loadSnapshot(simulation, saved)
  show(20)
  expect([mirror.tick, mirror.syncHashAt(9), mirror.syncHashAt(20)]).toEqual([
    10,
    undefined,
    undefined,
  ])
  step()
  show(10)
  expect(mirror.syncHashAt(11)).toBe(simulation.syncHashAt(11))
})

test('who is there, and whether time passes, is seen as in the simulation', () => {
  const { simulation, mirror, show } = stage()
  simulation.step({
    ...emptyBundle(1),
    events: [
      { type: 'join', seat: 1 },
      { type: 'pause', seat: undefined },
      { type: 'speed', percent: 50 },
    ],
  })
  show(-1)
  expect([mirror.isPresent(0), mirror.isPresent(1)]).toEqual([false, true])
  expect([mirror.isPaused, mirror.speedPercent]).toEqual([true, 50])
})

test('in development a mirror cannot be written to', () => {
  const { simulation, buffer } = stage()
  const options = {
    matchId: '',
    seats: 2,
    options: {},
    seed: 1,
    orderPolicy: [],
    development: true,
  }
  const mirror = new SimulationMirror(busy, options)
  const layout = writePicture(simulation, buffer, -1)
  mirror.load(buffer.bytes.subarray(0, buffer.length), layout)
  const x = mirror.view.units.x as unknown as Int32Array
  expect(() => {
    x[0] = 1
  }).toThrow(expect.objectContaining({ code: 'SS_READONLY_VIEW' }))
})

test('memory that came back from another thread is used again', () => {
  const { simulation, buffer, step } = stage()
  writePicture(simulation, buffer, -1)
  const moved = structuredClone(buffer.bytes.buffer, { transfer: [buffer.bytes.buffer] })
  expect(buffer.bytes.length).toBe(0)
  adoptMemory(buffer, moved)
  step()
  writePicture(simulation, buffer, 0)
  expect(buffer.bytes.buffer).toBe(moved)
})
