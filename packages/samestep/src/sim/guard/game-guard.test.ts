import { afterEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { defineGame } from '../game/definition/define-game.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { custom } from '../state/custom.ts'
import {
  expectSameHost,
  hostPicture,
  type Probes,
  poke,
  probed,
  problemOf,
  start,
} from './testing/probes.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const forbidden: readonly (readonly [string, () => unknown, RegExp])[] = [
  ['Math.random', () => Math.random(), /random\.below/],
  ['Math.sin', () => Math.sin(1), /dmath\.sin/],
  [
    'Math.pow',
    () => (Reflect.get(Math, 'pow') as (a: number, b: number) => number)(2, 0.5),
    /dmath\.pow/,
  ],
  ['Math.hypot', () => Math.hypot(1, 2), /dmath\.hypot/],
  ['Math.cbrt', () => Math.cbrt(2), /dmath\.cbrt/],
  ['Math.acosh', () => Math.acosh(2), /exact/],
  ['Date.now', () => Date.now(), /tick/],
  ['new Date', () => new Date(), /tick/],
  ['new Date', () => new Date(2026, 1, 1), /UTC/],
  ['new Date', () => new Date('2026-01-31T12:00'), /UTC/],
  ['Date', () => Date(), /tick/],
  ['Date.parse', () => Date.parse('1 Jan 2026'), /zone/],
  ['Date.prototype.getHours', () => new Date(0).getHours(), /UTC/],
  ['Date.prototype.toString', () => `${new Date(0)}`, /UTC/],
  ['Date.prototype.toLocaleString', () => new Date(0).toLocaleString(), /ISO/],
  ['performance.now', () => performance.now(), /tick/],
  ['performance.timeOrigin', () => performance.timeOrigin, /tick/],
  ['process.hrtime', () => process.hrtime(), /tick/],
  ['process.hrtime.bigint', () => process.hrtime.bigint(), /tick/],
  ['setTimeout', () => setTimeout(() => {}, 0), /due/],
  ['setInterval', () => setInterval(() => {}, 9), /due/],
  ['setImmediate', () => setImmediate(() => {}), /due/],
  ['queueMicrotask', () => queueMicrotask(() => {}), /due/],
  ['new Promise', () => new Promise(() => {}), /queue/],
  ['Promise.resolve', () => Promise.resolve(1), /queue/],
  ['Promise.prototype.then', () => settled.then(() => {}), /queue/],
  ['Promise.prototype.then', () => settled.catch(() => {}), /queue/],
  ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1)), /random\.below/],
  ['crypto.randomUUID', () => crypto.randomUUID(), /random\.below/],
  ['fetch', () => fetch('data:,nothing'), /order/],
  ['structuredClone', () => structuredClone(new Uint8Array(2)), /slice/],
  ['new WeakRef', () => new WeakRef({}), /reference/],
  ['WeakRef.prototype.deref', () => weak.deref(), /reference/],
  ['new Intl.NumberFormat', () => new Intl.NumberFormat('en'), /draw/],
  ['Intl.Collator.prototype.compare', () => collator.compare('a', 'b'), /draw/],
  ['String.prototype.localeCompare', () => 'a'.localeCompare('b'), /<.*>/],
  ['String.prototype.toLocaleUpperCase', () => 'i'.toLocaleUpperCase(), /use toUpperCase/],
  ['Number.prototype.toLocaleString', () => (1).toLocaleString(), /String/],
  ['Array.prototype.toLocaleString', () => [1].toLocaleString(), /String/],
  ['Uint8Array.prototype.toLocaleString', () => new Uint8Array(1).toLocaleString(), /String/],
]

const settled = Promise.resolve()
const weak = new WeakRef({})
const collator = new Intl.Collator('en')

