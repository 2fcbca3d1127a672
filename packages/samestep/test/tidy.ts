/**
 * The rules of this code base that no compiler knows, as a checker over the syntax tree.
 *
 * Each rule answers with a sentence that says what to write instead, because whoever breaks it is
 * in the middle of something else. `tidy.test.ts` runs it over `src/`; the linter holds the same
 * layers in the editor, and the test compares the two lists.
 */
import { posix } from 'node:path'
import { coreLayers, layers, machineLayers, mayImport, pureLayers } from './layers.ts'
import { checkShapes } from './tidy-shapes.ts'
import {
  bare,
  isNode,
  isPropertyName,
  type Node,
  nameOf,
  parseTree,
  type Tree,
  walk,
} from './tidy-tree.ts'

/** Long enough for one idea with its comments; above it, a file holds two. */
const fileLinesMax = 400

/** Something that the bans forbid, and why it may stay. */
export type Allowance = { readonly path: string; readonly name: string; readonly reason: string }

/** Every exception, so that one place shows how pure the core is. */
export const allowances: readonly Allowance[] = [
  {
    path: 'sim/hash/sha256.ts',
    name: 'process',
    reason: 'Node has SHA-256 built in, many times faster; the bits are the same',
  },
  {
    path: 'sim/snapshot/deflate.ts',
    name: 'fflate',
    reason: 'pure JavaScript, pinned: the same bytes on every machine, without a clock or a locale',
  },
  {
    path: 'base/environment.ts',
    name: 'process',
    reason: 'NODE_ENV decides whether development checks run; they never change the state',
  },
  {
    path: 'sim/guard/create-guard.ts',
    name: 'process',
    reason: 'a bundler must find NODE_ENV beside the guard, to leave the guard out of production',
  },
]

const noClock = 'take nowMs from the caller'
const noTimer = 'give a wake-up time; the driver owns the timers'
const noPromise = 'queue an output; the core is synchronous'
const noGarbage = 'drop the reference yourself; garbage collection differs between machines'

/** Names that a pure layer must not refer to, and what to do instead. */
const bannedNames: ReadonlyMap<string, string> = new Map([
  ['Date', noClock],
  ['performance', noClock],
  ['setTimeout', noTimer],
  ['setInterval', noTimer],
  ['setImmediate', noTimer],
  ['requestAnimationFrame', noTimer],
  ['queueMicrotask', noPromise],
  ['Promise', noPromise],
  ['crypto', 'take a seed or a key from the caller'],
  ['process', 'take it as an option; the core does not know its machine'],
  ['console', 'return an event; the core does not print'],
  ['Intl', 'write the rule out; locale data differs between machines'],
  ['WeakRef', noGarbage],
  ['FinalizationRegistry', noGarbage],
])

/** Methods, of whatever object, whose result depends on the machine's language. */
const bannedMethods: ReadonlyMap<string, string> = new Map([
  ['toLocaleString', 'use String(value)'],
  ['toLocaleLowerCase', 'use toLowerCase'],
  ['toLocaleUpperCase', 'use toUpperCase'],
  ['toLocaleDateString', 'use a tick number'],
  ['toLocaleTimeString', 'use a tick number'],
  ['localeCompare', 'use < and >, which compare code units everywhere'],
])

/** What of Math is defined to the last bit in every engine: these functions, and the constants. */
const exactMath: ReadonlySet<string> = new Set([
  ...[
    'abs',
    'ceil',
    'clz32',
    'floor',
    'fround',
    'imul',
    'max',
    'min',
    'round',
    'sign',
    'sqrt',
    'trunc',
  ],
  ...['E', 'LN10', 'LN2', 'LOG10E', 'LOG2E', 'PI', 'SQRT1_2', 'SQRT2'],
])

/** One broken rule. */
export type Violation = { readonly path: string; readonly line: number; readonly message: string }

type Report = (node: { readonly start: number }, message: string) => void
type File = {
  readonly path: string
  readonly layer: string
  readonly tree: Tree
  readonly text: string
}

/** Checks one file of `src/`, given by its path below `src/` (`sim/hash/tree.ts`) and its text. */
export function checkFile(path: string, text: string, allowed = allowances): Violation[] {
  const violations: Violation[] = []
  const report: Report = ({ start }, message) => {
    violations.push({ path, line: text.slice(0, start).split('\n').length, message })
  }
  const layer = path.includes('/') ? path.slice(0, path.indexOf('/')) : ''
  const file: File = { path, layer, tree: parseTree(path, text), text }
  const isIndex = posix.basename(path) === 'index.ts'
  checkPlace(file, isIndex, report)
  checkImports(file, allowed, report)
  if (isIndex) checkIndex(file, report)
  else checkExports(file, report)
  if (pureLayers.includes(layer)) checkBans(file, allowed, report)
  checkShapes(path, layer, file.tree, report)
  return violations.sort((a, b) => a.line - b.line)
}

