import {
  bool,
  defineGame,
  dmath,
  f64,
  list,
  map,
  oneOf,
  optional,
  plain,
  range,
  seat,
  set,
  struct,
  u16,
} from 'samestep'

/**
 * Tag: a small arcade game of held controls on plain objects. It computes in doubles, with `dmath`
 * where `Math` would give other bits in other browsers.
 */

const size = 100
const pace = 0.8
const reach = 3

const runner = struct({ x: f64, y: f64, heading: f64, dashTicks: range(0, 10), tags: u16 })

export const tag = defineGame({
  id: 'tag',
  version: 1,
  tickRate: 60,
  seats: { min: 2, max: 8 },
  state: {
    field: plain(
      struct({
        runners: list(runner, 8),
        it: optional(seat),
        safe: map(seat, u16, 8),
        everTagged: set(seat, 8),
        phase: oneOf(['waiting', 'playing']),
      }),
    ),
  },
  input: {
    turn: range(-1, 1).default(0),
    forward: bool,
    dash: bool.oneShot(),
  },

  setup({ state, seats, random }) {
    const { field } = state
    for (let index = 0; index < seats; index++) {
      const x = random.below(size)
      const y = random.below(size)
      field.runners.push({ x, y, heading: 0, dashTicks: 0, tags: 0 })
    }
    field.it = random.below(seats)
    field.phase = 'playing'
  },

  step({ state, inputs }) {
    const { field } = state
    for (const [index, runner] of field.runners.entries()) {
      const input = inputs[index]
      if (input === undefined) continue
      runner.heading += input.turn * 0.1
      if (input.dash && runner.dashTicks === 0) runner.dashTicks = 10
      const speed = runner.dashTicks > 5 ? pace * 3 : input.forward ? pace : 0
      if (runner.dashTicks > 0) runner.dashTicks -= 1
      runner.x = bounded(runner.x + dmath.cos(runner.heading) * speed)
      runner.y = bounded(runner.y + dmath.sin(runner.heading) * speed)
    }
    for (const [index, ticks] of field.safe) {
      if (ticks > 1) field.safe.set(index, ticks - 1)
      else field.safe.delete(index)
    }
    passOn(field)
  },
})

type Runner = { x: number; y: number; tags: number }

type Field = {
  runners: Runner[]
  it: number | undefined
  safe: Map<number, number>
  everTagged: Set<number>
}

/** Whoever is it touches the first one in reach that is not safe. */
function passOn(field: Field): void {
  const it = field.it === undefined ? undefined : field.runners[field.it]
  if (it === undefined || field.it === undefined) return
  for (const [index, runner] of field.runners.entries()) {
    if (index === field.it || field.safe.has(index)) continue
    if (dmath.hypot(runner.x - it.x, runner.y - it.y) > reach) continue
    it.tags += 1
    field.safe.set(field.it, 120)
    field.everTagged.add(index)
    field.it = index
    return
  }
}

function bounded(value: number): number {
  return value < 0 ? 0 : value > size ? size : value
}
