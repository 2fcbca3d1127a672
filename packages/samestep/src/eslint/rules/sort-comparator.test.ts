import { testRule } from '../testing/rule-cases.ts'
import { sortComparator } from './sort-comparator.ts'

const byNumber = '(a, b) => a - b'
const byText = '(a, b) => (a < b ? -1 : a > b ? 1 : 0)'

/** A missing comparator, with both offers, where `$` stands for what is filled in. */
const missing = (template: string) => ({
  messageId: 'missing',
  suggestions: [
    { messageId: 'asNumbers', output: template.replace('$', byNumber) },
    { messageId: 'asText', output: template.replace('$', byText) },
  ],
})

testRule('sort-comparator', sortComparator, {
  valid: [
    'list.sort((a, b) => a - b)',
    'list.sort((a, b) => b.hp - a.hp || a.id - b.id)',
    'list.toSorted(compare)',
    'import { compare } from "./compare.js"; list.sort(compare)',
    'list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))',
    'list.sort((a, b) => { if (a < b) return -1; if (a > b) return 1; return 0 })',
    // The end of the function is the answer 0.
    'list.sort((a, b) => { if (a < b) return -1; if (a > b) return 1 })',
    'list.sort((a, b) => { if (a === b) return 0; return a < b ? -1 : 1 })',
    'list.sort(function () { return arguments[0] - arguments[1] })',
    'list.sort((...pair) => pair[0] - pair[1])',
    'list.sort(({ hp: a }, { hp: b }) => a - b)',
    'list.sort((a, b) => compare(a, b))',
    'list.sort((a, b) => Math.sign(a - b))',
    'list.sort((a, b) => a.isAlive() || b.isAlive() ? order(a, b) : 0)',
    // Texts sort alike everywhere, typed arrays by value.
    'Object.keys(record).sort()',
    'Object.keys(record).filter(isShip).sort()',
    '["b", "a"].sort()',
    'text.split(",").sort()',
    'ids.map(String).sort()',
    'const names = ["b", `a`]; names.toSorted()',
    'const keys = Object.keys(a); [...keys].sort()',
    'new Int32Array(8).sort()',
    'Uint8Array.from(list).sort()',
    'const cells = new Float64Array(8); cells.subarray(0, 4).sort()',
    'sort(list)',
    'const byId = (a, b) => a.id - b.id; list.sort(byId)',
  ],
  invalid: [
    { code: 'list.sort()', errors: [missing('list.sort($)')] },
    { code: 'list.toSorted( )', errors: [missing('list.toSorted($)')] },
    { code: 'list?.sort()', errors: [missing('list?.sort($)')] },
    { code: 'list.sort(undefined)', errors: [missing('list.sort($)')] },
    { code: '[...map.keys()].sort()', errors: [missing('[...map.keys()].sort($)')] },
    { code: 'map.keys().toArray().sort()', errors: [missing('map.keys().toArray().sort($)')] },
    { code: '[10, 9, -1].sort()', output: `[10, 9, -1].sort(${byNumber})`, errors: ['missing'] },
    { code: '[].sort()', errors: [missing('[].sort($)')] },
    {
      code: 'list.sort((a, b) => a.hp > b.hp)',
      output: 'list.sort((a, b) => (a.hp < b.hp ? -1 : a.hp > b.hp ? 1 : 0))',
      errors: [{ messageId: 'boolean', column: 21 }],
    },
    {
      code: 'list.sort((a, b) => a < b)',
      output: 'list.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))',
      errors: ['boolean'],
    },
    {
      code: 'list.sort(function (a, b) { return b[0] > a[0] })',
      output: 'list.sort(function (a, b) { return b[0] < a[0] ? -1 : b[0] > a[0] ? 1 : 0 })',
      errors: ['boolean'],
    },
    { code: 'list.sort((a, b) => !(a - b))', errors: ['boolean'] },
    { code: 'list.sort((a, b) => f(a) > f(b))', errors: ['boolean'] },
    { code: 'list.sort((a, b) => a.x > b.x || a.y > b.y)', errors: ['boolean'] },
    {
      code: 'list.sort((a, b) => (a.hp > b.hp ? 1 : -1))',
      output: 'list.sort((a, b) => (a.hp < b.hp ? -1 : a.hp > b.hp ? 1 : 0))',
      errors: ['neverZero'],
    },
    {
      code: 'list.sort((a, b) => (a < b ? 1 : -1))',
      output: 'list.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))',
      errors: ['neverZero'],
    },
    {
      code: 'list.sort((a, b) => (a < b ? -1 : 1))',
      output: 'list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))',
      errors: ['neverZero'],
    },
    {
      code: 'list.sort((a, b) => { return a > b ? 1 : 0 })',
      output: 'list.sort((a, b) => { return a < b ? -1 : a > b ? 1 : 0 })',
      errors: ['neverNegative'],
    },
    {
      code: 'list.sort((a, b) => (a > b ? 0 : -1))',
      output: 'list.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))',
      errors: ['neverPositive'],
    },
    { code: 'list.sort((a, b) => { if (a > b) return 1; else return -1 })', errors: ['neverZero'] },
    { code: 'list.sort((a, b) => { if (a > b) return 1; return -1 })', errors: ['neverZero'] },
    { code: 'list.sort(() => 1)', errors: ['oneSided'] },
    { code: 'list.sort((a) => a.hp)', errors: ['oneSided'] },
    { code: 'list.sort((a, b) => a.x - a.y)', errors: ['oneSided'] },
    { code: 'list.sort((a, b) => { a - b })', errors: ['empty'] },
    { code: 'list.sort(() => Math.random() - 0.5)', errors: ['chance'] },
    { code: 'const { random } = Math; list.sort((a, b) => random() - 0.5)', errors: ['chance'] },
    {
      code: 'function step({ random }) { list.sort((a, b) => random.below(3) - 1) }',
      errors: ['chance'],
    },
    {
      code: 'const byHp = (a, b) => a.hp > b.hp; list.sort(byHp)',
      output: 'const byHp = (a, b) => (a.hp < b.hp ? -1 : a.hp > b.hp ? 1 : 0); list.sort(byHp)',
      errors: [{ messageId: 'boolean', column: 24 }],
    },
    {
      code: 'list.sort(byHp); function byHp(a, b) { return a.hp > b.hp ? 1 : -1 }',
      output:
        'list.sort(byHp); function byHp(a, b) { return a.hp < b.hp ? -1 : a.hp > b.hp ? 1 : 0 }',
      errors: ['neverZero'],
    },
  ],
  typescript: {
    valid: [
      'function f(names: string[]) { return names.sort() }',
      'function f(names: readonly string[]) { return names.toSorted() }',
      'const names: Array<string> = read(); names.sort()',
      'function f(cells: Uint16Array) { cells.sort() }',
    ],
    invalid: [
      {
        code: 'function f(ids: number[]) { ids.sort() }',
        errors: [missing('function f(ids: number[]) { ids.sort($) }')],
      },
      {
        code: 'list.sort((a: Unit, b: Unit) => (a.hp! > b.hp! ? 1 : -1) as number)',
        output:
          'list.sort((a: Unit, b: Unit) => (a.hp! < b.hp! ? -1 : a.hp! > b.hp! ? 1 : 0) as number)',
        errors: ['neverZero'],
      },
    ],
  },
})
