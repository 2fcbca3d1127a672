import { expect, test } from 'vitest'
import { defineGame } from '../../sim/game/definition/define-game.ts'
import { bool, single, u16 } from '../testing/kit.ts'
import { playLocal } from './play-local.ts'

/** Counts the ticks in which the button is held. */
const stepper = defineGame({
  id: 'stepper',
  version: 1,
  tickRate: 20,
  seats: { min: 1, max: 1 },
  state: { all: single({ held: u16 }) },
  input: { right: bool },
  orders: {},
  setup() {},
  step({ state, inputs }) {
    if (inputs[0]?.right) state.all.held += 1
  },
})

const pictureMs = 1_000 / 60

/** Draws at 60 pictures per second, and gives where each of them is, in ticks. */
function draw(match: ReturnType<typeof playStepper>, fromMs: number, ms: number): number[] {
  const shown: number[] = []
  for (let now = fromMs; now < fromMs + ms; now += pictureMs) {
    const { tick, alpha } = match.advance(now)
    shown.push(tick + alpha)
  }
  return shown
}

function playStepper() {
  return playLocal(stepper, { seed: 1 })
}

test.each([25, 50, 100, 200, 400])(
  'at %i percent of the speed every picture moves on, evenly',
  (percent) => {
    const match = playStepper()
    draw(match, 0, 1_000)
    match.act({ type: 'set-speed', percent })
    // The speed changes at a tick, and the pace of the pictures with it.
    draw(match, 1_000, 1_000)
    const shown = draw(match, 2_000, 4_000)
    const steps = shown.slice(1).map((at, index) => at - shown[index]!)
    const due = (pictureMs / 50) * (percent / 100)
    expect(Math.min(...steps)).toBeGreaterThan(due * 0.7)
    expect(Math.max(...steps)).toBeLessThan(due * 1.5)
    const played = shown.at(-1)! - shown[0]!
    expect(Math.abs(played - due * steps.length)).toBeLessThan(1)
  },
)

test('while the speed changes, no picture goes back, and hardly one stands still', () => {
  const match = playStepper()
  draw(match, 0, 1_000)
  let from = 1_000
  for (const percent of [50, 200, 100, 200, 50, 100]) {
    match.act({ type: 'set-speed', percent })
    const shown = draw(match, from, 1_500)
    from += 1_500
    const steps = shown.slice(1).map((at, index) => at - shown[index]!)
    expect(Math.min(...steps)).toBeGreaterThanOrEqual(0)
    // Whoever speeds up may wait once for a tick that was timed by the old speed.
    expect(steps.filter((step) => step === 0).length).toBeLessThanOrEqual(3)
  }
})

test.each([50, 100, 200])(
  'at %i percent of the speed no input is too late for its tick',
  (percent) => {
    const match = playStepper()
    draw(match, 0, 500)
    match.act({ type: 'set-speed', percent })
    draw(match, 500, 500)
    match.input({ right: true })
    const before = match.simulation.tick
    draw(match, 1_000, 4_000)
    expect(match.simulation.state.all.held).toBe(match.simulation.tick - before)
  },
)

test('a pause stops the game and not its pictures, and it goes on from there', () => {
  const match = playStepper()
  match.input({ right: true })
  draw(match, 0, 1_000)
  match.act({ type: 'pause' })
  draw(match, 1_000, 200)
  const { held } = match.simulation.state.all
  draw(match, 1_200, 1_000)
  expect(match.simulation.state.all.held).toBe(held)
  match.act({ type: 'resume' })
  draw(match, 2_200, 1_000)
  expect(match.simulation.state.all.held).toBeGreaterThan(held + 15)
})

test('a game too heavy for its machine becomes slower, and nothing is left behind', () => {
  const match = playStepper()
  // Ten pictures in 30 seconds: far more ticks are due than are worth making up.
  for (let now = 0; now <= 30_000; now += 3_000) match.advance(now)
  expect(match.cursors.simulatedTick).toBeGreaterThan(30)
  expect(match.cursors.simulatedTick).toBeLessThanOrEqual(40)
  expect(match.cursors.sealedTick).toBe(match.cursors.simulatedTick)
})
