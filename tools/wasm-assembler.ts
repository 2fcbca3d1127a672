/**
 * As much of a WebAssembly assembler as the hash kernel needs: instructions are arrays of numbers,
 * nested as is convenient, and a module is the bytes of its sections.
 *
 * The kernel is written with it instead of in C or in the text format so that this repository
 * builds its every byte by itself, from one readable file.
 */

/** Instructions, nested at will. */
export type Code = readonly (number | Code)[]

const types = { i32: 0x7f, v128: 0x7b } as const
export type ValueType = keyof typeof types

/** One function: the parameters come first among its locals. */
export type WasmFunction = {
  /** Exported under this name; `undefined` for an inner function. */
  readonly exportName?: string
  readonly parameters: readonly ValueType[]
  readonly results: readonly ValueType[]
  readonly locals: readonly ValueType[]
  readonly body: Code
}

function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>>= 7
  }
  bytes.push(rest)
  return bytes
}

function signed(value: number): number[] {
  const bytes: number[] = []
  let rest = value | 0
  while (rest < -0x40 || rest > 0x3f) {
    bytes.push((rest & 0x7f) | 0x80)
    rest >>= 7
  }
  bytes.push(rest & 0x7f)
  return bytes
}

const simd = (opcode: number): Code => [0xfd, unsigned(opcode)]
/** Alignment is only a hint; 2² is the largest that every access here keeps. */
const address = (offset: number): Code => [2, unsigned(offset)]

export const get = (local: number): Code => [0x20, unsigned(local)]
export const set = (local: number): Code => [0x21, unsigned(local)]
export const tee = (local: number): Code => [0x22, unsigned(local)]
export const call = (index: number): Code => [0x10, unsigned(index)]

/** Runs `body` while the condition that it leaves on the stack is true; at least once. */
export const doWhile = (body: Code): Code => [0x03, 0x40, body, 0x0d, 0x00, 0x0b]
/** Takes the condition from the stack. */
export const ifTrue = (body: Code, otherwise: Code = []): Code => [
  [0x04, 0x40, body],
  otherwise.length === 0 ? [] : [0x05, otherwise],
  0x0b,
]

export const i32 = {
  const: (value: number): Code => [0x41, signed(value)],
  load: (offset: number): Code => [0x28, address(offset)],
  store: (offset: number): Code => [0x36, address(offset)],
  eqz: [0x45] as Code,
  eq: [0x46] as Code,
  ltU: [0x49] as Code,
  add: [0x6a] as Code,
  sub: [0x6b] as Code,
  mul: [0x6c] as Code,
  and: [0x71] as Code,
  xor: [0x73] as Code,
  shrU: [0x76] as Code,
  rotl: [0x77] as Code,
} as const

export const v128 = {
  load: (offset: number): Code => [simd(0x00), address(offset)],
  store: (offset: number): Code => [simd(0x0b), address(offset)],
  /** Four words, lane 0 first. */
  const: (words: readonly number[]): Code => [
    simd(0x0c),
    words.map((word) => [word & 255, (word >>> 8) & 255, (word >>> 16) & 255, word >>> 24]),
  ],
  /** Sixteen bytes, lane 0 first. */
  constBytes: (bytes: readonly number[]): Code => [simd(0x0c), bytes],
  and: simd(0x4e),
  andNot: simd(0x4f),
  or: simd(0x50),
  xor: simd(0x51),
  /** Bits of the first operand where the third is 1, else of the second. */
  bitSelect: simd(0x52),
  anyTrue: simd(0x53),
} as const

export const i8x16 = { splat: simd(0x0f), gtU: simd(0x28), add: simd(0x6e) } as const
export const i32x4 = {
  splat: simd(0x11),
  shrU: simd(0xad),
  add: simd(0xae),
  mul: simd(0xb5),
} as const
export const f32x4 = { eq: simd(0x41) } as const
export const f64x2 = { eq: simd(0x47) } as const

function flatten(code: Code): number[] {
  return code.flatMap((item) => (typeof item === 'number' ? [item] : flatten(item)))
}

const vector = (items: readonly Code[]): Code => [unsigned(items.length), ...items]
const text = (value: string): Code => vector([...value].map((letter) => [letter.charCodeAt(0)]))
const section = (id: number, content: Code): Code => {
  const bytes = flatten(content)
  return [id, unsigned(bytes.length), bytes]
}

/** The bytes of a module that imports one memory, as `state.memory`, and exports functions. */
export function assemble(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const valueTypes = (list: readonly ValueType[]): Code => vector(list.map((type) => [types[type]]))
  const bodies = functions.map((each) => {
    const locals = vector(each.locals.map((type) => [1, types[type]]))
    const bytes = flatten([locals, each.body, 0x0b])
    return [unsigned(bytes.length), bytes]
  })
  const exported = functions.flatMap((each, index) =>
    each.exportName === undefined ? [] : [[text(each.exportName), 0x00, unsigned(index)]],
  )
  const signatures = functions.map((each) => [
    0x60,
    valueTypes(each.parameters),
    valueTypes(each.results),
  ])
  const magic = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00]
  const atLeastOnePage = [0x00, 0x01]
  const module: Code = [
    magic,
    section(1, vector(signatures)),
    section(2, vector([[text('state'), text('memory'), 0x02, atLeastOnePage]])),
    section(3, vector(functions.map((_each, index) => unsigned(index)))),
    section(7, vector(exported)),
    section(10, vector(bodies)),
  ]
  return Uint8Array.from(flatten(module))
}
