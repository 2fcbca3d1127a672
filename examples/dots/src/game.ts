import { defineGame, fixed, range, seat, table, u8, u16, u32 } from 'samestep'

/** The arena, in units; nobody leaves it. */
export const world = { width: 160, height: 100 }

/** How far a pulse reaches, how many ticks its ring is seen, and how long the next one takes. */
export const pulse = { reach: 26, ringTicks: 18, chargeTicks: 45 }

/** Controls go from −this to this, so that a thumb can steer gently. */
export const fullTilt = 8

const right = fixed.fromInt(world.width)
const bottom = fixed.fromInt(world.height)
const margin = fixed.from(3.5)
const push = fixed.from(0.024)
const drag = fixed.from(0.9)
const kick = fixed.from(4)
const reach = fixed.fromInt(pulse.reach)
const catching = fixed.from(4)
const sparkCount = 10

export const dots = defineGame({
  id: 'dots',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 8 },
  state: {
    // One row per seat, in their sequence.
    dots: table(8, { x: fixed, y: fixed, vx: fixed, vy: fixed, score: u16, chargedAt: u32 }),
    sparks: table(sparkCount, { x: fixed, y: fixed }),
    pulses: table(8, { x: fixed, y: fixed, owner: seat, age: u8 }),
  },
  input: { dx: range(-fullTilt, fullTilt).default(0), dy: range(-fullTilt, fullTilt).default(0) },
  orders: { pulse: { x: fixed, y: fixed } },
  render: { dots: { x: 'lerp', y: 'lerp' } },

  setup({ state, seats, random }) {
    const anywhere = () => ({
      x: random.fixed(margin, right - margin),
      y: random.fixed(margin, bottom - margin),
    })
    for (let owner = 0; owner < seats; owner++) state.dots.add(anywhere())
    for (let spark = 0; spark < sparkCount; spark++) state.sparks.add(anywhere())
  },

  validate({ state, seat, tick, order: { data } }) {
    if (data.x < 0 || data.x > right || data.y < 0 || data.y > bottom) return 'Outside the arena'
    return tick >= state.dots.chargedAt[seat] || 'Still charging'
  },

  apply({ state: { dots, pulses }, seat: owner, tick, order: { data } }) {
    dots.chargedAt[owner] = tick + pulse.chargeTicks
    pulses.add({ x: data.x, y: data.y, owner })
    for (const row of dots) {
      const [dx, dy] = [dots.x[row] - data.x, dots.y[row] - data.y]
      const far = fixed.length(dx, dy)
      if (row === owner || far === 0 || far > reach) continue
      dots.vx[row] += fixed.div(fixed.mul(dx, kick), far)
      dots.vy[row] += fixed.div(fixed.mul(dy, kick), far)
    }
  },

  step({ state: { dots, sparks, pulses }, inputs, random }) {
    for (const row of pulses) {
      pulses.age[row] += 1
      if (pulses.age[row] > pulse.ringTicks) pulses.remove(row)
    }
    for (const row of dots) {
      dots.vx[row] = fixed.mul(dots.vx[row] + inputs[row].dx * push, drag)
      dots.vy[row] = fixed.mul(dots.vy[row] + inputs[row].dy * push, drag)
      dots.x[row] = fixed.clamp(dots.x[row] + dots.vx[row], margin, right - margin)
      dots.y[row] = fixed.clamp(dots.y[row] + dots.vy[row], margin, bottom - margin)
      for (const spark of sparks) {
        const { x, y } = sparks
        if (!fixed.isWithin(dots.x[row], dots.y[row], x[spark], y[spark], catching)) continue
        dots.score[row] += 1
        x[spark] = random.fixed(margin, right - margin)
        y[spark] = random.fixed(margin, bottom - margin)
      }
    }
  },
})
