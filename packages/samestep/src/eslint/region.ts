/**
 * Which part of a file is simulation code.
 *
 * In a file of the simulation that is everything. In a file where a game stands beside the page that
 * shows it, it is what the game's definition holds, and whatever of the same file that refers to:
 *
 *     const speed = fixed.from(0.25)          used by move: inside
 *     function move({ state }) { … speed … }  named in systems: inside
 *     export const dots = defineGame({ systems: [move] })
 *     setInterval(draw, 16)                   outside
 */
import {
  child,
  children,
  isFunction,
  type Node,
  nameOf,
  parentOf,
  staticName,
  walk,
} from './syntax.ts'
import { importOf, type Names } from './variables.ts'

/** Calls whose arguments run inside the simulation, by their names in Samestep. */
const declarers: ReadonlySet<string> = new Set(['defineGame', 'system', 'derived', 'custom'])

/** Types that only functions of the simulation are given. */
const contexts: ReadonlySet<string> = new Set([
  'SetupContext',
  'ValidateContext',
  'ApplyContext',
  'StepContext',
])

/** The nodes that hold a file's simulation code. */
export class Region {
  readonly #names: Names
  readonly #roots = new Set<Node>()

  constructor(names: Names) {
    this.#names = names
    walk(names.program, (node) => {
      if (node.type === 'CallExpression' && this.#isDeclarer(child(node, 'callee'))) {
        for (const argument of children(node, 'arguments')) this.#add(argument)
      } else if (isFunction(node) && takesContext(node, names.program)) this.#add(node)
    })
  }

  /** Whether the node is part of the simulation. */
  has(node: Node): boolean {
    let outer: Node | undefined = node
    while (outer !== undefined && !this.#roots.has(outer)) outer = parentOf(outer)
    return outer !== undefined
  }

  #isDeclarer(callee: Node | undefined): boolean {
    const name = apiName(callee, this.#names)
    return name !== undefined && declarers.has(name)
  }

  #add(root: Node): void {
    if (this.has(root)) return
    this.#roots.add(root)
    walk(root, (node) => {
      if (node.type !== 'Identifier') return
      const variable = this.#names.variableOf(node)
      for (const def of variable?.defs ?? []) {
        // A parameter's value comes from its callers, and they are reached on their own.
        if (def.type !== 'Parameter') this.#add(def.node as unknown as Node)
      }
    })
  }
}

/**
 * The name that a called function has in Samestep, whatever it is called here. `defineGame` counts
 * from wherever it is imported, because a project may hand it on; shorter names only from Samestep.
 */
export function apiName(callee: Node | undefined, names: Names): string | undefined {
  if (callee?.type === 'MemberExpression') {
    const from = importOf(names.variableOf(child(callee, 'object')))
    const isNamespace = from?.name === '*' && isSamestep(from.module)
    return isNamespace ? staticName(callee, 'property') : undefined
  }
  const origin = importOf(names.variableOf(callee))
  if (origin === undefined) return undefined
  return isSamestep(origin.module) || origin.name === 'defineGame' ? origin.name : undefined
}

/** Whether a module is Samestep or one of its subpaths. */
export function isSamestep(module: string): boolean {
  return module === 'samestep' || module.startsWith('samestep/')
}

/** Whether a parameter is typed as a context, directly or by a type of this file. */
function takesContext(node: Node, program: Node): boolean {
  return children(node, 'params').some((parameter) => {
    const annotation = child(child(parameter, 'typeAnnotation'), 'typeAnnotation')
    return isContext(annotation, program, 0)
  })
}

/** Longer chains of types than anybody writes; a type that names itself ends here too. */
const aliasDepthMax = 8

function isContext(type: Node | undefined, program: Node, depth: number): boolean {
  if (type?.type !== 'TSTypeReference' || depth > aliasDepthMax) return false
  const name = nameOf(child(type, 'typeName'))
  if (name === undefined) return false
  if (contexts.has(name)) return true
  for (const statement of children(program, 'body')) {
    const declaration = child(statement, 'declaration') ?? statement
    if (declaration.type !== 'TSTypeAliasDeclaration') continue
    if (nameOf(child(declaration, 'id')) !== name) continue
    return isContext(child(declaration, 'typeAnnotation'), program, depth + 1)
  }
  return false
}
