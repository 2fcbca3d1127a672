/**
 * Finds every use of a global in a file, under whatever name it goes there.
 *
 *     const { random: roll } = Math      Math.random, named here
 *     const m = globalThis.Math          an alias …
 *     m['random']()                      … so this names Math.random too
 *     function f(Math) { Math.random() } not the global: never found
 *
 * What is passed on as an argument or kept in an object is lost from sight; it was named before that,
 * and that is where a rule reports it.
 */
import type { SourceCode } from 'eslint'
import {
  bare,
  child,
  children,
  type Node,
  nameOf,
  parentOf,
  staticName,
  textOf,
  wrapped,
} from './syntax.ts'
import { type Names, patternEntries, type Variable } from './variables.ts'

/** One use of a global. */
export type GlobalUse = {
  /** `Math.random`, `Date`; `new Date` for what `new Date()` gives; `Math.*` for `Math[name]`. */
  readonly path: string
  /** The node that names it. */
  readonly node: Node
  readonly how: 'call' | 'construct' | 'member' | 'read'
  /** True where a local name stands for it, and the global was named before. */
  readonly isAlias: boolean
}

/** Names of the global object: whatever is read from it is a global. */
const globalObjects: ReadonlySet<string> = new Set(['globalThis', 'window', 'self', 'global'])

/** Globals that are plain values: nothing is read from them. */
const values: ReadonlySet<string> = new Set(['undefined', 'NaN', 'Infinity'])

/** Modules of Node that export globals of the same meaning. */
const globalModules: ReadonlyMap<string, readonly string[]> = new Map([
  ['crypto', ['crypto']],
  ['process', ['process']],
  ['perf_hooks', []],
  ['timers', []],
])

const builtins: ReadonlySet<string> = new Set([
  ...['child_process', 'cluster', 'crypto', 'dgram', 'dns', 'fs', 'http', 'http2', 'https', 'net'],
  ...['os', 'perf_hooks', 'process', 'readline', 'timers', 'tls', 'tty', 'v8', 'vm'],
  ...['worker_threads'],
])

/** One more than any rule asks for. `node = node.next` would make a path that never ends. */
const pathMax = 4

/** A variable that stands for more things than this is none that a reader could follow either. */
const meaningsMax = 16

const cache = new WeakMap<SourceCode, readonly GlobalUse[]>()

/** All uses of globals and of Node's own modules in a file, in the order of their names' scopes. */
export function findGlobalUses(sourceCode: SourceCode, names: Names): readonly GlobalUse[] {
  const known = cache.get(sourceCode)
  if (known !== undefined) return known
  const tracer = new Tracer(names)
  for (const { identifier } of names.globals) tracer.follow(identifier as unknown as Node, [], true)
  for (const statement of children(names.program, 'body')) tracer.followImport(statement)
  cache.set(sourceCode, tracer.uses)
  return tracer.uses
}

/** Where a module of Node starts: as the global that it is, or under `node:` and its name. */
function modulePath(module: string): readonly string[] | undefined {
  const name = module.replace(/^node:/, '')
  const isBuiltin = name !== module || builtins.has(name.split('/')[0] ?? '')
  return isBuiltin ? (globalModules.get(name) ?? [`node:${name}`]) : undefined
}

class Tracer {
  readonly uses: GlobalUse[] = []
  readonly #names: Names
  readonly #visited = new Map<Variable, Set<string>>()

  constructor(names: Names) {
    this.#names = names
  }

  /** Follows a reference to a global (`isRoot`), or a node whose value is the global at `path`. */
  follow(node: Node, path: readonly string[], isRoot = false, isAlias = false): void {
    const name = isRoot ? nameOf(node) : undefined
    if (name === 'require') this.#followRequire(node)
    else if (name !== undefined && !values.has(name))
      this.#followValue(node, this.#join([], name), false)
    else if (!isRoot) this.#followValue(node, path, isAlias)
  }

