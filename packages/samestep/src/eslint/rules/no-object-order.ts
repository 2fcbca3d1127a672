import { replace } from '../edits.ts'
import type { GlobalUse } from '../global-uses.ts'
import { type File, makeRule } from '../rule.ts'
import {
  bare,
  child,
  children,
  isFunction,
  isMember,
  type Node,
  nameOf,
  parentOf,
  staticName,
  wrapped,
} from '../syntax.ts'

const listers: ReadonlySet<string> = new Set([
  'Object.keys',
  'Object.values',
  'Object.entries',
  'Object.getOwnPropertyNames',
  'Object.getOwnPropertyDescriptors',
  'Reflect.ownKeys',
])

/** What may be asked of a list of keys whatever its sequence. */
const orderFree: ReadonlySet<string> = new Set(['length', 'includes', 'sort', 'toSorted'])

/** Calls that give back the object that they were given. */
const keepers: ReadonlySet<string> = new Set(['freeze', 'seal'])

/** Reports code whose result depends on the order of an object's keys. */
export const noObjectOrder = makeRule({
  name: 'no-object-order',
  description: 'Do not depend on the order of keys, which is the history of an object',
  messages: {
    order:
      '{{name}} lists keys in the order in which they were added, numbers first; a machine that loaded a snapshot may have added them in another order. Use a table or a Map, or sort',
    json: '{{name}} writes keys in the order in which they were added; compare fields, or the hashes that Samestep makes of the state',
    deleted:
      'delete lets a key that is added again go to the end; set the field to undefined, or use a Map',
    sortKeys: 'Sort the keys: {{text}}.sort()',
    setUndefined: 'Write {{text}} = undefined',
  },
  hasSuggestions: true,
  check: (file) => ({
    Program() {
      for (const use of file.uses) checkUse(file, use)
    },
    UnaryExpression(node) {
      if (node.operator === 'delete') checkDelete(file, node)
    },
  }),
})

function checkUse(file: File, use: GlobalUse): void {
  const isJson = use.path === 'JSON.stringify'
  if (use.isAlias || !(isJson || listers.has(use.path))) return
  const call = use.how === 'call' ? parentOf(wrapped(use.node)) : undefined
  const [object] = children(call, 'arguments')
  if (object !== undefined && isConstant(file, object)) return
  if (!isJson && call !== undefined && isOrderFree(call)) return
  const finding = { node: call ?? use.node, data: { name: use.path } }
  // The text of an error is for people; no machine decides anything by it.
  if (isJson && isThrown(use.node)) return
  if (isJson) file.report({ ...finding, messageId: 'json' })
  else file.report({ ...finding, messageId: 'order', suggest: suggestSort(file, use, call) })
}

function isThrown(node: Node): boolean {
  let outer: Node | undefined = node
  while (outer !== undefined && !isFunction(outer) && outer.type !== 'ThrowStatement') {
    outer = parentOf(outer)
  }
  return outer?.type === 'ThrowStatement'
}

function suggestSort(file: File, { path }: GlobalUse, call: Node | undefined) {
  if (call === undefined || !/keys$|Names$/i.test(path) || path === 'Reflect.ownKeys') return []
  const text = file.text(call)
  return [{ messageId: 'sortKeys', data: { text }, fix: replace(call, `${text}.sort()`) }]
}

function isOrderFree(call: Node): boolean {
  const outer = wrapped(call)
  const parent = parentOf(outer)
  return isMember(parent, orderFree) && parent.object === outer
}

/** Whether the order of the keys is written in the source: a literal that nothing changes. */
function isConstant(file: File, node: Node): boolean {
  const object = bare(node)
  if (object?.type === 'Literal' || object?.type === 'TemplateLiteral') return true
  if (object?.type === 'ObjectExpression') return isWrittenOut(object)
  if (object?.type === 'ArrayExpression') {
    return children(object, 'elements').every((element) => isConstant(file, element))
  }
  if (nameOf(object) === undefined) return false
  const variable = file.names.variableOf(object)
  if ((variable?.defs[0]?.type as string | undefined) === 'TSEnumName') return true
  const init = unfrozen(file.names.definitionOf(object))
  if (init?.type !== 'ObjectExpression' || !isWrittenOut(init)) return false
  const uses = variable?.references ?? []
  return !uses.some(({ identifier }) => isChanged(identifier as unknown as Node))
}

function isWrittenOut(object: Node): boolean {
  return children(object, 'properties').every(
    (property) => property.type === 'Property' && staticName(property, 'key') !== undefined,
  )
}

/** The object inside `Object.freeze({ … })`. */
function unfrozen(node: Node | undefined): Node | undefined {
  const inner = bare(node)
  if (inner?.type !== 'CallExpression' || !isMember(bare(child(inner, 'callee')), keepers)) {
    return inner
  }
  return bare(children(inner, 'arguments')[0])
}

/** Whether something is added to the object, taken from it, or it goes where that could happen. */
function isChanged(identifier: Node): boolean {
  const outer = wrapped(identifier)
  const parent = parentOf(outer)
  if (parent?.type !== 'MemberExpression' || parent.object !== outer) {
    return parent?.type === 'CallExpression' && isMember(bare(child(parent, 'callee')), changers)
  }
  const holder = parentOf(wrapped(parent))
  return (
    (holder?.type === 'AssignmentExpression' && bare(child(holder, 'left')) === parent) ||
    (holder?.type === 'UnaryExpression' && holder.operator === 'delete')
  )
}

const changers: ReadonlySet<string> = new Set([
  'assign',
  'defineProperty',
  'defineProperties',
  'deleteProperty',
  'set',
])

function checkDelete(file: File, node: Node): void {
  const target = child(node, 'argument')
  if (bare(target)?.type !== 'MemberExpression' || target === undefined) return
  const text = file.text(target)
  const isStatement = parentOf(node)?.type === 'ExpressionStatement' && !text.includes('?.')
  const fix = replace(node, `${text} = undefined`)
  const suggest = isStatement ? [{ messageId: 'setUndefined', data: { text }, fix }] : []
  file.report({ node, messageId: 'deleted', suggest })
}
