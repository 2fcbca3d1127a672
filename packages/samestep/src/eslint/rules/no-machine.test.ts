import { testRule } from '../testing/rule-cases.ts'
import { noMachine } from './no-machine.ts'

const inGame = [{ where: 'game' }]

testRule('no-machine', noMachine, {
  valid: [
    'state.screen.width',
    'function step({ location }) { return location.x }',
    'import { fetch } from "./cargo.js"; fetch()',
    'if (process.env.NODE_ENV !== "production") check()',
    'const copy = structuredClone(record)',
    'console.log(tick)',
    'import { strictEqual } from "node:assert"; strictEqual(1, 1)',
    // Other rules tell these.
    'navigator.language',
    'process.hrtime()',
    'process.nextTick(f)',
    'document.timeline.currentTime',
    { code: 'document.title = location.href', options: inGame },
  ],
  invalid: [
    {
      code: 'navigator.hardwareConcurrency',
      errors: [{ messageId: 'machine', data: { name: 'navigator.hardwareConcurrency' } }],
    },
    { code: 'navigator.connection.effectiveType.length', errors: ['machine'] },
    { code: 'window.innerWidth', errors: ['machine'] },
    { code: 'const { width } = screen', errors: ['machine'] },
    { code: 'localStorage.getItem("volume")', errors: ['machine'] },
    { code: 'document.querySelector("canvas")', errors: ['machine'] },
    { code: 'fetch("/map.json")', errors: ['machine'] },
    { code: 'new WebSocket(url)', errors: ['machine'] },
    { code: 'prompt("Where?")', errors: ['machine'] },
    { code: 'process.env.DIFFICULTY', errors: ['machine'] },
    { code: 'process.platform', errors: ['machine'] },
    { code: 'import { readFileSync } from "node:fs"; readFileSync("map")', errors: ['machine'] },
    { code: 'import os from "os"; os.cpus()', errors: ['machine'] },
    {
      code: 'const fs = require("fs"); fs.readFileSync("map")',
      sourceType: 'commonjs',
      errors: ['machine'],
    },
    { code: 'new WeakRef(unit).deref()', errors: ['timing'] },
    { code: 'new FinalizationRegistry(free)', errors: ['timing'] },
    { code: 'new SharedArrayBuffer(8)', errors: ['timing'] },
    { code: 'Atomics.add(cells, 0, 1)', errors: ['timing'] },
    {
      code: 'import { defineGame } from "samestep"; const wide = innerWidth > 900; defineGame({ step() { use(wide) } })',
      options: inGame,
      errors: ['machine'],
    },
  ],
  typescript: {
    valid: ['type Place = typeof location', 'function f(at: Location) {}'],
    invalid: [{ code: '(window as any).innerHeight', errors: ['machine'] }],
  },
})
