import { testRule } from '../testing/rule-cases.ts'
import { noModuleState } from './no-module-state.ts'

const inGame = [{ where: 'game' }]
const define = 'import { defineGame } from "samestep"; '

testRule('no-module-state', noModuleState, {
  valid: [
    'const speed = 3; function step() { return speed }',
    'let speed = 3; speed = 4; function step() { return speed }',
    'function step() { let count = 0; count += 1; const list = []; list.push(1) }',
    'function step({ state }) { state.units.x[0] = 1; state.score.wave += 1 }',
    // What runs while the module is loaded makes constants.
    'const sines = []; for (let i = 0; i < 9; i++) sines.push(i * i)',
    'const table = new Map(); table.set("a", 1); table.clear()',
    'const squares = []; (() => { squares.push(4) })()',
    'class Units { static all = 1; static { Units.all = 2 } }',
    // Scratch memory says so.
    'const scratchRows = new Int32Array(8); function step() { scratchRows[0] = 1 }',
    'const rowScratch = []; function step() { rowScratch.length = 0; rowScratch.push(1) }',
    {
      code: 'const memo = new Map(); function f(x) { memo.set(x, 1) }',
      options: [{ allow: ['^memo'] }],
    },
    // Reading is fine.
    'const names = ["a"]; function step() { return names.map(f).sort(g) }',
    'const costs = new Map(); function step() { return costs.get(1).size }',
    'const state = 1; function step({ state }) { state.x = 2 }',
    'const start = { x: 1 }; function step() { let { x } = start; x += 1; return x }',
    'const names = ["a"]; function step() { let other = names; other = []; return other }',
    'import { units } from "./units.js"; function step() { units.add({}) }',
    'const game = createGame(); function step() { game.add(1) }',
    'function f(globalThis) { globalThis.x = 1 }',
    'function f(on, list) { const one = on ? undefined : list[0]; one.tags = 1 }',
    {
      code: `${define}let frames = 0; function paint() { frames++ } defineGame({ step() {} })`,
      options: inGame,
    },
    {
      code: `${define}const speed = 3; let shown = 0; function paint() { shown = speed } defineGame({ step() { use(speed) } })`,
      options: inGame,
    },
  ],
  invalid: [
    {
      code: 'let count = 0; function step() { count += 1 }',
      errors: [{ messageId: 'changed', data: { name: 'count' }, column: 34 }],
    },
    { code: 'let count = 0; const step = () => count++', errors: ['changed'] },
    { code: 'export let wave; export function step() { wave = 1 }', errors: ['changed'] },
    { code: 'let a, b; function step() { [a, { b }] = pair }', errors: ['changed', 'changed'] },
    {
      code: 'const list = []; function step() { list.push(1); list.length = 0 }',
      errors: ['changed', 'changed'],
    },
    { code: 'const list = []; function step() { list[0] = 1 }', errors: ['changed'] },
    {
      code: 'const list = []; function step() { [list[0], list[1]] = [list[1], list[0]] }',
      errors: ['changed', 'changed'],
    },
    { code: 'const list = [3, 1]; function step() { list.sort(f) }', errors: ['changed'] },
    {
      code: 'const cells = new Uint8Array(9); function step() { cells.fill(0) }',
      errors: ['changed'],
    },
    {
      code: 'const cells = Uint8Array.of(9); function step() { cells.subarray(1).fill(0) }',
      errors: ['changed'],
    },
    { code: 'const seen = new Set(); function step() { seen.add(1) }', errors: ['changed'] },
    {
      code: 'const cache = new Map(); function step() { cache.get(1).list.push(2) }',
      errors: ['changed'],
    },
    {
      code: 'const world = new World(); function step() { world.cells[3] = 1 }',
      errors: ['changed'],
    },
    {
      code: 'const c = { a: { n: 0 } }; function step() { c.a.n++; delete c.a }',
      errors: ['changed', 'changed'],
    },
    { code: 'const c = {}; function step() { Object.assign(c, { a: 1 }) }', errors: ['changed'] },
    {
      code: 'const c = { list: [] }; function step() { const { list } = c; list.push(1) }',
      errors: ['changed'],
    },
    {
      code: 'const c = { list: [] }; function step() { const own = c.list; own[0] = 1 }',
      errors: ['changed'],
    },
    {
      code: 'const all = [{ hp: 1 }]; function step() { for (const one of all) one.hp = 0 }',
      errors: ['changed'],
    },
    { code: 'const c = {}; function step() { for (c.x of list) use() }', errors: ['changed'] },
    { code: 'class Units { static count = 0; add() { Units.count += 1 } }', errors: ['changed'] },
    { code: 'function roll() { roll.last = 1 }', errors: ['changed'] },
    {
      code: 'import { config } from "./config.js"; function step() { config.speed = 2 }',
      errors: ['changed'],
    },
    {
      code: 'function step() { globalThis.wave = 1 }',
      errors: [{ messageId: 'global', data: { name: 'wave' } }],
    },
    { code: 'function step() { window.wave++ }', errors: ['global'] },
    {
      code: 'function* f() { let x; yield x } let n = 0; (function* () { n++ })()',
      errors: ['changed'],
    },
    {
      code: 'const memo = new Map(); function f(x) { memo.set(x, 1) }',
      options: [{ allow: ['^cache'] }],
      errors: ['changed'],
    },
    {
      code: `${define}let count = 0; function count2() { count++ } defineGame({ step() { count2() } })`,
      options: inGame,
      errors: ['changed'],
    },
    {
      code: `${define}let fast = false; button.onclick = () => { fast = true }; defineGame({ step() { if (fast) go() } })`,
      options: inGame,
      errors: [{ messageId: 'read', data: { name: 'fast' } }],
    },
    {
      code: `${define}const keys = new Set(); addEventListener("keydown", (e) => keys.add(e.key)); defineGame({ step() { if (keys.has("w")) go() } })`,
      options: inGame,
      errors: ['read'],
    },
  ],
  typescript: {
    valid: [
      'enum Kind { a } function f(): Kind { return Kind.a }',
      'type A = number; interface B { x: A }',
    ],
    invalid: [
      {
        code: 'const c = {} as Cache; function f() { (c as any).x = 1; c.y! += 1 }',
        errors: ['changed', 'changed'],
      },
    ],
  },
})
