import { isNumericArray, isTextArray } from '../arrays.ts'
import { answersOf, type ComparatorFault, judgeComparator } from '../comparator.ts'
import { at, isPlain, replace } from '../edits.ts'
import { type Edit, type File, makeRule } from '../rule.ts'
import {
  bare,
  child,
  children,
  isFunction,
  isMember,
  type Node,
  nameOf,
  numberOf,
  parentOf,
  textOf,
} from '../syntax.ts'

const sorters: ReadonlySet<string> = new Set(['sort', 'toSorted'])

/** Reports sorting whose sequence is not what was meant, or up to the engine. */
export const sortComparator = makeRule({
  name: 'sort-comparator',
  description: 'Sort with a comparator that is right for every pair',
  messages: {
    missing:
      'Without a comparator, numbers are sorted as text: 10 before 9; write {{method}}((a, b) => a - b)',
    boolean:
      'A comparator that answers true or false is never negative; answer a - b, or -1, 0 and 1',
    neverZero:
      'A comparator that never answers 0 contradicts itself for equal things; answer 0 for them',
    neverNegative: 'A comparator that is never negative contradicts itself; answer -1, 0 and 1',
    neverPositive: 'A comparator that is never positive contradicts itself; answer -1, 0 and 1',
    oneSided: 'A comparator that does not look at both of its arguments contradicts itself',
    chance: 'A comparator with chance in it contradicts itself; shuffle with random.shuffle(list)',
    empty: 'This comparator answers nothing; write (a, b) => a - b, or return the difference',
    asNumbers: 'Sort as numbers',
    asText: 'Sort as text, by code units',
  },
  isFixable: true,
  hasSuggestions: true,
  check: (file) => ({
    CallExpression(node) {
      const callee = bare(child(node, 'callee'))
      if (!isMember(callee, sorters)) return
      const [comparator] = children(node, 'arguments')
      const isMissing = comparator === undefined || nameOf(bare(comparator)) === 'undefined'
      if (isMissing) checkMissing(file, node, callee)
      else checkComparator(file, comparator)
    },
  }),
})

const byNumber = '(a, b) => a - b'
const byText = '(a, b) => (a < b ? -1 : a > b ? 1 : 0)'

function checkMissing(file: File, call: Node, callee: Node): void {
  const list = child(callee, 'object')
  // Text is sorted by code units everywhere, and typed arrays by value.
  if (isTextArray(list, file) || isNumericArray(list, file)) return
  const property = child(callee, 'property') ?? callee
  const finding = { node: property, messageId: 'missing', data: { method: file.text(property) } }
  const elements = children(bare(list), 'elements')
  const isNumbers = elements.length > 0 && elements.every((item) => numberOf(item) !== undefined)
  if (isNumbers) file.report({ ...finding, fix: fillIn(file, call, byNumber) })
  else {
    const suggest = [
      { messageId: 'asNumbers', fix: fillIn(file, call, byNumber) },
      { messageId: 'asText', fix: fillIn(file, call, byText) },
    ]
    file.report({ ...finding, suggest })
  }
}

/** Writes the comparator between the brackets of the call. */
function fillIn({ sourceCode }: File, call: Node, comparator: string): Edit {
  const [argument] = children(call, 'arguments')
  if (argument !== undefined) return replace(argument, comparator)
  const close = at(call)[1] - 1
  const open = sourceCode.text.lastIndexOf('(', close)
  return (fixer) => fixer.replaceTextRange([open + 1, close], comparator)
}

function checkComparator(file: File, argument: Node): void {
  const written = bare(argument)
  const comparator = isFunction(written) ? written : bare(file.names.definitionOf(written))
  if (!isFunction(comparator)) return
  const fault = judgeComparator(comparator, file)
  if (fault === undefined) return
  // Where another line holds the function, the fault is told there, if that is checked at all.
  const node = file.isInside(fault.node) ? fault.node : argument
  file.report({ node, messageId: fault.kind, fix: mend(file, comparator, fault) })
}

/** The three-way form of a comparator that compares two plain expressions. */
function mend(file: File, comparator: Node, { kind, node }: ComparatorFault): Edit | undefined {
  const answers = answersOf(comparator)
  if (kind === 'boolean' && answers?.length === 1) return mendBoolean(file, node)
  const isTernary = kind === 'neverZero' || kind === 'neverNegative' || kind === 'neverPositive'
  return isTernary ? mendTernary(file, comparator) : undefined
}

function mendBoolean(file: File, node: Node): Edit | undefined {
  const text = threeWay(file, node, 1)
  const isBody = parentOf(node)?.type === 'ArrowFunctionExpression'
  return text === undefined ? undefined : replace(node, isBody ? bracketed(file, node, text) : text)
}

/** `a > b ? 1 : -1`, with 0 where it is missing. */
function mendTernary(file: File, comparator: Node): Edit | undefined {
  const body = child(comparator, 'body')
  const only = children(body, 'body')
  const statement = only.length === 1 ? only[0] : undefined
  const isReturn = statement?.type === 'ReturnStatement'
  const returned = isReturn ? child(statement, 'argument') : undefined
  const answer = bare(body?.type === 'BlockStatement' ? returned : body)
  if (answer?.type !== 'ConditionalExpression') return undefined
  const [yes, no] = [numberOf(child(answer, 'consequent')), numberOf(child(answer, 'alternate'))]
  if (yes === undefined || no === undefined) return undefined
  const text = threeWay(file, child(answer, 'test'), Math.sign(yes) || -Math.sign(no))
  return text === undefined ? undefined : replace(answer, text)
}

/** Brackets that a formatter would add; those that are there already are kept. */
function bracketed({ sourceCode }: File, node: Node, text: string): string {
  return sourceCode.text[node.range[0] - 1] === '(' ? text : `(${text})`
}

/** `x < y ? -1 : x > y ? 1 : 0` from `x > y`, where that was meant to answer `sign`. */
function threeWay(file: File, test: Node | undefined, sign: number): string | undefined {
  const comparison = bare(test)
  if (comparison?.type !== 'BinaryExpression') return undefined
  const isMore = /^>=?$/.test(String(comparison.operator))
  const isLess = /^<=?$/.test(String(comparison.operator))
  const [left, right] = [child(comparison, 'left'), child(comparison, 'right')]
  if ((!isMore && !isLess) || !isPlain(left) || !isPlain(right)) return undefined
  if (textOf(left) !== undefined || textOf(right) !== undefined) return undefined
  const [a, b] = [file.text(left), file.text(right)]
  const isAscending = isMore === sign > 0
  return isAscending
    ? `${a} < ${b} ? -1 : ${a} > ${b} ? 1 : 0`
    : `${a} > ${b} ? -1 : ${a} < ${b} ? 1 : 0`
}