describe('calls that differ between machines', () => {
  test.each(forbidden)('%s throws inside a tick and works outside', (name, call, instead) => {
    const before = hostPicture()
    const simulation = start({ step: call })
    const problem = problemOf(() => simulation.step(emptyBundle(1)))
    expect(problem.code).toBe('SS_NONDETERMINISTIC')
    expect(problem.message).toContain(`Cannot call ${name} in step 'second' of 'probed' at tick 1`)
    expect(problem.message).toMatch(instead)
    expectSameHost(before)
    expect(call).not.toThrow(UsageError)
  })

  test('each of them is refused for its own reason', () => {
    const reasonOf = (call: () => unknown) =>
      problemOf(() => start({ step: call }).step(emptyBundle(1))).message
    const other = 'it gives a different number on every machine'
    expect(reasonOf(() => Math.random())).toContain(other)
    expect(reasonOf(() => crypto.randomUUID())).toContain(other)
    expect(reasonOf(() => Math.sin(1))).toContain('engines round it differently')
    expect(reasonOf(() => Date.now())).toContain('every machine has its own clock')
    expect(reasonOf(() => process.memoryUsage())).toContain('CPU time and memory differ')
    expect(reasonOf(() => 'a'.localeCompare('b'))).toContain('language data differs')
    expect(reasonOf(() => setTimeout(() => {}, 0))).toContain('it continues after the tick')
    expect(reasonOf(() => new Date(0).getHours())).toContain('its own time zone')
  })

  test('every function of Math is either exact by the standard or refused', () => {
    const exact = new Set(
      'abs ceil clz32 f16round floor fround imul max min round sign sqrt sumPrecise trunc'.split(
        ' ',
      ),
    )
    const functions = Object.getOwnPropertyNames(Math).filter(
      (name) => typeof (Math as never)[name] === 'function',
    )
    expect(functions.length).toBeGreaterThan(30)
    for (const name of functions) {
      const call = () =>
        (Math as unknown as { [name: string]: (value: number) => number })[name]!(1)
      const run = () => start({ step: call }).step(emptyBundle(1))
      if (exact.has(name)) expect(run, name).not.toThrow()
      else expect(run, name).toThrow(`Cannot call Math.${name} in`)
    }
  })

  test('what is exact, or only prints, is let through', () => {
    const log = vi.spyOn(console, 'log').mockImplementation(() => {
      // A console that stamps its lines, as test runners have them.
      performance.now()
      setTimeout(() => {}, 0)
    })
    const simulation = start({
      step() {
        console.log('here', Math.floor(2.5), Math.sqrt(2), Math.max(1, 2))
        new Date(86_400_000).getUTCDay()
        new Date('2026-01-31T12:00:00Z').toISOString()
        new Date('2026-01-31').getTime()
        Date.UTC(2026, 0)
        Date.parse('2026-01-31T12:00:00.123+02:00')
        structuredClone({ a: [1] })
        if (!(new Date(0) instanceof Date)) throw new Error('a Date is one')
        return undefined
      },
    })
    expect(simulation.step(emptyBundle(1)).faults).toEqual([])
    expect(log).toHaveBeenCalledOnce()
  })

  test('the message says where: setup, validate, apply, derived, a system', () => {
    const draw = () => Math.random()
    expect(() => start({ setup: draw })).toThrow("Cannot call Math.random in setup of 'probed'")
    expect(() => start({ derived: draw })).toThrow("in derived 'count' of 'probed' at tick 0")
    const each: [Probes, string][] = [
      [{ validate: draw }, "in validate 'poke'"],
      [{ apply: draw }, "in apply 'poke'"],
      [{ step: draw }, "in step 'second'"],
    ]
    for (const [probes, place] of each) {
      const simulation = start(probes)
      expect(() => simulation.step(poke(1))).toThrow(place)
    }
  })

  test('what a custom part does to be hashed is guarded too', () => {
    const game = defineGame({
      id: 'stamped',
      version: 1,
      seats: { min: 1, max: 1 },
      state: {
        world: custom({
          create: () => ({}),
          save: () => new Uint8Array([Math.random() * 255]),
          load: () => ({}),
        }),
      },
      step() {},
    })
    expect(() => createSimulation(game, { seed: 1, development: true })).toThrow(
      "Cannot call Math.random in hash of 'stamped'",
    )
  })

  test('game code cannot swallow it', () => {
    const simulation = start({
      step() {
        try {
          Math.random()
        } catch {
          // Nobody will know.
        }
      },
    })
    expect(() => simulation.step(emptyBundle(1))).toThrow('Cannot call Math.random')
  })

  test('the tick is complete when step throws, so that the next one can run', () => {
    let isBad = true
    const simulation = start({ step: () => isBad && Math.random() })
    const problem = problemOf(() => simulation.step(emptyBundle(1)))
    expect(problem.stack).toContain('game-guard.test')
    expect([simulation.tick, simulation.state.score.wave, simulation.state.dots.x[0]]).toEqual([
      1, 1, 8,
    ])
    expect(simulation.syncHashAt(1)).toBe(simulation.syncHash())
    isBad = false
    expect(simulation.step(emptyBundle(2)).faults).toEqual([])
  })

  test('an ordinary error of game code stays a fault, the same on every machine', () => {
    const simulation = start({
      step() {
        throw new Error('boom')
      },
    })
    expect(simulation.step(emptyBundle(1)).faults).toMatchObject([{ name: 'second' }])
  })

  test('observers may read a clock', () => {
    let read = 0
    const simulation = createSimulation(probed({}), {
      seed: 1,
      development: true,
      observer: {
        systemBegins: () => {
          read += performance.now() > 0 ? 1 : 0
        },
        systemEnds: () => {
          read += Date.now() > 0 ? 1 : 0
        },
      },
    })
    simulation.step(emptyBundle(1))
    expect(read).toBe(6)
  })

  test('without a guard nothing is refused, in production or by choice', () => {
    const probes = { step: () => Math.random(), setup: () => Date.now() }
    const before = hostPicture()
    expect(start(probes, { guard: false }).step(emptyBundle(1)).faults).toEqual([])
    expect(start(probes, { development: false }).step(emptyBundle(1)).faults).toEqual([])
    vi.stubEnv('NODE_ENV', 'production')
    const built = createSimulation(probed(probes), { seed: 1, development: true, guard: true })
    vi.unstubAllEnvs()
    expect(built.step(emptyBundle(1)).faults).toEqual([])
    expectSameHost(before)
  })

  test('a guard can be had without the rest of development', () => {
    const simulation = start({ step: () => Math.random() }, { development: false, guard: true })
    expect(() => simulation.step(emptyBundle(1))).toThrow('Cannot call Math.random')
  })

  test('guarded and unguarded runs have the same hashes', () => {
    const trail = (guard: boolean) => {
      const simulation = start({}, { guard })
      const hashes = [simulation.syncHash()]
      for (let tick = 1; tick <= 20; tick++) {
        simulation.step(tick % 3 === 0 ? poke(tick) : emptyBundle(tick))
        hashes.push(simulation.syncHash())
      }
      return [...hashes, simulation.stateHash()]
    }
    expect(trail(true)).toEqual(trail(false))
  })
})
