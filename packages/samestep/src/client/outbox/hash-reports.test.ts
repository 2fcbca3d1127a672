import fc from 'fast-check'
import { expect, test } from 'vitest'
import { roundness } from '../../wire/ticks/turn-hash.ts'
import { HashReports } from './hash-reports.ts'

/** Executes ticks `from` to `to`, of which those in `bad` come out differently. */
function execute(reports: HashReports, from: number, to: number, bad?: number): void {
  for (let tick = from; tick <= to; tick++) {
    reports.note(tick, Uint32Array.of(tick * 7, tick === bad ? 1 : 0))
  }
}

/** What a client reports by tick that sends a turn after each of these many ticks. */
function run(groups: readonly number[], ticks: number, bad?: number): Map<number, string> {
  const reports = new HashReports()
  const said = new Map<number, string>()
  let tick = -1
  for (let turn = 0; tick < ticks; turn++) {
    const last = tick + (groups[turn % groups.length] as number)
    execute(reports, tick + 1, last, bad)
    tick = last
    const report = reports.take(tick)
    if (report !== undefined) said.set(report.tick, `${report.lo}/${report.hi}`)
  }
  return said
}

test('a report is of the newest tick where every tick has a turn', () => {
  expect([...run([1], 9).keys()]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
})

test('of several ticks the roundest is reported, and tick 0 always first', () => {
  expect([...run([3], 13).keys()]).toEqual([0, 4, 8, 10, 12])
  expect([...run([9, 3], 22).keys()]).toEqual([0, 10, 16, 22].map((tick) => tick))
})

test('nothing new is not reported, nor what lies ahead of what is confirmed', () => {
  const reports = new HashReports()
  execute(reports, 0, 6)
  expect(reports.take(5)).toBeUndefined()
  expect(reports.take(6)).toMatchObject({ executedTick: 6, tick: 0 })
  expect(reports.take(6)).toBeUndefined()
  execute(reports, 7, 9)
  expect(reports.take(20)).toMatchObject({ executedTick: 9, tick: 8 })
})

test('HSH-03 however two clients group their ticks, a difference shows within two groups', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(sizes, sizes, fc.nat(200), (ada, bob, bad) => {
      const period = 2 ** Math.ceil(Math.log2(Math.max(...ada, ...bob)))
      const [first, second] = [run(ada, 400), run(bob, 400, bad)]
      const common = [...first.keys()].filter((tick) => second.has(tick))
      for (const tick of common) {
        expect(first.get(tick) === second.get(tick)).toBe(tick < bad)
      }
      const found = common.find((tick) => tick >= bad) as number
      expect(found - bad).toBeLessThan(period)
      const agreed = common.findLast((tick) => tick < bad)
      if (bad > 0) expect(bad - (agreed as number)).toBeLessThanOrEqual(period)
    }),
  )
})

test('two groups of one state that came back to each other stay apart in their chains', () => {
  const [ada, bob] = [new HashReports(), new HashReports()]
  execute(ada, 0, 50)
  execute(bob, 0, 50, 20)
  ada.take(50)
  bob.take(50)
  execute(ada, 51, 51)
  execute(bob, 51, 51)
  expect(ada.take(51)).not.toEqual(bob.take(51))
})

test('roundness counts the low bits that are 0', () => {
  expect([1, 2, 12, 96, 2 ** 31, 0].map(roundness)).toEqual([0, 1, 2, 5, 31, 32])
})
