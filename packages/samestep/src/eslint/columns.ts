/**
 * Which expressions of a file are cells of `fixed` columns, as far as its own declarations tell.
 *
 *     state: { units: table(9, { x: fixed, hp: i16 }), goal: single({ at: fixed }) }
 *
 *     state.units.x[row]                       a cell of units.x
 *     const { x } = state.units; x[row]        the same
 *     function move({ units }) { units.x[0] }  the same: named like the table
 *     state.goal.at                            a cell of goal
 */
import { apiName } from './region.ts'
import type { File } from './rule.ts'
import { bare, child, children, type Node, nameOf, parentOf, staticName, walk } from './syntax.ts'
import { importOf, type Names, patternPath } from './variables.ts'

/** The `fixed` fields of the tables and singles that a file declares, by part and then by field. */
export type FixedColumns = {
  readonly tables: ReadonlyMap<string, ReadonlySet<string>>
  readonly singles: ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads the declarations of a file. */
export function findFixedColumns({ names }: File): FixedColumns {
  const tables = new Map<string, Set<string>>()
  const singles = new Map<string, Set<string>>()
  walk(names.program, (node) => {
    if (node.type !== 'CallExpression') return
    const kind = apiName(child(node, 'callee'), names)
    const [first, second] = children(node, 'arguments')
    const fields = kind === 'table' ? second : kind === 'single' ? first : undefined
    const fixed = fixedFields(fields, names)
    const parts = kind === 'table' ? tables : singles
    for (const name of fixed.length === 0 ? [] : partNames(node, names)) {
      parts.set(name, new Set([...(parts.get(name) ?? []), ...fixed]))
    }
  })
  return { tables, singles }
}

function fixedFields(fields: Node | undefined, names: Names): string[] {
  const written = bare(fields)
  const object = nameOf(written) === undefined ? written : bare(names.definitionOf(written))
  return children(object, 'properties').flatMap((property) => {
    const name = property.type === 'Property' ? staticName(property, 'key') : undefined
    return name !== undefined && isFixedField(child(property, 'value'), names) ? [name] : []
  })
}

/** Whether an expression is `fixed`, or `fixed` with a default or a history. */
export function isFixedField(node: Node | undefined, names: Names): boolean {
  let root = bare(node)
  while (root?.type === 'CallExpression') {
    const callee = bare(child(root, 'callee'))
    if (
      callee?.type !== 'MemberExpression' ||
      !/^(?:default|since|was)$/.test(staticName(callee, 'property') ?? '')
    )
      return false
    root = bare(child(callee, 'object'))
  }
  const variable = names.variableOf(root)
  if (importOf(variable) !== undefined) return apiName(root, names) === 'fixed'
  if (root?.type === 'MemberExpression') return apiName(root, names) === 'fixed'
  const definition = names.definitionOf(root)
  return definition !== undefined && definition !== node && isFixedField(definition, names)
}

/** The names under which a declared part can stand in the state. */
function partNames(declaration: Node, names: Names): string[] {
  const parent = parentOf(declaration)
  if (parent?.type === 'Property') return [staticName(parent, 'key') ?? '']
  const id = parent?.type === 'VariableDeclarator' ? child(parent, 'id') : undefined
  const variable = names.variableOf(id)
  return (variable?.references ?? []).flatMap(({ identifier }) => {
    const property = parentOf(identifier as unknown as Node)
    const isValue = property?.type === 'Property' && property.value === (identifier as unknown)
    return isValue ? [staticName(property, 'key') ?? ''] : []
  })
}

/** Whether the expression is a cell that holds a fixed number. */
export function isFixedCell(node: Node | undefined, columns: FixedColumns, names: Names): boolean {
  const path = accessPath(node, names, 0)
  if (path === undefined) return false
  const { parts, isOfParameter } = path
  const isCell = parts.at(-1) === index
  const chain = isCell ? parts.slice(0, -1) : parts
  const field = chain.at(-1) ?? ''
  const part = chain.at(-2) ?? ''
  const before = chain.at(-3)
  const known = isCell ? columns.tables : columns.singles
  if (known.get(part)?.has(field) !== true) return false
  const depth = chain.length
  return before === undefined || before === 'state' || (isOfParameter && depth === 3)
}

/** Whether the expression is one of the tables with fixed columns; gives these columns. */
export function fixedColumnsOf(
  node: Node | undefined,
  columns: FixedColumns,
  names: Names,
): ReadonlySet<string> | undefined {
  const path = accessPath(node, names, 0)
  const before = path?.parts.at(-2)
  if (path === undefined || (before !== undefined && before !== 'state')) return undefined
  return columns.tables.get(path.parts.at(-1) ?? '')
}

/** Stands for a computed name in a path: the row of a column. */
const index = '[]'

type AccessPath = { readonly parts: readonly string[]; readonly isOfParameter: boolean }

/** Constants lead to constants, but not for ever. */
const depthMax = 8

/** The names that lead from a parameter or a variable to an expression. */
function accessPath(node: Node | undefined, names: Names, depth: number): AccessPath | undefined {
  const inner = bare(node)
  if (inner === undefined || depth > depthMax) return undefined
  if (inner.type === 'MemberExpression') {
    const path = accessPath(child(inner, 'object'), names, depth + 1)
    const name =
      inner.computed === true ? (textName(inner) ?? index) : staticName(inner, 'property')
    if (path === undefined || name === undefined) return undefined
    return { ...path, parts: [...path.parts, name] }
  }
  return nameOf(inner) === undefined ? undefined : variablePath(inner, names, depth)
}

function textName(member: Node): string | undefined {
  const value = child(member, 'property')?.value
  return typeof value === 'string' ? value : undefined
}

function variablePath(identifier: Node, names: Names, depth: number): AccessPath | undefined {
  const variable = names.variableOf(identifier)
  const def = variable?.defs[0]
  if (variable === undefined || def === undefined) return undefined
  const declared = def.name as unknown as Node
  if (def.type === 'Parameter') {
    for (const parameter of children(def.node as unknown as Node, 'params')) {
      const parts = patternPath(parameter, declared)
      // A parameter that is not taken apart goes by its own name.
      const own = parts?.length === 0 ? [variable.name] : parts
      if (own !== undefined) return { parts: own, isOfParameter: true }
    }
    return undefined
  }
  if (def.type !== 'Variable') return undefined
  const declarator = def.node as unknown as Node
  const id = child(declarator, 'id')
  const parts = id === undefined ? undefined : patternPath(id, declared)
  const start = accessPath(child(declarator, 'init'), names, depth + 1)
  if (parts === undefined || start === undefined) return undefined
  return { ...start, parts: [...start.parts, ...parts] }
}
