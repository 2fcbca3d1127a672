import type { Rule } from 'eslint'
import type { File } from './rule.ts'
import { bare, child, children, isMember, type Node, nameOf, parentOf, wrapped } from './syntax.ts'
import type { Variable } from './variables.ts'

/** Methods that change the array, Map or Set on which they are called. */
const mutators: ReadonlySet<string> = new Set([
  ...['push', 'pop', 'shift', 'unshift', 'splice', 'sort', 'reverse', 'fill', 'copyWithin'],
  ...['set', 'add', 'delete', 'clear', 'getOrInsert', 'getOrInsertComputed'],
])

/** Methods that give a part of a container, which is then the container's own. */
const openers: ReadonlySet<string> = new Set(['get', 'at', 'subarray'])

/** Functions of Object and Reflect that change their first argument. */
const changers: ReadonlySet<string> = new Set([
  ...['assign', 'defineProperty', 'defineProperties', 'setPrototypeOf'],
  ...['set', 'deleteProperty'],
])

const reflectors: ReadonlySet<string> = new Set(['Object', 'Reflect'])

/**
 * Every place where a variable, or something that only it holds, is changed: assigned, added to,
 * taken from. Followed through constants of other names, not into functions that it is passed to.
 */
export function changesOf(variable: Variable, file: File): Node[] {
  const places: Node[] = []
  collect(variable, file, isContainer(variable), places, new Set())
  return places
}

function collect(
  variable: Variable,
  file: File,
  hasMethods: boolean,
  places: Node[],
  seen: Set<Variable>,
): void {
  if (seen.has(variable)) return
  const isAlias = seen.size > 0
  seen.add(variable)
  for (const reference of variable.references) {
    const identifier = reference.identifier as unknown as Node
    if (reference.isWrite()) {
      // A second name that gets another value leaves the first alone.
      if (reference.init !== true && !isAlias) places.push(identifier)
      continue
    }
    const reached = climb(identifier)
    if (isChanged(reached, reached !== wrapped(identifier), hasMethods, file)) places.push(reached)
    for (const alias of aliasesAt(reached, file)) collect(alias, file, hasMethods, places, seen)
  }
}

/** The largest expression that stands for a part of what the identifier holds. */
function climb(identifier: Node): Node {
  let reached = wrapped(identifier)
  for (;;) {
    const parent = parentOf(reached)
    if (parent?.type !== 'MemberExpression' || parent.object !== reached) return reached
    const call = parentOf(wrapped(parent))
    const isCall = call?.type === 'CallExpression' && bare(child(call, 'callee')) === parent
    if (!isCall) reached = wrapped(parent)
    else if (isMember(parent, openers)) reached = wrapped(call)
    else return reached
  }
}

function isChanged(node: Node, isPart: boolean, hasMethods: boolean, file: File): boolean {
  const parent = parentOf(node)
  switch (parent?.type) {
    case 'AssignmentExpression':
      return isPart && parent.left === node
    case 'UpdateExpression':
      return isPart
    case 'UnaryExpression':
      return parent.operator === 'delete'
    case 'ForOfStatement':
    case 'ForInStatement':
      return isPart && parent.left === node
    case 'ArrayPattern':
    case 'RestElement':
      return isPart
    case 'AssignmentPattern':
      return isPart && parent.left === node
    case 'Property':
      return isPart && parentOf(parent)?.type === 'ObjectPattern' && parent.value === node
    case 'MemberExpression':
      return hasMethods && isMember(parent, mutators) && parent.object === node
    case 'CallExpression':
      return children(parent, 'arguments')[0] === node && isReflector(child(parent, 'callee'), file)
    default:
      return false
  }
}

function isReflector(callee: Node | undefined, { names }: File): boolean {
  const member = bare(callee)
  const object = child(member, 'object')
  return (
    isMember(member, changers) && reflectors.has(nameOf(object) ?? '') && names.isGlobal(object)
  )
}

/** The names that `const part = whole.part`, `const { part } = whole` or `for (… of whole)` make. */
function aliasesAt(node: Node, { sourceCode }: File): readonly Variable[] {
  const parent = parentOf(node)
  const isInit = parent?.type === 'VariableDeclarator' && parent.init === node
  const isLoop = parent?.type === 'ForOfStatement' && parent.right === node
  const declaration = isInit ? parent : isLoop ? child(parent, 'left') : undefined
  if (declaration === undefined) return []
  return sourceCode.getDeclaredVariables(declaration as unknown as Rule.Node)
}

/** Whether the variable holds something whose methods change it. */
function isContainer(variable: Variable): boolean {
  const def = variable.defs[0]
  if (def?.type !== 'Variable') return false
  const init = bare(child(def.node as unknown as Node, 'init'))
  return (
    init?.type === 'ArrayExpression' ||
    init?.type === 'ObjectExpression' ||
    init?.type === 'NewExpression' ||
    (init?.type === 'CallExpression' && isMember(bare(child(init, 'callee')), makers))
  )
}

/** `Array.from`, `Array.of`, `Object.create`, `Object.fromEntries`, `Uint8Array.from`. */
const makers: ReadonlySet<string> = new Set(['from', 'of', 'create', 'fromEntries'])
