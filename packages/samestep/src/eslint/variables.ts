import type { Scope, SourceCode } from 'eslint'
import { child, type Node, nameOf } from './syntax.ts'

/** A name and everything in the file that refers to it. */
export type Variable = Scope.Variable

/** A reference as the TypeScript parser gives it: it says whether it is one of types only. */
type TypedReference = Scope.Reference & { readonly isValueReference?: boolean }

/** Answers which declaration a name refers to. Made once per file. */
export class Names {
  readonly program: Node
  readonly #references = new Map<Node, Scope.Reference>()
  readonly #globals: Scope.Reference[] = []
  readonly #top: Variable[] = []
  readonly #scopes: Scope.Scope[]

  constructor(sourceCode: SourceCode) {
    this.program = sourceCode.ast as unknown as Node
    this.#scopes = sourceCode.scopeManager?.scopes ?? []
    for (const scope of this.#scopes) {
      if (isTop(scope)) this.#top.push(...scope.variables)
      for (const reference of scope.references) {
        if ((reference as TypedReference).isValueReference === false) continue
        this.#references.set(reference.identifier as unknown as Node, reference)
        if (isGlobal(reference)) this.#globals.push(reference)
      }
    }
  }

  /** References to what the file itself does not declare: `Math`, `window`, `process`. */
  get globals(): readonly Scope.Reference[] {
    return this.#globals
  }

  /** Variables of the file's top level, imports, functions and classes among them. */
  get topLevel(): readonly Variable[] {
    return this.#top.filter(({ defs }) => defs.length > 0)
  }

  /** What the identifier refers to, where the file declares it. */
  variableOf(identifier: Node | undefined): Variable | undefined {
    if (identifier === undefined) return undefined
    const variable = this.#references.get(identifier)?.resolved
    return variable !== null && variable !== undefined && variable.defs.length > 0
      ? variable
      : undefined
  }

  /** Whether the identifier names a global of the language or the host, not something local. */
  isGlobal(identifier: Node | undefined): boolean {
    const reference = identifier === undefined ? undefined : this.#references.get(identifier)
    return reference !== undefined && isGlobal(reference)
  }

  /** What `name` would refer to if it were written inside `node`. */
  lookUp(name: string, node: Node): Variable | undefined {
    let found: Variable | undefined
    let size = Number.POSITIVE_INFINITY
    for (const scope of this.#scopes) {
      const { range } = scope.block as unknown as Node
      const isAround = range[0] <= node.range[0] && node.range[1] <= range[1]
      const variable = isAround ? scope.set.get(name) : undefined
      // Inner scopes come later in the list, so that of two with the same block the inner one wins.
      if (variable === undefined || variable.defs.length === 0) continue
      if (range[1] - range[0] > size) continue
      size = range[1] - range[0]
      found = variable
    }
    return found
  }

  /** What a constant holds: its initialiser, the function or the class of that name. */
  definitionOf(identifier: Node | undefined): Node | undefined {
    const variable = this.variableOf(identifier)
    const def = variable?.defs[0]
    if (variable === undefined || def === undefined || variable.defs.length > 1) return undefined
    const node = def.node as unknown as Node
    if (def.type === 'FunctionName' || def.type === 'ClassName') return node
    if (def.type !== 'Variable' || nameOf(child(node, 'id')) === undefined) return undefined
    const isWrittenAgain = variable.references.some((ref) => ref.isWrite() && ref.init !== true)
    return isWrittenAgain ? undefined : child(node, 'init')
  }
}

/** A class has its name once outside and once inside, where methods refer to it. */
function isTop({ type, upper }: Scope.Scope): boolean {
  const place = type === 'class' ? upper?.type : type
  return place === 'module' || place === 'global'
}

function isGlobal({ resolved }: Scope.Reference): boolean {
  return resolved === null || resolved.defs.length === 0
}

/** Where an imported variable comes from: the module, and the name that it has there. */
export function importOf(
  variable: Variable | undefined,
): { readonly module: string; readonly name: string } | undefined {
  const def = variable?.defs[0]
  if (def?.type !== 'ImportBinding') return undefined
  const specifier = def.node as unknown as Node
  const module = child(def.parent as unknown as Node, 'source')?.value
  if (typeof module !== 'string') return undefined
  if (specifier.type === 'ImportNamespaceSpecifier') return { module, name: '*' }
  if (specifier.type !== 'ImportSpecifier') return { module, name: 'default' }
  const imported = child(specifier, 'imported')
  return { module, name: nameOf(imported) ?? String(imported?.value) }
}

/** Where each identifier of a pattern finds its value: `{ a: { b } }` gives `b` at `a`, `b`. */
export function patternPath(pattern: Node, identifier: Node): readonly string[] | undefined {
  if (pattern === identifier) return []
  switch (pattern.type) {
    case 'AssignmentPattern':
      return patternPath(child(pattern, 'left') ?? pattern, identifier)
    case 'RestElement':
      return patternPath(child(pattern, 'argument') ?? pattern, identifier)
    case 'TSParameterProperty':
      return patternPath(child(pattern, 'parameter') ?? pattern, identifier)
    default:
      return patternParts(pattern, identifier)
  }
}

function patternParts(pattern: Node, identifier: Node): readonly string[] | undefined {
  for (const part of patternEntries(pattern)) {
    const path = patternPath(part.target, identifier)
    if (path !== undefined) return part.name === undefined ? path : [part.name, ...path]
  }
  return undefined
}

/** The parts of an object or array pattern: what is taken, and where it goes. */
export function patternEntries(
  pattern: Node,
): { readonly name: string | undefined; readonly target: Node; readonly entry: Node }[] {
  const isObject = pattern.type === 'ObjectPattern'
  const list = isObject ? pattern.properties : pattern.elements
  if (!Array.isArray(list)) return []
  const entries: { name: string | undefined; target: Node; entry: Node }[] = []
  for (const [index, entry] of (list as (Node | null)[]).entries()) {
    if (entry === null) continue
    if (entry.type === 'RestElement') {
      // What is left of an object is read like the object itself.
      const target = child(entry, 'argument')
      if (target !== undefined) entries.push({ name: undefined, target, entry })
      continue
    }
    const target = isObject ? child(entry, 'value') : entry
    const name = isObject ? (patternKey(entry) ?? '*') : String(index)
    if (target !== undefined) entries.push({ name, target, entry })
  }
  return entries
}

function patternKey(property: Node): string | undefined {
  const key = child(property, 'key')
  if (property.computed !== true && key?.type === 'Identifier') return nameOf(key)
  return typeof key?.value === 'string' ? key.value : undefined
}
