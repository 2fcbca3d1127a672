import { expect, test } from 'vitest'
import { LoadMeter } from '../pacing/load-meter.ts'
import { TurnReports } from './turn-reports.ts'

const silent = { token: 0, echoStamp: 0, echoHeldMs: 65_535 }

test('REL-16 every round trip is counted by its size, and how much it differs from the one before', () => {
  const reports = new TurnReports()
  const load = new LoadMeter(30)
  const echo = (sentMs: number, rttMs: number, echoHeldMs = 5) => {
    const { stamp } = reports.take('active', load, sentMs)!
    const control = { ...silent, echoStamp: stamp, echoHeldMs }
    reports.noteControl(control as never, sentMs + rttMs + echoHeldMs)
  }
  echo(1_000, 40)
  echo(2_000, 45)
  // Over the wrap of the stamp.
  echo(65_500, 300)
  expect(reports.rttMs).toBe(300)
  expect(reports.roundTrips.view()).toMatchObject({ count: 3, sumMs: 385, maxMs: 300 })
  expect(reports.jitter.view()).toMatchObject({ count: 2, sumMs: 260, maxMs: 255 })
  // What says nothing about the line counts for nothing.
  reports.noteControl(silent as never, 70_000)
  expect(reports.roundTrips.view().count).toBe(3)
})
