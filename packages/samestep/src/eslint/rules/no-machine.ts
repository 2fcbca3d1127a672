import type { GlobalUse } from '../global-uses.ts'
import { makeRule } from '../rule.ts'

/** Garbage collection and shared memory: when and in which sequence is up to the engine. */
const timing: ReadonlySet<string> = new Set([
  'WeakRef',
  'FinalizationRegistry',
  'SharedArrayBuffer',
  'Atomics',
])

/** Whatever tells something of the machine, its user or the network. */
const machine: ReadonlySet<string> = new Set([
  ...['navigator', 'document', 'location', 'screen', 'history', 'localStorage', 'sessionStorage'],
  ...['indexedDB', 'caches', 'cookieStore', 'devicePixelRatio', 'innerWidth', 'innerHeight'],
  ...['outerWidth', 'outerHeight', 'scrollX', 'scrollY', 'matchMedia', 'getComputedStyle'],
  ...['fetch', 'XMLHttpRequest', 'WebSocket', 'WebTransport', 'EventSource', 'RTCPeerConnection'],
  ...['prompt', 'confirm', 'process', 'Deno', 'Bun', 'gc'],
])

/** What other rules report, or what a bundler replaces by the same text for everybody. */
const elsewhere =
  /^(?:navigator\.languages?|process\.(?:hrtime|uptime|nextTick)(?:\..*)?|process\.env\.NODE_ENV|document\.timeline(?:\..*)?|node:timers.*|Atomics\.waitAsync)$/

/** Reports what is read from the machine, its user or the network. */
export const noMachine = makeRule({
  name: 'no-machine',
  description: 'What a machine, its user or the network says reaches the game as orders or options',
  messages: {
    machine:
      '{{name}} is something else on every machine; send it as an order or an input, or make it an option of the match',
    timing: '{{name}} depends on when the engine does something; keep what you need in the state',
  },
  check: (file) => ({
    Program() {
      for (const use of file.uses) {
        const [root = ''] = use.path.split('.')
        if (use.isAlias || isPassedBy(use) || elsewhere.test(use.path)) continue
        const data = { name: use.path }
        if (timing.has(root)) file.report({ node: use.node, messageId: 'timing', data })
        else if (machine.has(root) || isModule(root)) {
          file.report({ node: use.node, messageId: 'machine', data })
        }
      }
    },
  }),
})

/** Of `navigator.hardwareConcurrency.toString`, the part up to the second name is reported. */
function isPassedBy({ path, how }: GlobalUse): boolean {
  const depth = path.split('.').length
  if (path === 'process.env' || path === 'Deno.env') return how === 'member'
  if (/^process\.env\./.test(path)) return depth > 3
  return depth === 1 ? how === 'member' : depth > 2
}

/** Modules of Node that only compute are fine. */
const pureModules: ReadonlySet<string> = new Set([
  ...['node:assert', 'node:assert/strict', 'node:buffer', 'node:events', 'node:path', 'node:url'],
  ...['node:util', 'node:string_decoder', 'node:querystring', 'node:test'],
])

function isModule(root: string): boolean {
  return root.startsWith('node:') && !pureModules.has(root)
}
