import { expect, test } from 'vitest'
import { LoadMeter, loadPercentMax } from './load-meter.ts'

test('a tick that takes its whole interval is a load of 100 percent', () => {
  const meter = new LoadMeter(50)
  for (let tick = 0; tick < 64; tick++) meter.noteTicks(1, 20)
  expect(meter.simPercent).toBe(100)
})

test('three outliers in 64 ticks do not count, four do: the load is the p95', () => {
  const meter = new LoadMeter(50)
  for (let tick = 0; tick < 61; tick++) meter.noteTicks(1, 5)
  for (let tick = 0; tick < 3; tick++) meter.noteTicks(1, 90)
  expect(meter.tickMs).toBe(5)
  meter.noteTicks(1, 90)
  expect(meter.tickMs).toBe(90)
  expect(meter.typicalTickMs).toBe(5)
})

test('ticks that ran in one go count with their mean', () => {
  const meter = new LoadMeter(50)
  meter.noteTicks(30, 120)
  expect(meter.tickMs).toBe(4)
})

test('a catch-up of hundreds of ticks in one call leaves room for what was before', () => {
  const meter = new LoadMeter(50)
  for (let tick = 0; tick < 64; tick++) meter.noteTicks(1, 10)
  meter.noteTicks(500, 500)
  expect(meter.typicalTickMs).toBe(10)
})

test('drawing counts with what five pictures per second take, not with what it happens to take', () => {
  const meter = new LoadMeter(50)
  for (let frame = 0; frame < 128; frame++) meter.noteDraw(10)
  expect(meter.drawPercent).toBe(5)
})

test('a report is due once per second and holds still in between', () => {
  const meter = new LoadMeter(50)
  meter.noteTicks(1, 10)
  meter.noteDraw(4)
  expect(meter.takeReport(0)).toBe(52)
  for (let tick = 0; tick < 64; tick++) meter.noteTicks(1, 16)
  expect(meter.takeReport(999)).toBeUndefined()
  expect(meter.loadPercent).toBe(52)
  expect(meter.takeReport(1_000)).toBe(82)
  expect(meter.loadPercent).toBe(82)
})

test('a hopeless machine reports the maximum', () => {
  const meter = new LoadMeter(50)
  meter.noteTicks(1, 60_000)
  meter.takeReport(0)
  expect(meter.loadPercent).toBe(loadPercentMax)
})

test('a clock that goes back makes no negative cost, and no ticks are no sample', () => {
  const meter = new LoadMeter(50)
  meter.noteTicks(1, -5)
  meter.noteDraw(-5)
  meter.noteTicks(0, 100)
  expect([meter.tickMs, meter.drawMs]).toEqual([0, 0])
})
