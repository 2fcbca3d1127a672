import {
  type FixedColumns,
  findFixedColumns,
  fixedColumnsOf,
  isFixedCell,
  isFixedField,
} from '../columns.ts'
import { reachApi, replace } from '../edits.ts'
import { type File, makeRule } from '../rule.ts'
import { bare, child, children, isMember, type Node, numberOf, staticName } from '../syntax.ts'

/** Beyond these, `fixed.from` throws; the writer must think again. */
const [lowest, highest] = [-32_768, 32_767.99998]

const additive: ReadonlySet<unknown> = new Set(['+', '-'])
const compared: ReadonlySet<unknown> = new Set(['<', '<=', '>', '>=', '==', '===', '!=', '!=='])
const scaled: ReadonlyMap<unknown, string> = new Map([
  ['*', 'mul'],
  ['/', 'div'],
  ['%', 'mod'],
])
const assigned: ReadonlySet<unknown> = new Set(['=', '+=', '-=', '??=', '||=', '&&='])

const adders: ReadonlySet<string> = new Set(['add'])
const defaulters: ReadonlySet<string> = new Set(['default'])

/** Reports fractions that meet the whole numbers of a fixed column. */
export const noFloatInFixed = makeRule({
  name: 'no-float-in-fixed',
  description: 'Write fractions for fixed columns with fixed.from',
  messages: {
    fraction:
      'A fixed column holds 65536ths, so {{number}} loses its fraction and is not what was meant; write fixed.from({{number}})',
    scale:
      'A fixed column holds 65536ths and {{number}} is none; write fixed.{{method}}(…, fixed.from({{number}}))',
    useMethod: 'Write {{text}}',
  },
  isFixable: true,
  hasSuggestions: true,
  check(file) {
    const columns = findFixedColumns(file)
    const isCell = (node: Node | undefined): boolean => isFixedCell(node, columns, file.names)
    return {
      AssignmentExpression(node) {
        if (!isCell(child(node, 'left'))) return
        const right = child(node, 'right')
        const method = scaled.get(String(node.operator).slice(0, -1))
        if (method !== undefined) checkScale(file, node, method)
        else if (assigned.has(node.operator)) {
          for (const literal of terms(right, isCell)) reportFraction(file, literal)
        }
      },
      BinaryExpression(node) {
        checkBinary(file, node, isCell)
      },
      CallExpression(node) {
        checkCall(file, node, columns)
      },
    }
  },
})

function checkBinary(file: File, node: Node, isCell: (node: Node | undefined) => boolean): void {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  const cell = isCell(left) ? left : isCell(right) ? right : undefined
  const other = cell === left ? right : left
  if (cell === undefined) return
  const method = scaled.get(node.operator)
  if (method !== undefined) checkScale(file, node, method)
  else if (additive.has(node.operator) || compared.has(node.operator)) {
    for (const literal of terms(other, isCell)) reportFraction(file, literal)
  }
}

/**
 * The fractions among the terms of a sum. A sum with a cell in it is left out: it reports its own.
 */
function terms(node: Node | undefined, isCell: (node: Node | undefined) => boolean): Node[] {
  const inner = bare(node)
  if (inner === undefined) return []
  if (isFraction(inner)) return [inner]
  if (inner.type === 'ConditionalExpression') {
    return ['consequent', 'alternate'].flatMap((key) => terms(child(inner, key), isCell))
  }
  const isSum = inner.type === 'BinaryExpression' && additive.has(inner.operator)
  if (!isSum && inner.type !== 'LogicalExpression') return []
  const sides = [child(inner, 'left'), child(inner, 'right')]
  return isSum && sides.some(isCell) ? [] : sides.flatMap((side) => terms(side, isCell))
}

/** A literal with a point in it, with or without a sign: `0.5`, `-1.0`, `1e-3`. */
function isFraction(node: Node | undefined): boolean {
  const value = numberOf(node)
  if (node === undefined || value === undefined) return false
  const literal = node.type === 'UnaryExpression' ? bare(child(node, 'argument')) : node
  return !Number.isInteger(value) || String(literal?.raw).includes('.')
}

function reportFraction(file: File, literal: Node): void {
  const number = file.text(literal)
  const value = numberOf(literal) ?? 0
  const api = value >= lowest && value <= highest ? reachApi(file, 'fixed', literal) : undefined
  const fix = api === undefined ? undefined : replace(literal, `${api.local}.from(${number})`, api)
  file.report({ node: literal, messageId: 'fraction', data: { number }, fix })
}

/** A product with a fraction is cut, not rounded, and `fixed.mul` was meant. */
function checkScale(file: File, node: Node, method: string): void {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  const literal = [left, right].find((side) => isFraction(bare(side)))
  if (left === undefined || right === undefined || literal === undefined) return
  const number = file.text(literal)
  const api = reachApi(file, 'fixed', node)
  const local = api?.local ?? 'fixed'
  const write = (side: Node): string =>
    side === literal ? `${local}.from(${number})` : file.text(side)
  const call = `${local}.${method}(${write(left)}, ${write(right)})`
  const isAssignment = node.type === 'AssignmentExpression'
  const text = isAssignment ? `${file.text(left)} = ${call}` : call
  const suggest =
    api === undefined
      ? []
      : [{ messageId: 'useMethod', data: { text }, fix: replace(node, text, api) }]
  file.report({ node: literal, messageId: 'scale', data: { number, method }, suggest })
}

/** `units.add({ x: 0.5 })` and `fixed.default(0.5)`. */
function checkCall(file: File, node: Node, columns: FixedColumns): void {
  const callee = bare(child(node, 'callee'))
  const [argument] = children(node, 'arguments')
  const object = child(callee, 'object')
  if (isMember(callee, defaulters) && isFixedField(object, file.names)) {
    for (const literal of terms(argument, () => false)) reportFraction(file, literal)
  }
  if (!isMember(callee, adders)) return
  const fixed = fixedColumnsOf(object, columns, file.names)
  for (const property of fixed === undefined ? [] : children(bare(argument), 'properties')) {
    const name = property.type === 'Property' ? staticName(property, 'key') : undefined
    if (name === undefined || fixed?.has(name) !== true) continue
    for (const literal of terms(child(property, 'value'), () => false)) {
      reportFraction(file, literal)
    }
  }
}