function checkPlace({ path, layer, text }: File, isIndex: boolean, report: Report): void {
  const top = { start: 0 }
  const order: readonly string[] = layers
  if (layer === '' ? !isIndex : !order.includes(layer)) {
    report(top, `${path} is in no layer: move it into one of ${layers.join(', ')}`)
  }
  const lines = text.trimEnd().split('\n').length
  if (lines > fileLinesMax) {
    report(top, `${lines} lines are more than ${fileLinesMax}: split the file by idea`)
  }
}

function checkImports(file: File, allowed: readonly Allowance[], report: Report): void {
  walk(file.tree.program, (node) => {
    const source = node.type === 'TSImportType' ? (node.argument ?? node.source) : node.source
    const literal = isNode(source) && source.type === 'TSLiteralType' ? source.literal : source
    if (!/^(?:Import|Export|TSImportType)/.test(node.type) || !isNode(literal)) return
    const specifier = literal.value
    if (typeof specifier !== 'string') return
    const isAllowed = allowed.some(({ path, name }) => path === file.path && name === specifier)
    if (!isAllowed) checkImport(file, node, specifier, report)
  })
}

function checkImport({ path, layer }: File, node: Node, specifier: string, report: Report): void {
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(path), specifier)
    if (target.startsWith('..')) {
      report(node, `${specifier} leaves src: import only what the package ships`)
      return
    }
    const other = target.includes('/') ? target.slice(0, target.indexOf('/')) : 'index.ts'
    if (layer === '' || other === layer || mayImport(layer, other)) return
    report(
      node,
      `${layer} must not import ${other} (${specifier}): move what both need down, or pass it in from above`,
    )
  } else if (specifier.startsWith('node:')) {
    if (machineLayers.includes(layer)) return
    report(
      node,
      `${layer} must not import ${specifier}: only ${machineLayers.join(', ')} touch the machine`,
    )
  } else if (coreLayers.includes(layer)) {
    report(node, `${layer} must not import the package ${specifier}: the core has no dependencies`)
  }
}

function checkIndex({ tree }: File, report: Report): void {
  for (const statement of statementsOf(tree)) {
    const isStarAs = statement.type === 'ExportAllDeclaration' && isNode(statement.exported)
    const isNamed = statement.type === 'ExportNamedDeclaration' && isNode(statement.source)
    if (!isStarAs && !isNamed) {
      report(statement, "an index only re-exports by name: write export { a } from './a.ts'")
    }
  }
}

function checkExports({ tree, text }: File, report: Report): void {
  const statements = statementsOf(tree)
  const documented = documentedNames(statements, tree, text)
  for (const statement of statements) {
    if (statement.type === 'ExportDefaultDeclaration') {
      report(statement, 'no default exports: give it a name, so that every file calls it the same')
    }
    if (statement.type === 'ExportAllDeclaration' && !isNode(statement.exported)) {
      report(statement, 'export * hides what is exported: re-export by name')
    }
    if (statement.type !== 'ExportNamedDeclaration' || isNode(statement.source)) continue
    for (const name of exportedNames(statement)) {
      if (name === 'default') report(statement, 'no default exports: export it under its own name')
      else if (!documented.has(name)) {
        report(
          statement,
          `${name} is exported without a doc comment: say what it is for the caller`,
        )
      }
    }
  }
}

function statementsOf(tree: Tree): readonly Node[] {
  const body = tree.program.body
  return Array.isArray(body) ? body.filter(isNode) : []
}

/** Names that one statement declares. */
function declaredNames(declaration: Node): string[] {
  const { declarations } = declaration as { declarations?: unknown }
  const nodes = Array.isArray(declarations) ? declarations.filter(isNode) : [declaration]
  return nodes.flatMap((node) => nameOf(node.id) ?? [])
}

/** Local names that one `export` statement gives away. */
function exportedNames(statement: Node): string[] {
  if (isNode(statement.declaration)) return declaredNames(statement.declaration)
  const { specifiers } = statement as { specifiers?: unknown }
  const nodes = Array.isArray(specifiers) ? specifiers.filter(isNode) : []
  return nodes.map((node) =>
    nameOf(node.exported) === 'default' ? 'default' : (nameOf(node.local) ?? ''),
  )
}

