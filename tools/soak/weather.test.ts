import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { isClear } from '../../packages/samestep/src/netem/conditions.ts'
import { Conditioner } from '../../packages/samestep/src/transport/conditioner/conditioner.ts'
import { Weather } from './weather.ts'

beforeEach(() => {
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

/** The conditions of five minutes, second by second. */
function forecast(seed: number): { readonly seen: readonly string[]; readonly weather: Weather } {
  const conditioner = new Conditioner()
  const weather = new Weather(conditioner, seed)
  weather.begin()
  const seen: string[] = []
  for (let second = 0; second < 300; second++) {
    vi.advanceTimersByTime(1_000)
    seen.push(JSON.stringify([conditioner.sending, weather.breaks]))
  }
  weather.clear()
  expect(isClear(conditioner.sending) && isClear(conditioner.receiving)).toBe(true)
  return { seen, weather }
}

test('one seed makes one weather', () => {
  expect(forecast(4).seen).toEqual(forecast(4).seen)
  expect(forecast(4).seen).not.toEqual(forecast(5).seen)
})

test('five minutes have everything: breaks, outages, and lines of every quality', () => {
  const { seen, weather } = forecast(6)
  expect(weather.breaks).toBeGreaterThan(5)
  expect(weather.outages).toBeGreaterThan(5)
  const lines = seen.map((text) => (JSON.parse(text) as [{ latencyMs: number }])[0].latencyMs)
  expect(new Set(lines).size).toBeGreaterThanOrEqual(5)
})

test('once cleared, it stays clear', () => {
  const conditioner = new Conditioner()
  const weather = new Weather(conditioner, 1)
  weather.begin()
  vi.advanceTimersByTime(60_000)
  weather.clear()
  vi.advanceTimersByTime(60_000)
  expect(isClear(conditioner.sending)).toBe(true)
})
