/**
 * Rewrites JavaScript so that it tells which ways it took. Every place where control can go one way or
 * another gets a call with a number of its own; allocations of typed arrays are wrapped, so that they can
 * be added up. The result computes the same as before.
 */
import { parseSync } from 'vite'

/** A node of the syntax tree, as far as this needs to know it. */
type Node = {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

type Insertion = { readonly at: number; readonly isEnd: boolean; readonly text: string }

/** Rewritten code. It expects two functions in scope: see {@link visitName} and {@link allocateName}. */
export type Instrumented = {
  readonly code: string
  readonly points: number
  /** Whole numbers that the code mentions, each once: what it compares with is worth a try. */
  readonly constants: readonly number[]
}

/** The function that is called with the number of each place that is passed. */
export const visitName = '$visit'

/** The function through which each new array is handed. */
export const allocateName = '$allocate'

const arrayTypes =
  /^(?:(?:Uint|Int)(?:8|16|32)|Float(?:32|64)|BigU?int64|Uint8Clamped)?Array(?:Buffer)?$/

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

class Instrumenter {
  readonly insertions: Insertion[] = []
  readonly constants = new Set<number>()
  points = 0

  walk(node: Node): void {
    this.visit(node)
    for (const child of Object.values(node)) {
      if (Array.isArray(child)) {
        for (const item of child) if (isNode(item)) this.walk(item)
      } else if (isNode(child)) this.walk(child)
    }
  }

  visit(node: Node): void {
    switch (node.type) {
      case 'FunctionDeclaration':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'CatchClause':
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.wrapBody(node.body)
        return
      case 'IfStatement':
        this.wrapBody(node.consequent)
        if (isNode(node.alternate)) this.wrapBody(node.alternate)
        return
      case 'ConditionalExpression':
        this.wrapBody(node.consequent)
        this.wrapBody(node.alternate)
        return
      case 'LogicalExpression':
        this.wrapBody(node.right)
        return
      case 'SwitchCase':
        this.markCase(node)
        return
      case 'NewExpression':
        this.wrapAllocation(node)
        return
      case 'Literal':
        this.noteConstant(node.value)
    }
  }

  /** Counts the beginning of a branch, whether it is a block, a statement or an expression. */
  wrapBody(body: unknown): void {
    if (!isNode(body)) return
    const call = `${visitName}(${this.points++})`
    if (body.type === 'BlockStatement') {
      this.insert(body.start + 1, false, `${call};`)
    } else if (body.type.endsWith('Statement') || body.type.endsWith('Declaration')) {
      this.insert(body.start, false, `{${call};`)
      this.insert(body.end, true, '}')
    } else {
      this.insert(body.start, false, `(${call},`)
      this.insert(body.end, true, ')')
    }
  }

  markCase(node: Node): void {
    const [first] = node.consequent as Node[]
    if (first === undefined) return
    this.insert(first.start, false, `${visitName}(${this.points++});`)
  }

  wrapAllocation(node: Node): void {
    const { callee } = node
    if (!isNode(callee) || callee.type !== 'Identifier' || !arrayTypes.test(String(callee.name)))
      return
    this.insert(node.start, false, `${allocateName}(`)
    this.insert(node.end, true, ')')
  }

  noteConstant(value: unknown): void {
    if (Number.isInteger(value) && Number(value) <= 0xffff_ffff) this.constants.add(Number(value))
  }

  insert(at: number, isEnd: boolean, text: string): void {
    this.insertions.push({ at, isEnd, text })
  }

  /** Outer nodes come first in the list: at one place they open first and close last. */
  apply(code: string): string {
    const sorted = this.insertions
      .map((insertion, order) => ({ ...insertion, order }))
      .sort((a, b) => {
        if (a.at !== b.at) return a.at - b.at
        if (a.isEnd !== b.isEnd) return a.isEnd ? -1 : 1
        return a.isEnd ? b.order - a.order : a.order - b.order
      })
    let result = ''
    let from = 0
    for (const { at, text } of sorted) {
      result += code.slice(from, at) + text
      from = at
    }
    return result + code.slice(from)
  }
}

/** Instruments a script. */
export function instrument(code: string): Instrumented {
  const { program, errors } = parseSync('script.js', code, { lang: 'js', sourceType: 'script' })
  const [error] = errors
  if (error !== undefined) throw new Error(`Cannot instrument: ${error.message}`)
  const instrumenter = new Instrumenter()
  instrumenter.walk(program as unknown as Node)
  const { points, constants } = instrumenter
  return { code: instrumenter.apply(code), points, constants: [...constants] }
}
