/** A node of the syntax tree (ESTree, with TypeScript where its parser is used). */
export type Node = {
  readonly type: string
  readonly range: readonly [number, number]
  readonly parent: Node | null
  readonly [key: string]: unknown
}

/** Tells nodes from the plain values beside them in a tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** The child of `node` under `key`; `undefined` where there is none. */
export function child(node: Node | undefined, key: string): Node | undefined {
  const value = node?.[key]
  return isNode(value) ? value : undefined
}

/** The children of `node` in the list under `key`, without holes. */
export function children(node: Node | undefined, key: string): Node[] {
  const value = node?.[key]
  return Array.isArray(value) ? value.filter(isNode) : []
}

/** The node that holds `node`; `undefined` for the whole program. */
export function parentOf(node: Node): Node | undefined {
  return node.parent ?? undefined
}

/** Visits `node` and everything in it, in source order. */
export function walk(node: Node, visit: (node: Node) => void): void {
  visit(node)
  for (const key of Object.keys(node)) {
    if (key === 'parent') continue
    const value = node[key]
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) walk(item, visit)
    } else if (isNode(value)) walk(value, visit)
  }
}

/** Nodes that change only what a type checker or a reader thinks of the expression inside. */
const wrappers: ReadonlySet<string> = new Set([
  'ChainExpression',
  'ParenthesizedExpression',
  'TSAsExpression',
  'TSInstantiationExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
])

/** The expression without the casts, `!` and chains around it. */
export function bare(node: Node | undefined): Node | undefined {
  let inner = node
  while (inner !== undefined && wrappers.has(inner.type)) inner = child(inner, 'expression')
  return inner
}

/** The expression together with the casts, `!` and chains around it: the inverse of {@link bare}. */
export function wrapped(node: Node): Node {
  let outer = node
  for (let parent = parentOf(outer); parent !== undefined; parent = parentOf(outer)) {
    if (!wrappers.has(parent.type) || parent.expression !== outer) break
    outer = parent
  }
  return outer
}

/** The name of an identifier; `undefined` for every other node. */
export function nameOf(node: Node | undefined): string | undefined {
  return node?.type === 'Identifier' ? String(node.name) : undefined
}

/** The text of a string literal or of a template without holes. */
export function textOf(node: Node | undefined): string | undefined {
  const inner = bare(node)
  if (inner?.type === 'Literal' && typeof inner.value === 'string') return inner.value
  if (inner?.type !== 'TemplateLiteral' || children(inner, 'expressions').length > 0)
    return undefined
  const [quasi] = children(inner, 'quasis')
  const value = quasi?.value as { readonly cooked?: string } | undefined
  return value?.cooked
}

/** The number of a literal, with its sign; `undefined` for everything else. */
export function numberOf(node: Node | undefined): number | undefined {
  const inner = bare(node)
  if (inner?.type === 'UnaryExpression' && (inner.operator === '-' || inner.operator === '+')) {
    const value = numberOf(child(inner, 'argument'))
    return value !== undefined && inner.operator === '-' ? -value : value
  }
  return inner?.type === 'Literal' && typeof inner.value === 'number' ? inner.value : undefined
}

/** The name under `key` (`property` of a member, `key` of a property), where it is written out. */
export function staticName(node: Node, key: 'property' | 'key'): string | undefined {
  const name = child(node, key)
  if (node.computed !== true && name?.type === 'Identifier') return nameOf(name)
  const number = numberOf(name)
  return textOf(name) ?? (number === undefined ? undefined : String(number))
}

/** A function of any kind. */
export type FunctionNode = Node & { readonly params: readonly unknown[] }

/** Whether the node is a function of any kind. */
export function isFunction(node: Node | undefined): node is FunctionNode {
  return (
    node?.type === 'FunctionDeclaration' ||
    node?.type === 'FunctionExpression' ||
    node?.type === 'ArrowFunctionExpression'
  )
}

/** The innermost function around `node`, not counting itself. */
export function functionAround(node: Node): Node | undefined {
  let outer = parentOf(node)
  while (outer !== undefined && !isFunction(outer)) outer = parentOf(outer)
  return outer
}

/**
 * Whether `node` runs once, while its module is loaded: at the top, or in functions that are called
 * where they stand.
 */
export function runsAtLoad(node: Node): boolean {
  const around = functionAround(node)
  if (around === undefined) return true
  const outer = wrapped(around)
  const parent = parentOf(outer)
  const isCalledHere = parent?.type === 'CallExpression' && parent.callee === outer
  return isCalledHere && around.generator !== true && runsAtLoad(parent)
}

/** Whether `node` is `object.name` or `object['name']`, with one of the names. */
export function isMember(node: Node | undefined, names: ReadonlySet<string>): node is Node {
  if (node?.type !== 'MemberExpression') return false
  const name = staticName(node, 'property')
  return name !== undefined && names.has(name)
}
