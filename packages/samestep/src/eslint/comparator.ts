/**
 * Judges the function that a `sort` is given, as far as its text tells.
 *
 * A comparator answers less than 0, 0 or more than 0. For two things it must answer the opposite when
 * they are swapped, and 0 for a thing and itself; otherwise the sequence is up to the engine. A text
 * shows the faults that people write: an answer of true or false, an answer that is never 0 or never
 * negative, an answer that does not look at both, and chance.
 */
import type { File } from './rule.ts'
import {
  bare,
  child,
  children,
  functionAround,
  type Node,
  nameOf,
  numberOf,
  walk,
} from './syntax.ts'

/** What is wrong with a comparator, and where. */
export type ComparatorFault = {
  readonly kind:
    | 'boolean'
    | 'neverZero'
    | 'neverNegative'
    | 'neverPositive'
    | 'oneSided'
    | 'chance'
    | 'empty'
  readonly node: Node
}

/** The first fault of a comparator; `undefined` where its text shows none. */
export function judgeComparator(comparator: Node, file: File): ComparatorFault | undefined {
  const chance = findChance(comparator, file)
  if (chance !== undefined) return { kind: 'chance', node: chance }
  if (!readsBoth(comparator, file)) return { kind: 'oneSided', node: comparator }
  const answers = answersOf(comparator)
  if (answers === undefined) return undefined
  if (answers.length === 0) return { kind: 'empty', node: comparator }
  const boolean = answers.find(isBoolean)
  if (boolean !== undefined) return { kind: 'boolean', node: boolean }
  return judgeSigns(comparator, answers)
}

/** Chance in a comparator answers the same question in two ways. */
function findChance(comparator: Node, { uses, names }: File): Node | undefined {
  const ambient = uses.find(({ path, node }) => path === 'Math.random' && isIn(node, comparator))
  if (ambient !== undefined) return ambient.node
  let found: Node | undefined
  walk(comparator, (node) => {
    if (node.type !== 'CallExpression' || found !== undefined) return
    const callee = bare(child(node, 'callee'))
    const drawn = child(callee, 'object') ?? callee
    // A generator under the name that the context gives it, from wherever.
    if (nameOf(drawn) === 'random' && names.variableOf(drawn) !== undefined) found = node
  })
  return found
}

function isIn(node: Node, outer: Node): boolean {
  return outer.range[0] <= node.range[0] && node.range[1] <= outer.range[1]
}

/** Whether both parameters are looked at. Where `arguments` or a rest is used, who knows. */
function readsBoth(comparator: Node, { names, sourceCode }: File): boolean {
  const parameters = children(comparator, 'params')
  let usesArguments = parameters.some(({ type }) => type === 'RestElement')
  walk(comparator, (node) => {
    if (nameOf(node) === 'arguments' && names.variableOf(node) === undefined) usesArguments = true
  })
  if (usesArguments) return true
  if (parameters.length < 2) return false
  const declared = sourceCode.getDeclaredVariables(comparator as never)
  return parameters.slice(0, 2).every((parameter) =>
    declared.some(({ identifiers, references }) => {
      const isOfParameter = identifiers.some((name) => isIn(name as unknown as Node, parameter))
      return isOfParameter && references.some((reference) => reference.isRead())
    }),
  )
}

/** Every expression that a function may answer with; `undefined` where that is not to be seen. */
export function answersOf(comparator: Node): readonly Node[] | undefined {
  const body = child(comparator, 'body')
  if (body === undefined || comparator.generator === true || comparator.async === true)
    return undefined
  if (body.type !== 'BlockStatement') return spread(body)
  const answers: Node[] = []
  walk(body, (node) => {
    if (node.type !== 'ReturnStatement' || functionAround(node) !== comparator) return
    const value = child(node, 'argument')
    if (value !== undefined) answers.push(...spread(value))
  })
  return answers
}

/** Both branches of a condition, and of theirs. */
function spread(node: Node): Node[] {
  const inner = bare(node) ?? node
  if (inner.type !== 'ConditionalExpression') return [inner]
  return ['consequent', 'alternate'].flatMap((key) => {
    const branch = child(inner, key)
    return branch === undefined ? [] : spread(branch)
  })
}

const comparisons: ReadonlySet<unknown> = new Set([
  ...['<', '<=', '>', '>=', '==', '===', '!=', '!==', 'in', 'instanceof'],
])

function isBoolean(node: Node): boolean {
  if (node.type === 'UnaryExpression') return node.operator === '!'
  if (node.type === 'BinaryExpression') return comparisons.has(node.operator)
  if (node.type === 'Literal') return typeof node.value === 'boolean'
  if (node.type !== 'LogicalExpression' || node.operator === '??') return false
  const [left, right] = [bare(child(node, 'left')), bare(child(node, 'right'))]
  return left !== undefined && right !== undefined && isBoolean(left) && isBoolean(right)
}

/** Where all answers are written out, there must be one of each sign. */
function judgeSigns(comparator: Node, answers: readonly Node[]): ComparatorFault | undefined {
  const values = answers.map(numberOf)
  if (values.includes(undefined)) return undefined
  const has = (test: (value: number) => boolean): boolean =>
    values.some((value) => value !== undefined && test(value))
  const isNegative = has((value) => value < 0)
  const isPositive = has((value) => value > 0)
  const isZero = has((value) => value === 0) || fallsOff(comparator)
  const node = comparator
  if (isNegative && isPositive) return isZero ? undefined : { kind: 'neverZero', node }
  if (isPositive) return { kind: 'neverNegative', node }
  return isNegative ? { kind: 'neverPositive', node } : undefined
}

/** Whether the function can end without an answer, which counts as 0. */
function fallsOff(comparator: Node): boolean {
  const body = child(comparator, 'body')
  return body?.type === 'BlockStatement' && !always(body)
}

/** Whether a statement never lets what follows it run. */
function always(statement: Node | undefined): boolean {
  switch (statement?.type) {
    case 'ReturnStatement':
    case 'ThrowStatement':
      return true
    case 'BlockStatement':
      return children(statement, 'body').some(always)
    case 'IfStatement':
      return always(child(statement, 'consequent')) && always(child(statement, 'alternate'))
    default:
      return false
  }
}
