import { testRule } from '../testing/rule-cases.ts'
import { noFloatInFixed } from './no-float-in-fixed.ts'

const head =
  'import { defineGame, fixed, i16, single, table } from "samestep"; const state = { units: table(9, { x: fixed, y: fixed.default(0), hp: i16 }), goal: single({ at: fixed, wave: i16 }) };'

const fraction = (code: string, output: string, count = 1) => ({
  code: `${head} ${code}`,
  output: `${head} ${output}`,
  errors: Array.from({ length: count }, () => 'fraction'),
})

const scale = (code: string, text: string, output: string) => ({
  code: `${head} ${code}`,
  errors: [
    {
      messageId: 'scale',
      suggestions: [{ messageId: 'useMethod', data: { text }, output: `${head} ${output}` }],
    },
  ],
})

testRule('no-float-in-fixed', noFloatInFixed, {
  valid: [
    ...[
      'function step({ state }) { state.units.x[0] = fixed.from(1.5) }',
      'function step({ state }) { state.units.x[0] = 98304; state.units.x[0] += 2_000 }',
      'function step({ state }) { state.units.hp[0] = 1.5; state.goal.wave = 0.5 }',
      'function step({ state }) { state.units.x[0] = fixed.mul(state.units.x[0], fixed.from(0.5)) }',
      'function step({ state }) { state.units.x[0] = other(1.5) }',
      'function draw({ sprites }) { sprites.x[0] = 1.5 }',
      'function draw({ state }) { state.sprites.x[0] = 1.5 }',
      'function draw(a) { a.b.units.x[0] = 1.5 }',
      'const units = makeSprites(); units.x[0] = 1.5',
      'function step({ state }) { const { hp } = state.units; hp[0] = 1.5 }',
      'function step({ state }) { state.units.add({ hp: 0.5, x: fixed.from(0.5) }) }',
      'const half = 0.5',
      'function step({ state }) { if (state.units.x[0] > 5) go(0.5) }',
    ].map((code) => `${head} ${code}`),
    'function step({ state }) { state.units.x[0] = 1.5 }',
    'import { table, f32 } from "samestep"; const state = { units: table(9, { x: f32 }) }; function step({ state }) { state.units.x[0] = 1.5 }',
    'import { table } from "./ui.js"; const fixed = 1; const state = { units: table(9, { x: fixed }) }; function step({ state }) { state.units.x[0] = 1.5 }',
  ],
  invalid: [
    fraction(
      'function step({ state }) { state.units.x[0] = 1.5 }',
      'function step({ state }) { state.units.x[0] = fixed.from(1.5) }',
    ),
    fraction(
      'function step({ state }) { state.units.y[row] += -0.25 }',
      'function step({ state }) { state.units.y[row] += fixed.from(-0.25) }',
    ),
    fraction(
      'function step(context) { context.state.units.x[0] -= 1.0 }',
      'function step(context) { context.state.units.x[0] -= fixed.from(1.0) }',
    ),
    fraction(
      'function step({ state }) { state["units"].x[0] = far ? 1.5 : 0 }',
      'function step({ state }) { state["units"].x[0] = far ? fixed.from(1.5) : 0 }',
    ),
    fraction(
      'function step({ state }) { state.units.x[0] = dx + 1e-3 }',
      'function step({ state }) { state.units.x[0] = dx + fixed.from(1e-3) }',
    ),
    fraction(
      'function step({ state }) { const at = state.units.x[0] + 0.5 }',
      'function step({ state }) { const at = state.units.x[0] + fixed.from(0.5) }',
    ),
    fraction(
      'function step({ state }) { state.units.x[0] = state.units.x[1] + 0.5 }',
      'function step({ state }) { state.units.x[0] = state.units.x[1] + fixed.from(0.5) }',
    ),
    fraction(
      'function step({ state }) { if (0.5 < state.units.x[0]) go() }',
      'function step({ state }) { if (fixed.from(0.5) < state.units.x[0]) go() }',
    ),
    fraction(
      'function step({ state: { units } }) { units.x[0] = 0.5 }',
      'function step({ state: { units } }) { units.x[0] = fixed.from(0.5) }',
    ),
    fraction(
      'function step({ state }) { const { units } = state; const { x, y: height } = units; x[0] = 0.5; height[0] = 0.5 }',
      'function step({ state }) { const { units } = state; const { x, y: height } = units; x[0] = fixed.from(0.5); height[0] = fixed.from(0.5) }',
      2,
    ),
    fraction(
      'function move(units) { units.x[0] = 0.5 }',
      'function move(units) { units.x[0] = fixed.from(0.5) }',
    ),
    fraction(
      'function move(now) { now.units.x[0] = 0.5 }',
      'function move(now) { now.units.x[0] = fixed.from(0.5) }',
    ),
    fraction(
      'function step({ state }) { state.goal.at = 0.5 }',
      'function step({ state }) { state.goal.at = fixed.from(0.5) }',
    ),
    fraction(
      'function setup({ state }) { state.units.add({ x: 0.5, hp: 0.5 }) }',
      'function setup({ state }) { state.units.add({ x: fixed.from(0.5), hp: 0.5 }) }',
    ),
    fraction('const speed = fixed.default(0.5)', 'const speed = fixed.default(fixed.from(0.5))'),
    scale(
      'function step({ state }) { state.units.x[0] *= 0.5 }',
      'state.units.x[0] = fixed.mul(state.units.x[0], fixed.from(0.5))',
      'function step({ state }) { state.units.x[0] = fixed.mul(state.units.x[0], fixed.from(0.5)) }',
    ),
    scale(
      'function step({ state }) { use(0.5 * state.units.x[0]) }',
      'fixed.mul(fixed.from(0.5), state.units.x[0])',
      'function step({ state }) { use(fixed.mul(fixed.from(0.5), state.units.x[0])) }',
    ),
    scale(
      'function step({ state }) { use(state.units.x[0] / 1.5) }',
      'fixed.div(state.units.x[0], fixed.from(1.5))',
      'function step({ state }) { use(fixed.div(state.units.x[0], fixed.from(1.5))) }',
    ),
    // Too large for fixed.from, so there is nothing right to write.
    {
      code: `${head} function step({ state }) { state.units.x[0] = 40000.5 }`,
      errors: ['fraction'],
    },
    {
      code: 'import { fixed as q, table as rows } from "samestep"; const fields = { x: q.since(2) }; const army = rows(9, fields); const state = { units: army }; function step({ state }) { state.units.x[0] = 0.5 }',
      output:
        'import { fixed as q, table as rows } from "samestep"; const fields = { x: q.since(2) }; const army = rows(9, fields); const state = { units: army }; function step({ state }) { state.units.x[0] = q.from(0.5) }',
      errors: ['fraction'],
    },
    {
      code: 'import * as ss from "samestep"; ss.defineGame({ state: { units: ss.table(9, { x: ss.fixed }) }, step({ state }) { state.units.x[0] = 0.5 } })',
      output:
        'import { fixed } from \'samestep\'\nimport * as ss from "samestep"; ss.defineGame({ state: { units: ss.table(9, { x: ss.fixed }) }, step({ state }) { state.units.x[0] = fixed.from(0.5) } })',
      errors: ['fraction'],
    },
  ],
  typescript: {
    valid: [],
    invalid: [
      fraction(
        'function step({ state }: Tick): void { state.units.x[row]! += 0.5 as number }',
        'function step({ state }: Tick): void { state.units.x[row]! += fixed.from(0.5) as number }',
      ),
      fraction(
        'function move(units: Table): void { const x = units.x as Int32Array; x[0] = 0.5 }',
        'function move(units: Table): void { const x = units.x as Int32Array; x[0] = fixed.from(0.5) }',
      ),
    ],
  },
})
