import type { Rule } from 'eslint'
import { isSamestep } from './region.ts'
import type { Edit, File } from './rule.ts'
import { child, children, type Node, parentOf } from './syntax.ts'
import { importOf } from './variables.ts'

/** A name of Samestep's as it can be written at some place of a file. */
export type ApiName = {
  readonly local: string
  /** The change that imports it; does nothing where it is imported already. */
  bring(fixer: Rule.RuleFixer): Rule.Fix[]
}

/**
 * How to write `name` of Samestep at `node`. `undefined` where the name means something else there,
 * or where nothing can be imported.
 */
export function reachApi(file: File, name: string, node: Node): ApiName | undefined {
  const { names } = file
  for (const variable of names.topLevel) {
    const origin = importOf(variable)
    if (origin === undefined || origin.name !== name || !isSamestep(origin.module)) continue
    if (names.lookUp(variable.name, node) !== variable) continue
    return { local: variable.name, bring: () => [] }
  }
  if (names.program.sourceType !== 'module' || names.lookUp(name, node) !== undefined) {
    return undefined
  }
  return { local: name, bring: (fixer) => [importName(file, fixer, name)] }
}

function importName({ names }: File, fixer: Rule.RuleFixer, name: string): Rule.Fix {
  const body = children(names.program, 'body')
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || statement.importKind === 'type') continue
    if (child(statement, 'source')?.value !== 'samestep') continue
    const last = children(statement, 'specifiers').at(-1)
    if (last?.type === 'ImportSpecifier') return fixer.insertTextAfterRange(at(last), `, ${name}`)
  }
  const first = body.find((statement) => typeof statement.directive !== 'string')
  const line = `import { ${name} } from 'samestep'\n`
  return fixer.insertTextBeforeRange(first === undefined ? [0, 0] : at(first), line)
}

/** A node's range as ESLint's fixer takes it. */
export function at(node: Node): [number, number] {
  return [node.range[0], node.range[1]]
}

/** An edit that replaces a node by a text, and brings in what the text needs. */
export function replace(node: Node, text: string, api?: ApiName): Edit {
  return (fixer) => [...(api?.bring(fixer) ?? []), fixer.replaceTextRange(at(node), text)]
}

/** Parents in which a product needs no brackets of its own. */
const roomy: ReadonlySet<string> = new Set([
  'ArrayExpression',
  'ArrowFunctionExpression',
  'AssignmentExpression',
  'AssignmentPattern',
  'ExpressionStatement',
  'IfStatement',
  'Property',
  'PropertyDefinition',
  'ReturnStatement',
  'SequenceExpression',
  'TemplateLiteral',
  'VariableDeclarator',
])

/** Operators that bind less than `*`. */
const loose: ReadonlySet<unknown> = new Set([
  ...['+', '-', '<', '<=', '>', '>=', '==', '===', '!=', '!=='],
  ...['&', '|', '^', '<<', '>>', '>>>'],
])

/** The text of a product in the place of `node`: with brackets where it could be torn apart. */
export function productText(node: Node, product: string): string {
  const parent = parentOf(node)
  if (parent === undefined) return product
  const isArgument =
    (parent.type === 'CallExpression' || parent.type === 'NewExpression') && parent.callee !== node
  const isIndex = parent.type === 'MemberExpression' && parent.property === node
  const isTerm = parent.type === 'BinaryExpression' && loose.has(parent.operator)
  return roomy.has(parent.type) || isArgument || isIndex || isTerm ? product : `(${product})`
}

/** Whether reading the expression twice gives the same and does nothing: names and fields of them. */
export function isPlain(node: Node | undefined): node is Node {
  switch (node?.type) {
    case 'Identifier':
    case 'Literal':
    case 'ThisExpression':
      return true
    case 'TSNonNullExpression':
      return isPlain(child(node, 'expression'))
    case 'MemberExpression':
      return (
        isPlain(child(node, 'object')) &&
        (node.computed !== true || isPlain(child(node, 'property')))
      )
    default:
      return false
  }
}
