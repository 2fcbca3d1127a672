import { testRule } from '../testing/rule-cases.ts'
import { noLocale } from './no-locale.ts'

const threeWay = 'a.id < b.id ? -1 : a.id > b.id ? 1 : 0'

testRule('no-locale', noLocale, {
  valid: [
    'name.toLowerCase()',
    'String(count)',
    'a < b ? -1 : a > b ? 1 : 0',
    'function f(Intl) { return Intl.Collator }',
    'const Intl = {}; Intl.x',
    'new Date(0).getUTCHours()',
    'new Date(0).toISOString()',
    'clock.getHours()',
    'function f(navigator) { return navigator.language }',
    'const table = { toLocaleString: 1 }',
  ],
  invalid: [
    {
      code: 'name.toLocaleLowerCase()',
      output: 'name.toLowerCase()',
      errors: [{ messageId: 'method', column: 6, endColumn: 23 }],
    },
    { code: 'name?.toLocaleUpperCase()', output: 'name?.toUpperCase()', errors: ['method'] },
    { code: 'name.toLocaleUpperCase("tr")', errors: ['method'] },
    { code: 'names.map(name.toLocaleUpperCase)', errors: ['method'] },
    { code: 'name["toLocaleUpperCase"]()', errors: ['method'] },
    { code: '(1234.5).toLocaleString()', errors: ['method'] },
    { code: 'at.toLocaleDateString()', errors: ['method'] },
    { code: 'at.toLocaleTimeString("en")', errors: ['method'] },
    {
      code: 'list.sort((a, b) => a.id.localeCompare(b.id))',
      errors: [
        {
          messageId: 'method',
          suggestions: [
            {
              messageId: 'threeWay',
              data: { text: threeWay },
              output: `list.sort((a, b) => ${threeWay})`,
            },
          ],
        },
      ],
    },
    {
      code: 'const x = 1 + a.localeCompare(b)',
      errors: [
        {
          messageId: 'method',
          suggestions: [
            {
              messageId: 'threeWay',
              data: { text: 'a < b ? -1 : a > b ? 1 : 0' },
              output: 'const x = 1 + (a < b ? -1 : a > b ? 1 : 0)',
            },
          ],
        },
      ],
    },
    { code: 'name().localeCompare(other())', errors: ['method'] },
    {
      code: 'new Intl.NumberFormat().format(1)',
      errors: [{ messageId: 'intl', data: { name: 'Intl.NumberFormat' } }],
    },
    { code: 'const { Collator } = Intl; new Collator()', errors: ['intl'] },
    { code: 'format(Intl)', errors: ['intl'] },
    { code: 'globalThis.Intl.DateTimeFormat()', errors: ['intl'] },
    { code: 'navigator.language', errors: ['language'] },
    { code: 'const { languages } = navigator', errors: ['language'] },
    {
      code: 'new Date(0).getHours()',
      errors: [{ messageId: 'zone', data: { name: 'Date.getHours' } }],
    },
    {
      code: 'const at = new Date(0); at.getDay() + at.getTimezoneOffset()',
      errors: ['zone', 'zone'],
    },
    { code: 'const { Date: D } = globalThis; new D(0).toString()', errors: ['zone'] },
  ],
  typescript: {
    valid: ['type Format = Intl.NumberFormat'],
    invalid: [
      { code: 'name!.toLocaleLowerCase()', output: 'name!.toLowerCase()', errors: ['method'] },
    ],
  },
})
