import { afterEach, describe, expect, test, vi } from 'vitest'
import { UsageError } from '../../base/errors.ts'
import { emptyBundle } from '../game/run/bundle.ts'
import { createSimulation } from '../game/run/simulation.ts'
import { expectSameHost, hostPicture, probed, problemOf, start } from './testing/probes.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('the globals', () => {
  test('are the same properties after a tick, an error, and a broken setup', () => {
    const before = hostPicture()
    start({}).step(emptyBundle(1))
    expectSameHost(before)
    const failing = start({
      step() {
        throw new Error('boom')
      },
    })
    failing.step(emptyBundle(1))
    expectSameHost(before)
    const broken = () => {
      throw new Error('no setup')
    }
    expect(() => start({ setup: broken })).toThrow('no setup')
    expectSameHost(before)
  })

  test('stay right when simulations run inside one another', () => {
    const before = hostPicture()
    const inner = createSimulation(probed({}, 'inner'), { seed: 1, development: true })
    const free = createSimulation(probed({ step: () => Math.random() }, 'free'), {
      seed: 1,
      guard: false,
    })
    let tick = 0
    const outer = start({
      step() {
        tick += 1
        inner.step(emptyBundle(tick))
        createSimulation(probed({}, 'fresh'), { seed: 1, development: true })
        // The inner one's tick is over, this one's is not.
        if (tick === 2) Math.random()
        if (tick === 3) free.step(emptyBundle(1))
      },
    })
    outer.step(emptyBundle(1))
    expect(inner.tick).toBe(1)
    expect(() => outer.step(emptyBundle(2))).toThrow("step 'second' of 'probed' at tick 2")
    expect(() => outer.step(emptyBundle(3))).toThrow("step 'second' of 'probed' at tick 3")
    expectSameHost(before)
  })

  test('a mistake of the inner simulation is loud in both', () => {
    const before = hostPicture()
    let caught: unknown
    const inner = createSimulation(probed({ step: () => Math.random() }, 'inner'), {
      seed: 1,
      development: true,
    })
    const outer = start({
      step() {
        try {
          inner.step(emptyBundle(1))
        } catch (error) {
          caught = error
        }
      },
    })
    expect(() => outer.step(emptyBundle(1))).toThrow("in step 'second' of 'inner' at tick 1")
    expect(caught).toBeInstanceOf(UsageError)
    expectSameHost(before)
  })

  test('a simulation cannot be stepped from inside its own step', () => {
    const before = hostPicture()
    const simulation = start({
      step() {
        if (simulation.tick === 1) simulation.step(emptyBundle(2))
      },
    })
    const problem = problemOf(() => simulation.step(emptyBundle(1)))
    expect([problem.code, simulation.tick]).toEqual(['SS_WRONG_TICK', 1])
    expect(problem.message).toContain("from inside step 'second'")
    expect(simulation.step(emptyBundle(2)).faults).toEqual([])
    expectSameHost(before)
  })

  test('functions that were replaced between ticks are trapped and put back too', () => {
    const simulation = start({ step: () => Date.now() })
    vi.useFakeTimers()
    const fake = Date
    expect(() => simulation.step(emptyBundle(1))).toThrow('Cannot call Date.now')
    expect(Date).toBe(fake)
    vi.useRealTimers()
    expect(() => simulation.step(emptyBundle(2))).toThrow('Cannot call Date.now')
    const spy = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    expect(Math.random()).toBe(0.5)
    const drawing = start({ step: () => Math.random() })
    expect(() => drawing.step(emptyBundle(1))).toThrow('Cannot call Math.random')
    expect(Math.random).toBe(spy)
  })

  test('what game code itself put there during a tick stays, and works', () => {
    const original = Math.random
    const own = () => 0.25
    const simulation = start({
      step() {
        if (simulation.tick === 1) Math.random = own
      },
    })
    try {
      simulation.step(emptyBundle(1))
      expect(Math.random).toBe(own)
    } finally {
      Math.random = original
    }
    expect(() => start({ step: () => Math.random() }).step(emptyBundle(1))).toThrow('Math.random')
  })

  test('a trap that escaped from its tick lets everything through', () => {
    let escaped: () => number = () => Number.NaN
    const simulation = start({
      step() {
        escaped = Math.random
      },
    })
    simulation.step(emptyBundle(1))
    expect(escaped()).toBeLessThan(1)
  })

  test('what only browsers have is refused there, functions, classes and getters', () => {
    const host = globalThis as unknown as { [name: string]: () => unknown }
    const fakes: { [name: string]: PropertyDescriptor } = {
      requestAnimationFrame: { value: () => 1, writable: true, configurable: true },
      XMLHttpRequest: { value: class {}, writable: true, configurable: true },
      Worker: { get: () => class {}, set() {}, configurable: true },
    }
    for (const [name, fake] of Object.entries(fakes)) Object.defineProperty(host, name, fake)
    const before = hostPicture()
    try {
      const refused = (call: () => unknown) => () => start({ step: call }).step(emptyBundle(1))
      expect(refused(() => host.requestAnimationFrame!())).toThrow('call requestAnimationFrame in')
      expect(refused(() => Reflect.construct(host.XMLHttpRequest!, []))).toThrow(
        'call new XMLHttpRequest in',
      )
      expect(refused(() => host.Worker)).toThrow('call Worker in')
      expectSameHost(before)
    } finally {
      for (const name of Object.keys(fakes)) Reflect.deleteProperty(host, name)
    }
    start({}).step(emptyBundle(1))
    expect('requestAnimationFrame' in host).toBe(false)
  })

  test('frozen and missing functions are survived', () => {
    const host = globalThis as unknown as { [name: string]: unknown }
    const kept = Object.getOwnPropertyDescriptor(globalThis, 'setImmediate')!
    const random = Object.getOwnPropertyDescriptor(Math, 'random')!
    const frozen = { value: () => 0.5, writable: false, configurable: true }
    try {
      Reflect.deleteProperty(host, 'setImmediate')
      Object.defineProperty(Math, 'random', frozen)
      const simulation = start({ step: () => Math.sin(Math.min(1, 2)) })
      expect(() => simulation.step(emptyBundle(1))).toThrow('Cannot call Math.sin')
      // Not writable, but configurable: it can still be trapped.
      expect(() => start({ step: () => Math.random() }).step(emptyBundle(1))).toThrow('Math.random')
      expect(Object.getOwnPropertyDescriptor(Math, 'random')).toMatchObject(frozen)
      expect('setImmediate' in globalThis).toBe(false)
    } finally {
      Object.defineProperty(globalThis, 'setImmediate', kept)
      Object.defineProperty(Math, 'random', random)
    }
    const locked = { now: Object.freeze(() => 5) }
    Object.defineProperty(host, 'Temporal', {
      value: Object.freeze({ Now: Object.freeze(locked) }),
      configurable: true,
    })
    try {
      // Nothing can be put there, and nothing goes wrong.
      expect(start({ step: () => locked.now() }).step(emptyBundle(1)).faults).toEqual([])
    } finally {
      Reflect.deleteProperty(host, 'Temporal')
    }
  })
})
