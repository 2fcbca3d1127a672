import { testRule } from '../testing/rule-cases.ts'
import { noForIn } from './no-for-in.ts'

const suggestion = (object: string, output: string) => ({
  messageId: 'forIn',
  suggestions: [{ messageId: 'sorted', data: { object }, output }],
})

testRule('no-for-in', noForIn, {
  valid: [
    'for (const row of state.units) use(row)',
    'for (const [key, value] of map) use(key, value)',
    'for (let index = 0; index < list.length; index++) use(index)',
    '"x" in point',
    {
      code: 'import { defineGame } from "samestep"; defineGame({ step() {} }); for (const key in page) show(key)',
      options: [{ where: 'game' }],
    },
  ],
  invalid: [
    {
      code: 'for (const key in units) use(key)',
      errors: [suggestion('units', 'for (const key of Object.keys(units).sort()) use(key)')],
    },
    {
      code: 'let key; for (key in a.b) {}',
      errors: [suggestion('a.b', 'let key; for (key of Object.keys(a.b).sort()) {}')],
    },
  ],
  typescript: {
    valid: [],
    invalid: [
      {
        code: 'for (const key in units as Units) {}',
        errors: [
          suggestion('units as Units', 'for (const key of Object.keys(units as Units).sort()) {}'),
        ],
      },
    ],
  },
})
