import type { Rule } from 'eslint'
import { type Edit, type File, makeRule } from '../rule.ts'
import {
  bare,
  child,
  children,
  functionAround,
  isFunction,
  isMember,
  type Node,
  nameOf,
  parentOf,
  walk,
} from '../syntax.ts'

/** What runs code later, and what to do instead. */
const later: ReadonlyMap<string, string> = new Map([
  ...[
    'setTimeout',
    'setInterval',
    'setImmediate',
    'clearTimeout',
    'clearInterval',
    'requestAnimationFrame',
    'requestIdleCallback',
    'process.nextTick',
    'queueMicrotask',
    'scheduler',
    'node:timers/promises',
  ].map((name) => [name, 'keep a tick number in the state, and act when tick reaches it'] as const),
  ...['Promise', 'MessageChannel', 'BroadcastChannel', 'Worker', 'Atomics.waitAsync'].map(
    (name) => [name, 'a tick is over when its functions return'] as const,
  ),
])

const chains: ReadonlySet<string> = new Set(['then'])

/** Reports whatever would go on after the tick is over. */
export const noAsync = makeRule({
  name: 'no-async',
  description: 'A tick is over when its functions return: no promises, timers or import()',
  messages: {
    asyncFunction: 'An async function continues after its tick is over; write it without async',
    awaitExpression:
      'await waits for something outside the simulation; load it before the match starts',
    later: '{{name}} runs code at a time of this machine; {{instead}}',
    chain: 'then runs its function after the tick is over; call the function',
    importCall: 'import() is a promise; import at the top of the file',
    dropAsync: 'Remove async',
  },
  hasSuggestions: true,
  check: (file) => ({
    Program() {
      for (const { path, node, isAlias } of file.uses) {
        const name = later.has(path) ? path : timerOf(path)
        const instead = later.get(name)
        if (instead === undefined || isAlias) continue
        // The name of a module's function is reported, not the module before it.
        if (name === path && path.startsWith('node:')) continue
        file.report({ node, messageId: 'later', data: { name: path, instead } })
      }
    },
    ':function': (node: Node) => {
      if (node.async === true) checkFunction(file, node)
    },
    AwaitExpression: (node: Node) => checkAwait(file, node),
    ForOfStatement(node) {
      if (node.await === true) checkAwait(file, node)
    },
    VariableDeclaration(node) {
      if (node.kind === 'await using') checkAwait(file, node)
    },
    ImportExpression(node) {
      file.report({ node, messageId: 'importCall' })
    },
    CallExpression(node) {
      const callee = child(node, 'callee')
      if (!isMember(bare(callee), chains) || callee === undefined) return
      if (children(node, 'arguments').length > 0 && !startsAtPromise(file, callee)) {
        file.report({ node: child(bare(callee), 'property') ?? callee, messageId: 'chain' })
      }
    },
  }),
})

/** `node:timers/promises.setTimeout` goes by its module. */
function timerOf(path: string): string {
  return path.startsWith('node:timers/promises.') ? 'node:timers/promises' : path
}

/** An await inside an async function was reported with that function. */
function checkAwait(file: File, node: Node): void {
  if (functionAround(node)?.async !== true) file.report({ node, messageId: 'awaitExpression' })
}

function checkFunction(file: File, node: Node): void {
  const suggest = waits(node) ? [] : [{ messageId: 'dropAsync', fix: dropAsync(file, node) }]
  file.report({ node, messageId: 'asyncFunction', suggest })
}

/** Whether the function itself awaits anything; then removing `async` would not parse. */
function waits(node: Node): boolean {
  let found = false
  walk(node, (inner) => {
    const isWaiting =
      inner.type === 'AwaitExpression' || inner.await === true || inner.kind === 'await using'
    if (isWaiting && functionAround(inner) === node) found = true
  })
  return found
}

function dropAsync({ sourceCode }: File, node: Node): Edit {
  const parent = parentOf(node)
  const isMethod =
    parent !== undefined &&
    (parent.type === 'MethodDefinition' || (parent.type === 'Property' && parent.method === true))
  const tokens = sourceCode.getTokens((isMethod ? parent : node) as unknown as Rule.Node)
  const index = tokens.findIndex(({ value }) => value === 'async')
  const [word, next] = [tokens[index], tokens[index + 1]]
  return (fixer) =>
    word === undefined || next === undefined
      ? []
      : [fixer.removeRange([word.range[0], next.range[0]])]
}

/** Whether a chain of calls begins with the global Promise, which is reported already. */
function startsAtPromise({ names }: File, callee: Node): boolean {
  let root: Node | undefined = bare(callee)
  while (root !== undefined && !isFunction(root) && nameOf(root) === undefined) {
    root = bare(child(root, 'object') ?? child(root, 'callee'))
  }
  return nameOf(root) === 'Promise' && names.isGlobal(root)
}
