import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadSnapshot, saveSnapshot } from '../game/copies/snapshots.ts'
import type { Command } from './testing/busy-game.ts'
import { busyBundle, startBusy, wayNames } from './testing/busy-game.ts'
import { createTrace } from './trace.ts'
import { compareTraces } from './trace-search.ts'

const small = fc.integer({ min: 0, max: 60 })
const command: fc.Arbitrary<Command> = fc.tuple(fc.nat(wayNames.length - 1), small, small)
const script = fc.array(fc.array(command, { maxLength: 4 }), { minLength: 1, maxLength: 8 })

/** What a run looks like from outside, tick by tick. */
function trailOf(simulation: ReturnType<typeof startBusy>, ticks: readonly (readonly Command[])[]) {
  const trail: unknown[] = [simulation.syncHash()]
  ticks.forEach((commands) => {
    const tick = simulation.tick + 1
    const { outcomes, faults } = simulation.step(busyBundle(tick, commands) as never)
    // Whoever traces sees every write, and looks at no values.
    const thrown = faults.filter(({ where }) => where !== 'cell')
    const messages = thrown.map(({ where, name, error }) => [where, name, String(error)])
    trail.push(
      simulation.syncHash(),
      outcomes.map(({ result }) => result),
      messages,
    )
  })
  trail.push(simulation.stateHash(), saveSnapshot(simulation, { encoding: 'raw' }).join())
  return trail
}

test('a traced run has the same states, hashes and faults as an untraced one', () => {
  fc.assert(
    fc.property(script, fc.boolean(), (ticks, development) => {
      const options = { development, guard: false }
      const plain = trailOf(startBusy(options), ticks)
      const trace = createTrace({ callSites: false })
      expect(trailOf(startBusy({ ...options, trace }), ticks)).toEqual(plain)
    }),
    { numRuns: 80 },
  )
})

test('every way of writing alone, many times, is the same when traced', () => {
  for (const way of wayNames.keys()) {
    const ticks = Array.from({ length: 12 }, (_, tick): Command[] => [
      [way, tick * 7 + 1, tick * 5],
      [way, tick * 3, 60 - tick],
    ])
    const plain = trailOf(startBusy({ development: true }), ticks)
    const trace = createTrace({ callSites: false })
    expect(trailOf(startBusy({ development: true, trace }), ticks), wayNames[way]).toEqual(plain)
  }
})

test('two traced runs of the same script have the same entries, with or without lines', () => {
  fc.assert(
    fc.property(script, (ticks) => {
      const run = (callSites: boolean) => {
        const trace = createTrace({ callSites })
        trailOf(startBusy({ trace, guard: false }), ticks)
        return trace
      }
      const [one, other] = [run(true), run(false)]
      expect(compareTraces(one, other).verdict).toEqual({ result: 'same' })
      expect(one.count).toBe(other.count)
    }),
    { numRuns: 10 },
  )
})

test('a snapshot that is loaded while tracing goes on as without', () => {
  const first: Command[][] = [[[0, 1, 2]], [[12, 3, 4]], [[15, 3, 4]]]
  const then: Command[][] = wayNames.map((_, way) => [[way, 6, 4]])
  const donor = startBusy()
  trailOf(donor, first)
  const saved = saveSnapshot(donor)
  const expected = trailOf(donor, then)
  const simulation = startBusy({ trace: createTrace({ callSites: false }) })
  trailOf(simulation, [[[5, 5, 5]]])
  loadSnapshot(simulation, saved)
  expect(trailOf(simulation, then)).toEqual(expected)
})

test('what is written through `state` is seen: nothing is left over at the end of a system', () => {
  const unseen = ['keepReference', 'paint']
  for (const [way, name] of wayNames.entries()) {
    const trace = createTrace({ callSites: false })
    const simulation = startBusy({ trace })
    for (let tick = 1; tick <= 20; tick++) {
      const commands: Command[] = [[way, tick * 3, tick * 7]]
      simulation.step(busyBundle(tick, commands) as never)
    }
    const leftOver = trace.entries().filter(({ kind }) => kind === 'unseen')
    if (unseen.includes(name)) expect(leftOver.length, name).toBeGreaterThan(0)
    else expect(leftOver, name).toEqual([])
  }
})

test('no two runs that end in different states have the same trace', () => {
  const other = fc.tuple(fc.nat(), fc.nat(), command)
  let differing = 0
  fc.assert(
    fc.property(script, other, (ticks, [at, index, changed]) => {
      const twin = ticks.map((commands) => [...commands])
      const commands = twin[at % twin.length] as Command[]
      commands.splice(index % (commands.length + 1), 1, changed)
      const run = (each: readonly (readonly Command[])[]) => {
        const trace = createTrace({ callSites: false })
        const simulation = startBusy({ trace, guard: false, development: false })
        trailOf(simulation, each)
        return { trace, hash: simulation.stateHash() }
      }
      const [mine, theirs] = [run(ticks), run(twin)]
      const found = compareTraces(mine.trace, theirs.trace)
      if (mine.hash !== theirs.hash) {
        expect(found.verdict.result).toBe('differs')
        differing += 1
      }
      // The same answer as looking at every entry.
      const texts = [mine, theirs].map(({ trace }) =>
        trace.entries().map((entry) => JSON.stringify({ ...entry, frames: [], site: null })),
      )
      const [a = [], b = []] = texts
      const first = a.findIndex((entry, place) => entry !== b[place])
      const expected = first < 0 && a.length < b.length ? a.length : first
      if (found.verdict.result === 'differs') expect(found.verdict.index).toBe(expected)
      else expect(expected).toBe(-1)
    }),
    { numRuns: 40 },
  )
  expect(differing).toBeGreaterThan(10)
})
