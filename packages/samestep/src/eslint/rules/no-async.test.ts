import { testRule } from '../testing/rule-cases.ts'
import { noAsync } from './no-async.ts'

const dropped = (output: string) => ({
  messageId: 'asyncFunction',
  suggestions: [{ messageId: 'dropAsync', output }],
})

testRule('no-async', noAsync, {
  valid: [
    'function step({ state, tick }) { if (tick === state.round.endsAt) end(state) }',
    'function* leaves() { yield 1 }',
    'function f(setTimeout) { setTimeout(() => {}, 10) }',
    'const Promise = {}; Promise.x',
    'unit.then()',
    'const rule = { then: 1, async: true }',
    'import { order } from "./orders.js"',
  ],
  invalid: [
    { code: 'async function step() {}', errors: [dropped('function step() {}')] },
    { code: 'const f = async () => 1', errors: [dropped('const f = () => 1')] },
    { code: 'defineGame({ async step() {} })', errors: [dropped('defineGame({ step() {} })')] },
    { code: 'class A { static async go() {} }', errors: [dropped('class A { static go() {} }')] },
    { code: 'async function step() { await load() }', errors: ['asyncFunction'] },
    { code: 'async function step() { for await (const x of y) {} }', errors: ['asyncFunction'] },
    {
      code: 'async function f() { function g() { async () => { await 1 } } }',
      errors: [
        dropped('function f() { function g() { async () => { await 1 } } }'),
        'asyncFunction',
      ],
    },
    { code: 'await load()', errors: ['awaitExpression'] },
    { code: 'for await (const x of y) {}', errors: ['awaitExpression'] },
    {
      code: 'Promise.resolve(1).then(done)',
      errors: [
        {
          messageId: 'later',
          data: { name: 'Promise', instead: 'a tick is over when its functions return' },
        },
      ],
    },
    { code: 'new Promise(() => {})', errors: ['later'] },
    { code: 'load().then(done)', errors: ['chain'] },
    { code: 'load()?.then(done, failed)', errors: ['chain'] },
    { code: 'const module = import("./x.js")', errors: ['importCall'] },
    { code: 'setTimeout(end, 100); setInterval(end, 1)', errors: ['later', 'later'] },
    { code: 'globalThis.setTimeout(end)', errors: ['later'] },
    { code: 'const wait = setTimeout; wait(end)', errors: ['later'] },
    { code: 'queueMicrotask(end); requestAnimationFrame(end)', errors: ['later', 'later'] },
    { code: 'process.nextTick(end)', errors: ['later'] },
    { code: 'import { setTimeout } from "node:timers"; setTimeout(end)', errors: ['later'] },
    { code: 'import { setTimeout as wait } from "timers/promises"; wait(1)', errors: ['later'] },
    { code: 'import * as timers from "timers/promises"; timers.setTimeout(1)', errors: ['later'] },
    { code: 'new Worker("x.js")', errors: ['later'] },
  ],
  typescript: {
    valid: ['type Later = Promise<number>', 'function f(value: Promise<void>): void {}'],
    invalid: [
      {
        code: 'const f = async <T,>(x: T): Promise<T> => x',
        errors: [dropped('const f = <T,>(x: T): Promise<T> => x')],
      },
    ],
  },
})
