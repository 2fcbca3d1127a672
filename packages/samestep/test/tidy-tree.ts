import { parseSync } from 'vite'

/** A node of the syntax tree (ESTree with TypeScript), as far as a rule needs to know it. */
export type Node = {
  readonly type: string
  readonly start: number
  readonly [key: string]: unknown
}

/** One parsed file. */
export type Tree = {
  readonly program: Node
  readonly comments: readonly {
    readonly value: string
    readonly start: number
    readonly end: number
  }[]
}

/** Parses one TypeScript file. A file that does not parse is the compiler's business: throws. */
export function parseTree(path: string, text: string): Tree {
  const { program, comments, errors } = parseSync(path, text, { lang: 'ts' })
  const [error] = errors
  if (error !== undefined) throw new Error(`Cannot parse ${path}: ${error.message}`)
  return { program: program as unknown as Node, comments }
}

/** Tells nodes from the plain values beside them in a tree. */
export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

/** Visits a tree in source order; each node comes with the one that holds it, and under which key. */
export function walk(
  node: Node,
  visit: (node: Node, parent: Node | undefined, key: string) => void,
  parent?: Node,
  key = '',
): void {
  visit(node, parent, key)
  for (const [childKey, child] of Object.entries(node)) {
    if (Array.isArray(child)) {
      for (const item of child) if (isNode(item)) walk(item, visit, node, childKey)
    } else if (isNode(child)) walk(child, visit, node, childKey)
  }
}

/** The expression without the brackets, casts and `!` around it. */
export function bare(node: Node): Node {
  const wraps = /^(?:ParenthesizedExpression|ChainExpression|TS\w+Expression)$/
  return wraps.test(node.type) && isNode(node.expression) ? bare(node.expression) : node
}

/** The name of an identifier; undefined for every other node. */
export function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node.name) : undefined
}

/**
 * Whether an identifier is only the name of a property (`a.Date`, `{ Date: 1 }`), not a reference.
 * A shorthand `{ Date }` is both, and shows up a second time as the property's value.
 */
export function isPropertyName(parent: Node | undefined, key: string): boolean {
  if (parent === undefined || parent.computed === true) return false
  if (parent.type === 'MemberExpression') return key === 'property'
  if (parent.type === 'TSQualifiedName') return key === 'right'
  return key === 'key'
}
