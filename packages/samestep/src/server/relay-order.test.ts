import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { joinMatch } from '../driver/online/join-match.ts'
import { defineGame } from '../sim/game/definition/define-game.ts'
import { order } from '../sim/game/orders/order.ts'
import { relaySeat } from '../sim/game/run/bundle.ts'
import { bool, i32 } from '../sim/schema/index.ts'
import { single } from '../sim/state/single.ts'
import { until } from '../transport/testing/recorder.ts'
import { encodeRelayOrder } from './relay-order.ts'
import type { RelayServer } from './relay-server.ts'
import { startRelay } from './start-relay.ts'

const game = defineGame({
  id: 'weather',
  version: 1,
  seats: { min: 1, max: 2 },
  state: { sky: single({ isRaining: bool, by: i32 }) },
  orders: {
    pray: {},
    weather: order({ rain: bool }, { by: 'relay' }),
  },
  apply({ state, seat, order: issued }) {
    if (issued.type !== 'weather') return
    state.sky.isRaining = issued.data.rain
    state.sky.by = seat
  },
  step() {},
})

let relay: RelayServer | undefined

afterEach(async () => {
  await relay?.close()
  relay = undefined
})

describe('orders of the relay', () => {
  test('are sealed for everybody, as of nobody who plays', async () => {
    relay = await startRelay({ port: 0, webrtc: false, log: false })
    const match = await joinMatch(game, { url: relay.url, match: 'friday', name: 'Ada', seats: 1 })
    expect(await relay.order('monday', game, 'weather', { rain: true })).toBe(false)
    expect(await relay.order('friday', game, 'weather', { rain: true })).toBe(true)
    await until(() => {
      match.advance(performance.now())
      return match.simulation.state.sky.isRaining
    }, 'rain')
    expect(match.simulation.state.sky.by).toBe(relaySeat)
    expect(() => match.order('weather', { rain: false })).toThrowError(/only the relay may/)
    match.close()
  })

  test('reach the worker that has the match', { timeout: 30_000 }, async () => {
    // Workers run from the source here, as this test does.
    vi.stubEnv('NODE_OPTIONS', '--import tsx')
    onTestFinished(() => void vi.unstubAllEnvs())
    relay = await startRelay({ port: 0, webrtc: false, log: false, workers: 2 })
    const match = await joinMatch(game, { url: relay.url, match: 'friday', name: 'Ada', seats: 1 })
    expect(await relay.order('monday', game, 'weather', { rain: true })).toBe(false)
    expect(await relay.order('friday', game, 'weather', { rain: true })).toBe(true)
    await until(() => {
      match.advance(performance.now())
      return match.simulation.state.sky.isRaining
    }, 'rain')
    match.close()
  })

  test('are those that the game declares as such', async () => {
    expect(() => encodeRelayOrder(game, 'pray', {})).toThrowError(/by: 'relay'/)
    expect(() => encodeRelayOrder(game, 'snow', {})).toThrowError(/the orders are pray, weather/)
  })
})
