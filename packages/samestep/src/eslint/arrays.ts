import type { File } from './rule.ts'
import { bare, child, children, isMember, type Node, nameOf, textOf } from './syntax.ts'

/** Calls whose result is a list of texts. */
const texts: ReadonlySet<string> = new Set(['keys', 'getOwnPropertyNames', 'split', 'match'])

/** Methods that give a list of the same kind as the one that they are called on. */
const keepers: ReadonlySet<string> = new Set([
  ...['filter', 'slice', 'concat', 'reverse', 'toReversed', 'subarray', 'sort', 'toSorted', 'with'],
])

const numeric =
  /^(?:Int8|Uint8|Uint8Clamped|Int16|Uint16|Int32|Uint32|Float16|Float32|Float64|BigInt64|BigUint64)Array$/

/** Constants lead to constants, but not for ever. */
const depthMax = 8

/** Whether the list holds nothing but texts, which sort alike everywhere without a comparator. */
export function isTextArray(node: Node | undefined, file: File, depth = 0): boolean {
  const list = bare(node)
  if (list === undefined || depth > depthMax) return false
  if (list.type === 'ArrayExpression') {
    const elements = children(list, 'elements')
    return elements.length > 0 && elements.every((element) => isText(element, file, depth))
  }
  if (nameOf(list) !== undefined) {
    if (isTypedText(annotationOf(list, file))) return true
    return isTextArray(file.names.definitionOf(list), file, depth + 1)
  }
  if (list.type !== 'CallExpression') return false
  const callee = bare(child(list, 'callee'))
  if (isMember(callee, keepers)) return isTextArray(child(callee, 'object'), file, depth + 1)
  if (isMember(callee, new Set(['map']))) return nameOf(children(list, 'arguments')[0]) === 'String'
  if (!isMember(callee, texts)) return false
  const object = child(callee, 'object')
  const isKeys = nameOf(child(callee, 'property')) === 'keys'
  // map.keys() may give anything; Object.keys gives texts.
  return !isKeys || (nameOf(object) === 'Object' && file.names.isGlobal(object))
}

function isText(node: Node, file: File, depth: number): boolean {
  if (textOf(node) !== undefined || node.type === 'TemplateLiteral') return true
  return node.type === 'SpreadElement' && isTextArray(child(node, 'argument'), file, depth + 1)
}

/** Whether the list is a typed array, which sorts by value without a comparator. */
export function isNumericArray(node: Node | undefined, file: File, depth = 0): boolean {
  const list = bare(node)
  if (list === undefined || depth > depthMax) return false
  if (nameOf(list) !== undefined) {
    const type = annotationOf(list, file)
    if (type?.type === 'TSTypeReference' && numeric.test(nameOf(child(type, 'typeName')) ?? '')) {
      return true
    }
    return isNumericArray(file.names.definitionOf(list), file, depth + 1)
  }
  const callee = bare(child(list, 'callee'))
  if (list.type === 'NewExpression') return isTyped(callee, file)
  if (list.type !== 'CallExpression' || callee?.type !== 'MemberExpression') return false
  const object = child(callee, 'object')
  return (
    isTyped(object, file) || (isMember(callee, keepers) && isNumericArray(object, file, depth + 1))
  )
}

function isTyped(node: Node | undefined, { names }: File): boolean {
  return numeric.test(nameOf(node) ?? '') && names.isGlobal(node)
}

/** The type that a variable or parameter is declared with. */
function annotationOf(identifier: Node, { names }: File): Node | undefined {
  const name = names.variableOf(identifier)?.defs[0]?.name as unknown as Node | undefined
  return child(child(name, 'typeAnnotation'), 'typeAnnotation')
}

/** `string[]`, `readonly string[]`, `Array<string>`. */
function isTypedText(type: Node | undefined): boolean {
  if (type?.type === 'TSTypeOperator') return isTypedText(child(type, 'typeAnnotation'))
  if (type?.type === 'TSArrayType') return child(type, 'elementType')?.type === 'TSStringKeyword'
  if (type?.type !== 'TSTypeReference') return false
  const [argument] = children(child(type, 'typeArguments'), 'params')
  const isArray = /^(?:Readonly)?Array$/.test(nameOf(child(type, 'typeName')) ?? '')
  return isArray && argument?.type === 'TSStringKeyword'
}
