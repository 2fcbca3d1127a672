import { testRule } from '../testing/rule-cases.ts'
import { noInexactMath } from './no-inexact-math.ts'

const bring = "import { dmath } from 'samestep'\n"
const power = (text: string, output: string) => ({
  messageId: 'power',
  suggestions: [{ messageId: 'usePow', data: { text }, output }],
})

testRule('no-inexact-math', noInexactMath, {
  valid: [
    'Math.sqrt(x) + Math.fround(x) + Math.imul(a, b) + Math.clz32(a)',
    'Math.floor(x) + Math.ceil(x) + Math.trunc(x) + Math.round(x)',
    'Math.abs(x) + Math.min(a, b) + Math.max(a, b) + Math.sign(x)',
    'Math.PI * Math.E * Math.SQRT2',
    'Math.random()',
    'dmath.sin(x)',
    'fixed.sin(x)',
    'function f(Math) { return Math.sin(1) }',
    'import { Math } from "./math.js"; Math.sin(1)',
    '2 ** 32',
    '2 ** -16',
    'const bits = 12; const range = 2 ** bits',
    '2n ** 64n',
    'x ** 2n',
    'const { floor, PI } = Math; floor(PI)',
    'calc(Math)',
  ],
  invalid: [
    {
      code: 'Math.sin(x)',
      output: `${bring}dmath.sin(x)`,
      errors: [{ messageId: 'inexact', data: { name: 'sin' } }],
    },
    {
      code: '"use strict"\nMath.cos(x)',
      output: `"use strict"\n${bring}dmath.cos(x)`,
      errors: ['inexact'],
    },
    {
      code: 'import { dmath } from "samestep"\nMath.atan2(y, x) + Math.hypot(x, y)',
      output: 'import { dmath } from "samestep"\ndmath.atan2(y, x) + dmath.hypot(x, y)',
      errors: ['inexact', 'inexact'],
    },
    {
      code: 'import { dmath as exact } from "samestep"; Math.exp(x)',
      output: 'import { dmath as exact } from "samestep"; exact.exp(x)',
      errors: ['inexact'],
    },
    {
      code: 'import { table } from "samestep"; Math.pow(x, y)',
      output: 'import { table, dmath } from "samestep"; dmath.pow(x, y)',
      errors: ['inexact'],
    },
    {
      code: 'import * as samestep from "samestep"\nMath.log(x)',
      output: `${bring}import * as samestep from "samestep"\ndmath.log(x)`,
      errors: ['inexact'],
    },
    // The name is taken, so there is nothing to write that would be right.
    { code: 'function f(dmath) { return Math.tan(1) }', errors: ['inexact'] },
    {
      code: 'import { dmath } from "samestep"; function f(dmath) { return Math.tan(1) }',
      errors: ['inexact'],
    },
    { code: 'Math.sin(1)', sourceType: 'commonjs', errors: ['inexact'] },
    {
      code: 'angles.map(Math.sin)',
      output: `${bring}angles.map(dmath.sin)`,
      errors: ['inexact'],
    },
    {
      code: 'globalThis.Math.cbrt(8)',
      output: `${bring}dmath.cbrt(8)`,
      errors: ['inexact'],
    },
    { code: 'Math["log10"](x)', output: `${bring}dmath.log10(x)`, errors: ['inexact'] },
    { code: 'const { sin, floor } = Math; sin(floor(x))', errors: ['inexact'] },
    {
      code: 'const m = Math; m.tanh(x)',
      output: `${bring}const m = Math; dmath.tanh(x)`,
      errors: ['inexact'],
    },
    { code: 'Math.asinh(x)', errors: ['formula'] },
    { code: 'Math.acosh(x) + Math.atanh(x)', errors: ['formula', 'formula'] },
    { code: 'Math.tangent(x)', errors: ['unknown'] },
    { code: 'Math[name](x)', errors: ['computed'] },
    { code: 'const y = x ** 2', output: 'const y = x * x', errors: ['power'] },
    { code: 'const y = a / x ** 2', output: 'const y = a / (x * x)', errors: ['power'] },
    { code: 'const y = a + x ** 2', output: 'const y = a + x * x', errors: ['power'] },
    {
      code: 'const y = (x ** 2).toFixed()',
      output: 'const y = ((x * x)).toFixed()',
      errors: ['power'],
    },
    {
      code: 'f(x ** 2, list[x ** 2])',
      output: 'f(x * x, list[x * x])',
      errors: ['power', 'power'],
    },
    { code: 'const big = 10 ** 3', output: 'const big = 1000', errors: ['power'] },
    { code: 'const big = 3 ** 0', output: 'const big = 1', errors: ['power'] },
    {
      code: 'const y = (a + b) ** 2',
      errors: [power('dmath.pow(a + b, 2)', `${bring}const y = dmath.pow(a + b, 2)`)],
    },
    {
      code: 'const y = f(x) ** 2',
      errors: [power('dmath.pow(f(x), 2)', `${bring}const y = dmath.pow(f(x), 2)`)],
    },
    {
      code: 'const y = 2 ** n',
      errors: [power('dmath.pow(2, n)', `${bring}const y = dmath.pow(2, n)`)],
    },
    {
      code: 'let n = 3; n = m; const y = 2 ** n',
      errors: [power('dmath.pow(2, n)', `${bring}let n = 3; n = m; const y = dmath.pow(2, n)`)],
    },
    {
      code: 'const y = 10 ** -3',
      errors: [power('dmath.pow(10, -3)', `${bring}const y = dmath.pow(10, -3)`)],
    },
    {
      code: 'const y = 2 ** 0.5',
      errors: [power('dmath.pow(2, 0.5)', `${bring}const y = dmath.pow(2, 0.5)`)],
    },
    {
      code: 'const y = 10 ** 20',
      errors: [power('dmath.pow(10, 20)', `${bring}const y = dmath.pow(10, 20)`)],
    },
    { code: 'x **= 2', output: 'x *= x', errors: ['power'] },
    { code: 'unit.x **= 2', output: 'unit.x *= unit.x', errors: ['power'] },
    { code: 'x **= y', errors: ['power'] },
    { code: 'next().x **= 2', errors: ['power'] },
  ],
  typescript: {
    valid: ['type Sine = typeof Math.sin'],
    invalid: [
      {
        code: 'import type { Match } from "samestep"\nMath.sin(x)',
        output: `${bring}import type { Match } from "samestep"\ndmath.sin(x)`,
        errors: ['inexact'],
      },
      { code: 'const y = x! ** 2', output: 'const y = x! * x!', errors: ['power'] },
    ],
  },
})
