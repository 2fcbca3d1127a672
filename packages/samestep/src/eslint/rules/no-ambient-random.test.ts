import { testRule } from '../testing/rule-cases.ts'
import { noAmbientRandom } from './no-ambient-random.ts'

const inGame = [{ where: 'game' }]

testRule('no-ambient-random', noAmbientRandom, {
  valid: [
    'function step({ random }) { return random.below(6) }',
    'function step(Math) { return Math.random() }',
    'const Math = { random: () => 4 }; Math.random()',
    'function roll(random) { return random() }',
    'function f(crypto) { crypto.getRandomValues(bytes) }',
    'import { random } from "./dice.js"; random()',
    'const { random } = dice; random()',
    'Math.floor(2.5)',
    'const text = "Math.random()"',
    'other.Math.random()',
    // A name that stands for a part of itself.
    'let node = window; while (node) node = node.next ?? node.parent.first',
    'crypto.createHash("sha256")',
    { code: 'document.title = Math.random()', options: inGame },
    {
      code: 'import { defineGame } from "samestep"; defineGame({ step() {} }); Math.random()',
      options: inGame,
    },
    {
      code: 'function defineGame() {} defineGame({ step() { Math.random() } })',
      options: inGame,
    },
  ],
  invalid: [
    {
      code: 'Math.random()',
      errors: [
        {
          messageId: 'ambient',
          data: { name: 'Math.random' },
          line: 1,
          column: 1,
          endColumn: 12,
        },
      ],
    },
    { code: 'Math["random"]()', errors: ['ambient'] },
    { code: 'Math[`random`]()', errors: ['ambient'] },
    { code: 'const name = "random"; Math[name]()', errors: ['ambient'] },
    { code: 'Math?.random?.()', errors: ['ambient'] },
    { code: '(0, Math.random)()', errors: ['ambient'] },
    { code: 'globalThis.Math.random()', errors: ['ambient'] },
    { code: 'globalThis["Math"].random()', errors: ['ambient'] },
    { code: 'window.self.Math.random()', errors: ['ambient'] },
    { code: 'const { random } = Math; random(); random()', errors: ['ambient'] },
    { code: 'const { random: roll = 1 } = Math; roll()', errors: ['ambient'] },
    { code: 'const { Math: { random } } = globalThis; random()', errors: ['ambient'] },
    { code: 'const m = Math; m.random()', errors: [{ messageId: 'ambient', column: 17 }] },
    { code: 'const m = Math, n = m; n.random()', errors: ['ambient'] },
    { code: 'const { ...rest } = Math; rest.random()', errors: ['ambient'] },
    { code: 'let m; m = Math; m.random()', errors: ['ambient'] },
    { code: 'let m; ({ random: m } = Math); m()', errors: ['ambient'] },
    { code: 'function f(m = Math) { return m.random() }', errors: ['ambient'] },
    { code: 'function f({ random } = Math) { return random() }', errors: ['ambient'] },
    { code: 'const m = seeded ?? Math; m.random()', errors: ['ambient'] },
    { code: 'const m = test ? Math : other; m.random()', errors: ['ambient'] },
    { code: 'const roll = Math.random.bind(Math); roll()', errors: ['ambient'] },
    { code: 'list.map(Math.random)', errors: ['ambient'] },
    { code: 'const dice = { roll: Math.random }', errors: ['ambient'] },
    { code: 'a = b; b = a; const a2 = Math; const b2 = a2; b2.random()', errors: ['ambient'] },
    { code: 'crypto.getRandomValues(bytes)', errors: ['ambient'] },
    { code: 'const id = crypto.randomUUID()', errors: ['ambient'] },
    { code: 'import { randomUUID as id } from "node:crypto"; id()', errors: ['ambient'] },
    { code: 'import { webcrypto } from "crypto"; webcrypto.randomUUID()', errors: ['ambient'] },
    { code: 'import crypto from "crypto"; crypto.randomInt(6)', errors: ['ambient'] },
    { code: 'import * as secure from "node:crypto"; secure.randomBytes(4)', errors: ['ambient'] },
    {
      code: 'const { randomInt } = require("crypto"); randomInt(6)',
      sourceType: 'commonjs',
      errors: ['ambient'],
    },
    {
      code: 'function step({ random }) { return Math.floor(Math.random() * sides) }',
      errors: [
        {
          messageId: 'ambient',
          suggestions: [
            {
              messageId: 'drawBelow',
              data: { limit: 'sides' },
              output: 'function step({ random }) { return random.below(sides) }',
            },
          ],
        },
      ],
    },
    {
      code: 'import { defineGame } from "samestep"; defineGame({ step() { Math.random() } })',
      options: inGame,
      errors: ['ambient'],
    },
    {
      code: 'import { randomInt } from "crypto"; import { defineGame } from "samestep"; defineGame({ step() { randomInt(6) } })',
      options: inGame,
      errors: ['ambient'],
    },
  ],
  typescript: {
    valid: ['type Roll = typeof Math.random', 'declare const m: Math; m.random()'],
    invalid: [
      { code: '(Math as any).random()', errors: ['ambient'] },
      { code: '(Math satisfies Math)!.random()', errors: ['ambient'] },
      { code: '(globalThis as any).Math.random()', errors: ['ambient'] },
      { code: 'const m: Math = Math; m.random()', errors: ['ambient'] },
      { code: 'enum Side { left } const x: number = Math.random()', errors: ['ambient'] },
    ],
  },
})