/**
 * Names with a doc comment. Overloads share the comment of the first, and constants on the lines
 * right below a commented one belong to it: five shifts of one hash need one explanation.
 */
function documentedNames(
  statements: readonly Node[],
  tree: Tree,
  text: string,
): ReadonlySet<string> {
  const documented = new Set<string>()
  let lastEnd = 0
  let wasCommentedConst = false
  for (const statement of statements) {
    const declaration = isNode(statement.declaration) ? statement.declaration : statement
    const isNextLine = text.slice(lastEnd, statement.start).split('\n').length === 2
    const isConst = declaration.type === 'VariableDeclaration'
    const joins: boolean = isConst && wasCommentedConst && isNextLine
    const isCommented: boolean = joins || hasDocComment(tree, text, statement)
    if (isCommented) for (const name of declaredNames(declaration)) documented.add(name)
    wasCommentedConst = isCommented && isConst
    lastEnd = Number(statement.end)
  }
  return documented
}

function hasDocComment(tree: Tree, text: string, statement: Node): boolean {
  const before = tree.comments.filter(({ end }) => end <= statement.start).at(-1)
  if (before === undefined || !before.value.startsWith('*')) return false
  // An editor shows the comment alone: there is nothing above it.
  if (/^\*\s*See above/.test(before.value)) return false
  return text.slice(before.end, statement.start).trim() === ''
}

function checkBans(file: File, allowed: readonly Allowance[], report: Report): void {
  const isAllowed = (name: string): boolean =>
    allowed.some((entry) => entry.path === file.path && entry.name === name)
  walk(file.tree.program, (node, parent, key) => {
    const name = nameOf(node)
    const instead = name === undefined ? undefined : bannedNames.get(name)
    const isReference = !isPropertyName(parent, key) || isGlobalMember(parent)
    if (instead !== undefined && isReference && !isAllowed(String(name))) {
      report(node, `${name} is banned in ${file.layer}: ${instead}`)
    }
    if (name === 'Math' && isReference) checkMath(file, node, parent, report)
    const method = key === 'property' && parent?.type === 'MemberExpression' ? name : undefined
    const insteadOfMethod = method === undefined ? undefined : bannedMethods.get(method)
    if (insteadOfMethod !== undefined) {
      report(node, `${method} is banned in ${file.layer}: ${insteadOfMethod}`)
    }
    checkSyntax(file, node, report)
  })
}

/** `globalThis.Date` is a reference to Date, whatever casts stand between. */
function isGlobalMember(parent: Node | undefined): boolean {
  if (parent?.type !== 'MemberExpression' || !isNode(parent.object)) return false
  return nameOf(bare(parent.object)) === 'globalThis'
}

function checkMath(file: File, node: Node, parent: Node | undefined, report: Report): void {
  const isMember = parent?.type === 'MemberExpression' && parent.computed !== true
  const member = isMember ? nameOf(parent.property) : undefined
  if (member === undefined || parent?.object !== node) {
    report(
      node,
      'write Math.name in full, so that a reader and this check see which function it is',
    )
  } else if (member === 'random') {
    report(node, `Math.random is banned in ${file.layer}: draw from a seeded generator`)
  } else if (!exactMath.has(member)) {
    report(node, `Math.${member} differs between engines: use the function of sim/math`)
  }
}

function checkSyntax(file: File, node: Node, report: Report): void {
  if (node.async === true || node.type === 'AwaitExpression' || node.await === true) {
    report(node, `async and await are banned in ${file.layer}: ${noPromise}`)
  }
  if (node.type === 'ImportExpression') {
    report(node, `import() is banned in ${file.layer}: it is a promise; import at the top`)
  }
  const isPower = node.operator === '**' || node.operator === '**='
  if (isPower && file.layer === 'sim' && !isPowerOfTwo(node)) {
    report(node, '** differs between engines: multiply, shift, or use the function of sim/math')
  }
}

/** `2 ** 32` is exact everywhere, and says more than 4294967296. */
function isPowerOfTwo(node: Node): boolean {
  const { left, right } = node
  if (node.operator !== '**' || !isNode(left) || !isNode(right)) return false
  const exponent =
    right.type === 'UnaryExpression' && right.operator === '-' ? right.argument : right
  const isInteger = isNode(exponent) && /^\d+n?$/.test(String(exponent.raw))
  return isInteger && /^2n?$/.test(String(left.raw))
}
