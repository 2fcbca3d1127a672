import { testRule } from '../testing/rule-cases.ts'
import { noObjectOrder } from './no-object-order.ts'

const sorted = (text: string, output: string) => ({
  messageId: 'order',
  suggestions: [{ messageId: 'sortKeys', data: { text }, output }],
})

testRule('no-object-order', noObjectOrder, {
  valid: [
    'for (const [id, unit] of map) use(id, unit)',
    'for (const id of set) use(id)',
    'map.keys()',
    'Object.keys(record).length',
    'Object.keys(record).includes("a")',
    'for (const key of Object.keys(record).sort()) use(key)',
    'Object.entries(record).sort(byKey)',
    'Object.values(record)?.toSorted(byId)',
    'function f(Object) { return Object.keys(1) }',
    // The order of these is written in the source.
    'Object.entries({ wood: 1, iron: 2 })',
    'const costs = { wood: 1, iron: 2 }; for (const name of Object.keys(costs)) use(costs[name])',
    'const costs = Object.freeze({ 7: 1, a: 2 }); Object.values(costs)',
    'JSON.stringify("text")',
    'JSON.stringify([1, { a: 2 }])',
    'JSON.parse(text)',
    'if (bad) throw new Error("Unknown " + JSON.stringify(order))',
    'Object.assign({}, a)',
    'structuredClone(record)',
    'map.delete(id)',
    'delete name',
  ].map((code) => (code === 'delete name' ? { code, sourceType: 'script' as const } : code)),
  invalid: [
    {
      code: 'for (const key of Object.keys(record)) use(key)',
      errors: [
        sorted('Object.keys(record)', 'for (const key of Object.keys(record).sort()) use(key)'),
      ],
    },
    { code: 'Object.values(record).map(f)', errors: ['order'] },
    { code: 'Object.entries(record).forEach(f)', errors: ['order'] },
    { code: 'Reflect.ownKeys(record)', errors: ['order'] },
    {
      code: 'Object.getOwnPropertyNames(record)',
      errors: [
        sorted('Object.getOwnPropertyNames(record)', 'Object.getOwnPropertyNames(record).sort()'),
      ],
    },
    { code: 'const { entries } = Object; entries(record)', errors: ['order'] },
    { code: 'list.flatMap(Object.values)', errors: ['order'] },
    { code: 'Object.values({ ...record })', errors: ['order'] },
    { code: 'Object.values({ [name]: 1 })', errors: ['order'] },
    { code: 'const byId = {}; byId[id] = unit; Object.values(byId)', errors: ['order'] },
    { code: 'const a = { x: 1 }; Object.assign(a, b); Object.values(a)', errors: ['order'] },
    {
      code: 'const a = { x: 1 }; delete a.x; Object.values(a)',
      errors: [
        'order',
        {
          messageId: 'deleted',
          suggestions: [
            {
              messageId: 'setUndefined',
              data: { text: 'a.x' },
              output: 'const a = { x: 1 }; a.x = undefined; Object.values(a)',
            },
          ],
        },
      ].reverse(),
    },
    { code: 'let a = { x: 1 }; a = other; Object.values(a)', errors: ['order'] },
    { code: 'hash(JSON.stringify(state))', errors: ['json'] },
    { code: 'list.map(JSON.stringify)', errors: ['json'] },
    { code: 'JSON.stringify([1, record])', errors: ['json'] },
    { code: 'if (delete units[id]) use()', errors: ['deleted'] },
  ],
  typescript: {
    valid: [
      'const costs = { wood: 1 } as const; Object.keys(costs)',
      'enum Kind { tank, plane } for (const kind of Object.values(Kind)) use(kind)',
    ],
    invalid: [
      {
        code: '(Object.keys(costs) as Kind[]).map(f)',
        errors: [sorted('Object.keys(costs)', '(Object.keys(costs).sort() as Kind[]).map(f)')],
      },
    ],
  },
})
