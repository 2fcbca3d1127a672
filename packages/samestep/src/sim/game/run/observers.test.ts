import { describe, expect, test } from 'vitest'
import { u8 } from '../../schema/index.ts'
import { single } from '../../state/single.ts'
import { defineGame } from '../definition/define-game.ts'
import { emptyBundle } from './bundle.ts'
import type { SimulationObserver } from './observers.ts'
import { createSimulation } from './simulation.ts'
import { TickTimer } from './tick-timer.ts'

let nowMs = 0

const game = defineGame({
  id: 'clockwork',
  version: 1,
  seats: { min: 1, max: 1 },
  state: { all: single({ turns: u8 }) },
  systems: [
    function slow({ state }) {
      nowMs += 3
      state.all.turns += 1
    },
    function fast() {
      nowMs += 1
    },
  ],
})

function start(observer?: SimulationObserver) {
  const options = observer === undefined ? {} : { observer }
  return createSimulation(game, { seed: 1, guard: false, ...options })
}

function listen() {
  const heard: string[] = []
  const observer: SimulationObserver = {
    phaseBegins: (phase, tick) => heard.push(`${tick} ${phase}`),
    systemBegins: (name, tick) => heard.push(`${tick} >${name}`),
    systemEnds: (name, tick) => heard.push(`${tick} <${name}`),
    tickEnds: (tick) => heard.push(`${tick} end`),
  }
  return { heard, observer }
}

describe('an observer', () => {
  test('hears the parts of a tick and its systems in their sequence', () => {
    const { heard, observer } = listen()
    start(observer).step(emptyBundle(1))
    expect(heard).toEqual([
      '0 previous',
      '1 inputs',
      '1 derived',
      '1 orders',
      '1 systems',
      '1 >slow',
      '1 <slow',
      '1 >fast',
      '1 <fast',
      '1 normalise',
      '1 hash',
      '1 end',
    ])
  })

  test('hears of no systems in a pause', () => {
    const { heard, observer } = listen()
    start(observer).step({ ...emptyBundle(1), events: [{ type: 'pause', seat: 0 }] })
    expect(heard.filter((line) => /systems|>/.test(line))).toEqual([])
    expect(heard.at(-1)).toBe('0 end')
  })

  test('comes and goes while the simulation runs, beside others', () => {
    const [first, second] = [listen(), listen()]
    const simulation = start(first.observer)
    simulation.step(emptyBundle(1))
    expect(second.heard).toEqual([])
    const undo = simulation.observe(second.observer)
    simulation.step(emptyBundle(2))
    undo()
    undo()
    simulation.step(emptyBundle(3))
    expect([first.heard.length, second.heard.length]).toEqual([36, 12])
  })

  test('that throws breaks no tick: it is told when the tick is complete, and asked no more', () => {
    const { heard, observer } = listen()
    const simulation = start()
    let asked = 0
    simulation.observe({
      systemBegins: () => {
        asked += 1
        throw new Error('of an observer')
      },
    })
    simulation.observe(observer)
    expect(() => simulation.step(emptyBundle(1))).toThrow('of an observer')
    const plain = start()
    plain.step(emptyBundle(1))
    expect(simulation.syncHashAt(1)).toBe(plain.syncHashAt(1))
    simulation.step(emptyBundle(2))
    expect([asked, heard.length, simulation.state.all.turns]).toEqual([1, 24, 2])
  })

  test('changes no bit of what is computed', () => {
    const [watched, plain] = [start(new TickTimer(() => nowMs)), start()]
    for (let tick = 1; tick <= 5; tick++) {
      watched.step(emptyBundle(tick))
      plain.step(emptyBundle(tick))
      expect(watched.syncHashAt(tick)).toBe(plain.syncHashAt(tick))
    }
  })
})

describe('a timer', () => {
  test('measures ticks, their parts and systems', () => {
    const timer = new TickTimer(() => nowMs)
    const simulation = start(timer)
    for (let tick = 1; tick <= 4; tick++) simulation.step(emptyBundle(tick))
    const { ticks, lastMs, meanMs, maxMs, scopes } = timer.timings
    expect([ticks, lastMs, meanMs, maxMs]).toEqual([4, 4, 4, 4])
    expect(scopes.map(({ kind, name, lastMs }) => [kind, name, lastMs])).toEqual([
      ['phase', 'previous', 0],
      ['phase', 'inputs', 0],
      ['phase', 'derived', 0],
      ['phase', 'orders', 0],
      ['phase', 'systems', 4],
      ['system', 'slow', 3],
      ['system', 'fast', 1],
      ['phase', 'normalise', 0],
      ['phase', 'hash', 0],
    ])
    expect(scopes.every(({ count }) => count === 4)).toBe(true)
  })

  test('forgets what was long ago, but not the worst', () => {
    const timer = new TickTimer(() => nowMs)
    const run = (ms: number) => {
      timer.phaseBegins('systems')
      nowMs += ms
      timer.tickEnds()
    }
    run(100)
    expect(timer.timings.meanMs).toBe(100)
    for (let count = 0; count < 200; count++) run(2)
    expect(timer.timings.meanMs).toBeLessThan(2.5)
    expect(timer.timings).toMatchObject({ lastMs: 2, maxMs: 100, ticks: 201 })
  })

  test('that begins in the middle of a tick leaves out what it has not seen', () => {
    const timer = new TickTimer(() => nowMs)
    timer.tickEnds()
    expect(timer.timings).toEqual({ ticks: 0, lastMs: 0, meanMs: 0, maxMs: 0, scopes: [] })
  })
})
