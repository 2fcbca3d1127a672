import { isPlain, productText, reachApi, replace } from '../edits.ts'
import type { GlobalUse } from '../global-uses.ts'
import { type File, makeRule } from '../rule.ts'
import { bare, child, type Node, numberOf } from '../syntax.ts'

/** What of Math is defined to the last bit in every engine. */
const exact: ReadonlySet<string> = new Set([
  ...['abs', 'ceil', 'clz32', 'f16round', 'floor', 'fround', 'imul', 'max', 'min', 'round', 'sign'],
  ...['sqrt', 'sumPrecise', 'trunc'],
  ...['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2'],
  // Another rule's business.
  'random',
])

/** What `dmath` has under the same name. */
const replacements: ReadonlySet<string> = new Set([
  ...['acos', 'asin', 'atan', 'atan2', 'cbrt', 'cos', 'cosh', 'exp', 'expm1', 'hypot', 'log'],
  ...['log10', 'log1p', 'log2', 'pow', 'sin', 'sinh', 'tan', 'tanh'],
])

/** Inverse hyperbolic functions are logarithms, and `dmath` has those. */
const formulas: ReadonlyMap<string, string> = new Map([
  ['asinh', 'dmath.log(x + Math.sqrt(x * x + 1))'],
  ['acosh', 'dmath.log(x + Math.sqrt(x * x - 1))'],
  ['atanh', 'dmath.log1p((2 * x) / (1 - x)) / 2'],
])

/** Reports `Math` functions and operators whose last bits the language leaves to the engine. */
export const noInexactMath = makeRule({
  name: 'no-inexact-math',
  description: 'Use dmath or fixed where Math gives other last bits in other engines',
  messages: {
    inexact: 'Math.{{name}} gives other last bits in other engines; write dmath.{{name}}',
    formula: 'Math.{{name}} gives other last bits in other engines; write {{formula}}',
    unknown: 'Math.{{name}} is not known to be exact in every engine; write it out with dmath',
    computed: 'Math[…] may be any function of Math; write the name of an exact one, or of dmath',
    power: '** gives other last bits in other engines; multiply, or write dmath.pow(…)',
    usePow: 'Write {{text}}',
  },
  isFixable: true,
  hasSuggestions: true,
  check: (file) => ({
    Program() {
      for (const use of file.uses) checkUse(file, use)
    },
    BinaryExpression(node) {
      if (node.operator === '**') checkPower(file, node)
    },
    AssignmentExpression(node) {
      if (node.operator === '**=') checkPowerAssignment(file, node)
    },
  }),
})

function checkUse(file: File, { path, node, isAlias }: GlobalUse): void {
  const [root, name, ...rest] = path.split('.')
  if (root !== 'Math' || name === undefined || rest.length > 0 || isAlias || exact.has(name)) return
  if (name === '*') {
    file.report({ node, messageId: 'computed' })
    return
  }
  const formula = formulas.get(name)
  if (formula !== undefined) {
    file.report({ node, messageId: 'formula', data: { name, formula } })
    return
  }
  if (!replacements.has(name)) {
    file.report({ node, messageId: 'unknown', data: { name } })
    return
  }
  const isWhole = node.type === 'MemberExpression' && node.optional !== true
  const api = isWhole ? reachApi(file, 'dmath', node) : undefined
  const fix = api === undefined ? undefined : replace(node, `${api.local}.${name}`, api)
  file.report({ node, messageId: 'inexact', data: { name }, fix })
}

function checkPower(file: File, node: Node): void {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  if (left === undefined || right === undefined || isBigInt(left) || isBigInt(right)) return
  const [base, exponent] = [numberOf(left), numberOf(right)]
  const known = exponent ?? numberOf(file.names.definitionOf(bare(right)))
  // A power of two changes the exponent alone.
  if (base === 2 && Number.isInteger(known)) return
  const finding = { node, messageId: 'power' }
  if (exponent === 2 && bare(left)?.type === 'Identifier') {
    const name = file.text(left)
    file.report({ ...finding, fix: replace(node, productText(node, `${name} * ${name}`)) })
    return
  }
  const power = wholePower(base, exponent)
  if (power !== undefined) {
    file.report({ ...finding, fix: replace(node, power) })
    return
  }
  const api = reachApi(file, 'dmath', node)
  if (api === undefined) {
    file.report(finding)
    return
  }
  const text = `${api.local}.pow(${file.text(left)}, ${file.text(right)})`
  // Not by --fix: the operands could be BigInts, whose ** is exact.
  const suggestion = { messageId: 'usePow', data: { text }, fix: replace(node, text, api) }
  file.report({ ...finding, suggest: [suggestion] })
}

function checkPowerAssignment(file: File, node: Node): void {
  const [left, right] = [child(node, 'left'), child(node, 'right')]
  if (left === undefined || right === undefined || isBigInt(right)) return
  const isSquare = numberOf(right) === 2 && isPlain(left)
  const text = file.text(left)
  const fix = isSquare ? replace(node, `${text} *= ${text}`) : undefined
  file.report({ node, messageId: 'power', fix })
}

function isBigInt(node: Node): boolean {
  return typeof bare(node)?.bigint === 'string'
}

/** The digits of a power of two whole literals, as long as a number holds them exactly. */
function wholePower(base: number | undefined, exponent: number | undefined): string | undefined {
  if (!Number.isSafeInteger(base) || !Number.isSafeInteger(exponent)) return undefined
  if (base === undefined || exponent === undefined || base < 0) return undefined
  if (exponent < 0 || exponent > 53) return undefined
  const power = BigInt(base) ** BigInt(exponent)
  return power <= BigInt(Number.MAX_SAFE_INTEGER) ? String(power) : undefined
}