  followImport(statement: Node): void {
    if (statement.type !== 'ImportDeclaration' || statement.importKind === 'type') return
    const path = modulePath(String(child(statement, 'source')?.value))
    if (path === undefined) return
    for (const specifier of children(statement, 'specifiers')) {
      const local = child(specifier, 'local')
      const variable = this.#names.topLevel.find(({ identifiers }) =>
        identifiers.some((identifier) => (identifier as unknown as Node) === local),
      )
      const imported = child(specifier, 'imported')
      const name = nameOf(imported) ?? imported?.value
      const isWhole = specifier.type !== 'ImportSpecifier' || name === 'default'
      const full = isWhole ? path : this.#join(path, String(name))
      if (!isWhole) this.#emit(full, specifier, 'read', false)
      if (variable !== undefined) this.#followVariable(variable, full, !isWhole)
    }
  }

  #followRequire(node: Node): void {
    const call = parentOf(node)
    if (call?.type !== 'CallExpression' || call.callee !== node) return
    const path = modulePath(textOf(children(call, 'arguments')[0]) ?? '')
    if (path !== undefined) this.#followValue(call, path, true)
  }

  #join(path: readonly string[], name: string): readonly string[] {
    return path.length === 0 && globalObjects.has(name) ? [] : [...path, name]
  }

  #emit(path: readonly string[], node: Node, how: GlobalUse['how'], isAlias: boolean): void {
    if (path.length > 0) this.uses.push({ path: path.join('.'), node, how, isAlias })
  }

  #followValue(node: Node, path: readonly string[], isAlias: boolean): void {
    const outer = wrapped(node)
    const parent = parentOf(outer)
    if (
      parent === undefined ||
      (parent.type.startsWith('TS') && parent.type !== 'TSExportAssignment')
    )
      return
    switch (parent.type) {
      case 'MemberExpression':
        if (parent.object === outer) this.#followMember(node, parent, path, isAlias)
        return
      case 'CallExpression':
        this.#emit(path, node, parent.callee === outer ? 'call' : 'read', isAlias)
        return
      case 'NewExpression':
        this.#emit(path, node, parent.callee === outer ? 'construct' : 'read', isAlias)
        if (parent.callee === outer) this.#followValue(parent, [`new ${path.join('.')}`], false)
        return
      case 'ConditionalExpression':
      case 'LogicalExpression':
      case 'SequenceExpression':
        this.#emit(path, node, 'read', isAlias)
        if (parent.test !== outer) this.#followValue(parent, path, true)
        return
      default:
        this.#emit(path, node, isTakenApart(parent) ? 'member' : 'read', isAlias)
        this.#followAssignment(parent, outer, path)
    }
  }

  #followMember(node: Node, member: Node, path: readonly string[], isAlias: boolean): void {
    this.#emit(path, node, 'member', isAlias)
    const name = staticName(member, 'property') ?? this.#constantName(member)
    this.#followValue(member, this.#join(path, name ?? '*'), false)
  }

  /** `Math[key]` where `key` is a constant text. */
  #constantName(member: Node): string | undefined {
    return textOf(this.#names.definitionOf(bare(child(member, 'property'))))
  }

  #followAssignment(parent: Node, value: Node, path: readonly string[]): void {
    if (parent.type === 'VariableDeclarator' && parent.init === value) {
      this.#followTarget(child(parent, 'id'), path)
    } else if (parent.type === 'AssignmentExpression' && parent.right === value) {
      this.#followTarget(child(parent, 'left'), path)
      this.#followValue(parent, path, true)
    } else if (parent.type === 'AssignmentPattern' && parent.right === value) {
      this.#followTarget(child(parent, 'left'), path)
    }
  }

  #followTarget(target: Node | undefined, path: readonly string[]): void {
    if (target === undefined) return
    if (target.type === 'AssignmentPattern') {
      this.#followTarget(child(target, 'left'), path)
    } else if (target.type === 'Identifier') {
      const variable = this.#names.variableOf(target)
      if (variable !== undefined) this.#followVariable(variable, path, true)
    } else if (target.type === 'ObjectPattern') {
      for (const { name, target: inner, entry } of patternEntries(target)) {
        const full = name === undefined ? path : this.#join(path, name)
        if (name !== undefined) this.#emit(full, entry, 'read', false)
        this.#followTarget(inner, full)
      }
    }
  }

  #followVariable(variable: Variable, path: readonly string[], isAlias: boolean): void {
    const key = path.join('.')
    const seen = this.#visited.get(variable) ?? new Set()
    const isTooMuch = path.length > pathMax || seen.size >= meaningsMax
    if (isTooMuch || seen.has(key)) return
    this.#visited.set(variable, seen.add(key))
    for (const reference of variable.references) {
      if (!reference.isRead()) continue
      this.follow(reference.identifier as unknown as Node, path, false, isAlias)
    }
  }
}

/** `const { random } = Math` reads members of Math, like `Math.random`. */
function isTakenApart(parent: Node): boolean {
  const target = child(parent, 'id') ?? child(parent, 'left')
  return target?.type === 'ObjectPattern'
}
