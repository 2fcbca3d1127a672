/**
 * Builds the WebAssembly kernel of the sync hash and writes it into
 * `packages/samestep/src/sim/hash/kernel-wasm.ts`: `npx tsx tools/build-kernel.ts`.
 *
 * What is computed, and why, stands in `kernel-constants.ts`; `kernel-js.ts` is the same in
 * JavaScript. A test builds the module again and compares it with the committed bytes.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  accumulatorsOffset,
  evenMultiplier,
  finishRounds,
  foldShift,
  leafDomain,
  nanF32,
  nanF64High,
  oddMultiplier,
  resultOffset,
  roundMultiplierA,
  roundMultiplierB,
  roundRotation,
  roundShiftA,
  roundShiftB,
  startWord,
  stripeBytes,
  tailOffset,
} from '../packages/samestep/src/sim/hash/kernel-constants.ts'
import type { Code, WasmFunction } from './wasm-assembler.ts'
import {
  assemble,
  call,
  doWhile,
  f32x4,
  f64x2,
  get,
  i8x16,
  i32,
  i32x4,
  ifTrue,
  set,
  tee,
  v128,
} from './wasm-assembler.ts'

const eight = [0, 1, 2, 3, 4, 5, 6, 7] as const
const splat = (word: number): Code => v128.const([word, word, word, word])

/** The format numbers that the exported functions take. */
type Format = 'raw' | 'f32' | 'f64'
const formatNumber = { raw: 0, f32: 1, f64: 2 } as const

/** Positions of the functions in the module. */
const index = { begin: 0, raw: 1, f32: 2, f64: 3, absorb: 4, finish: 5 } as const

/** `begin(seedLo, seedHi)`: sets the accumulators for a leaf with this seed. */
const begin: WasmFunction = {
  exportName: 'begin',
  parameters: ['i32', 'i32'],
  results: [],
  locals: [],
  body: eight.map((each) => [
    i32.const(0),
    v128.const([0, 1, 2, 3].map((lane) => startWord(4 * each + lane))),
    get(each % 2),
    i32x4.splat,
    i32x4.add,
    v128.store(accumulatorsOffset + 16 * each),
  ]),
}

/** Replaces the vector on the stack by its canonical form: one NaN, no negative zero. */
function canonical(format: 'f32' | 'f64', vector: number, nan: number, zero: number): Code {
  const equal = format === 'f32' ? f32x4.eq : f64x2.eq
  return [
    [tee(vector), get(nan), get(vector), get(vector), equal, v128.bitSelect],
    [get(vector), get(zero), equal, v128.andNot],
  ]
}

const nanPattern = (format: 'f32' | 'f64'): Code =>
  format === 'f32' ? splat(nanF32) : v128.const([0, nanF64High, 0, nanF64High])

/** `absorb…(pointer, end)`: takes whole stripes into the accumulators. */
function absorber(format: Format): WasmFunction {
  const [pointer, end, first, even, odd, vector, nan, zero] = [0, 1, 2, 10, 11, 12, 13, 14]
  const canonicalised = format === 'raw' ? [] : canonical(format, vector, nan, zero)
  const step = (each: number): Code => [
    [get(pointer), v128.load(16 * each), canonicalised],
    [get(first + each), v128.xor],
    [tee(vector), get(vector), i32.const(foldShift), i32x4.shrU, v128.xor],
    [get(each % 2 === 0 ? even : odd), i32x4.mul],
    [get(first + ((each + 7) % 8)), i32x4.add, set(first + each)],
  ]
  const loop: Code = [
    eight.map(step),
    [get(pointer), i32.const(stripeBytes), i32.add, tee(pointer), get(end), i32.ltU],
  ]
  return {
    parameters: ['i32', 'i32'],
    results: [],
    locals: Array(13).fill('v128'),
    body: [
      eight.map((each) => [
        [i32.const(0), v128.load(accumulatorsOffset + 16 * each), set(first + each)],
      ]),
      [splat(evenMultiplier), set(even), splat(oddMultiplier), set(odd)],
      format === 'raw' ? [] : [nanPattern(format), set(nan)],
      [get(pointer), get(end), i32.ltU, ifTrue(doWhile(loop))],
      eight.map((each) => [
        [i32.const(0), get(first + each), v128.store(accumulatorsOffset + 16 * each)],
      ]),
    ],
  }
}

/** `absorb(pointer, byteLength, format)`: whole stripes only. */
const absorb: WasmFunction = {
  exportName: 'absorb',
  parameters: ['i32', 'i32', 'i32'],
  results: [],
  locals: [],
  body: (['raw', 'f32', 'f64'] as const).map((format) => [
    [get(2), i32.const(formatNumber[format]), i32.eq],
    ifTrue([get(0), get(0), get(1), i32.add, call(index[format])]),
  ]),
}

/** The numbers 0 to 15 in the bytes of a vector. */
const byteNumbers = v128.constBytes(Array.from({ length: 16 }, (_none, byte) => byte))

/** One round of `mix.ts` over the locals `a` and `b`. */
function round(a: number, b: number, inputA: Code, inputB: Code): Code {
  const half = (local: number, input: Code, multiplier: number, shift: number): Code => [
    [get(local), input, i32.const(multiplier), i32.mul],
    [tee(local), get(local), i32.const(shift), i32.shrU, i32.xor, set(local)],
  ]
  return [
    half(a, inputA, roundMultiplierA, roundShiftA),
    half(b, inputB, roundMultiplierB, roundShiftB),
    [get(a), get(b), i32.add, set(a)],
    [get(b), i32.const(roundRotation), i32.rotl, get(a), i32.xor, set(b)],
  ]
}

/**
 * `finish(pointer, byteLength, format, totalBytes, a, b)`: takes the rest of a leaf, whatever its
 * length, and writes the hash. `a` and `b` start as the seed.
 */
const finish: WasmFunction = {
  exportName: 'finish',
  parameters: ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'],
  results: [],
  locals: ['i32', 'i32', 'v128'],
  body: (() => {
    const [pointer, byteLength, format, totalBytes, a, b, whole, offset, bytes] = [
      0, 1, 2, 3, 4, 5, 6, 7, 8,
    ]
    const nextOffset = (step: number, end: number): Code => [
      [get(offset), i32.const(step), i32.add, tee(offset), i32.const(end), i32.ltU],
    ]
    const copyTail: Code = [
      [byteNumbers, set(bytes)],
      doWhile([
        [get(offset), get(pointer), get(offset), i32.add, v128.load(0)],
        [get(byteLength), i8x16.splat, get(bytes), i8x16.gtU, v128.and, v128.store(tailOffset)],
        [get(bytes), i32.const(16), i8x16.splat, i8x16.add, set(bytes)],
        nextOffset(16, stripeBytes),
      ]),
    ]
    const input = (lane: number): Code => [
      [get(offset), i32.load(accumulatorsOffset + 4 * lane), i32.xor],
    ]
    return [
      [get(byteLength), i32.const(-stripeBytes), i32.and, set(whole)],
      [get(pointer), get(whole), get(format), call(index.absorb)],
      [get(pointer), get(whole), i32.add, set(pointer)],
      [get(byteLength), get(whole), i32.sub, tee(byteLength)],
      ifTrue([
        copyTail,
        [i32.const(tailOffset), i32.const(stripeBytes), get(format), call(index.absorb)],
      ]),
      [i32.const(0), set(offset)],
      doWhile([round(a, b, input(0), input(1)), nextOffset(8, stripeBytes)]),
      round(a, b, [get(totalBytes), i32.xor], [i32.const(leafDomain), i32.xor]),
      [i32.const(0), set(offset)],
      doWhile([round(a, b, [], []), nextOffset(1, finishRounds)]),
      [i32.const(0), get(a), i32.store(resultOffset)],
      [i32.const(0), get(b), i32.store(resultOffset + 4)],
    ]
  })(),
}

/** `leaf(pointer, byteLength, format, seedLo, seedHi)`: a whole leaf at once. */
const leaf: WasmFunction = {
  exportName: 'leaf',
  parameters: ['i32', 'i32', 'i32', 'i32', 'i32'],
  results: [],
  locals: [],
  body: [
    [get(3), get(4), call(index.begin)],
    [get(0), get(1), get(2), get(1), get(3), get(4), call(index.finish)],
  ],
}

/**
 * `…(pointer, byteLength)`: visits the cells of a float column, 16 bytes at a time. The last vector
 * may reach behind the end: what lies there is written back as it was, or masked.
 */
function visitor(format: 'f32' | 'f64', mode: 'normalise' | 'isCanonical'): WasmFunction {
  const [pointer, byteLength, vector, nan, zero, difference, changed] = [0, 1, 2, 3, 4, 5, 6]
  const changedBits: Code = [
    [get(pointer), v128.load(0), canonical(format, vector, nan, zero), get(vector), v128.xor],
  ]
  const use = (mask: Code): Code =>
    mode === 'isCanonical'
      ? [changedBits, mask, get(difference), v128.or, set(difference)]
      : [
          [changedBits, mask, set(changed)],
          [get(pointer), get(vector), get(changed), v128.xor, v128.store(0)],
        ]
  const sixteen = i32.const(16)
  const untilEnd: Code = [get(byteLength), i8x16.splat, byteNumbers, i8x16.gtU, v128.and]
  const loop: Code = [
    use([]),
    [get(pointer), sixteen, i32.add, set(pointer)],
    [get(byteLength), sixteen, i32.sub, tee(byteLength), sixteen, i32.ltU, i32.eqz],
  ]
  return {
    exportName: `${mode}${format === 'f32' ? 'F32' : 'F64'}`,
    parameters: ['i32', 'i32'],
    results: mode === 'isCanonical' ? ['i32'] : [],
    locals: Array(5).fill('v128'),
    body: [
      [nanPattern(format), set(nan)],
      [get(byteLength), sixteen, i32.ltU, i32.eqz, ifTrue(doWhile(loop))],
      [get(byteLength), ifTrue(use(untilEnd))],
      mode === 'isCanonical' ? [get(difference), v128.anyTrue, i32.eqz] : [],
    ],
  }
}

/** The bytes of the kernel module. */
export function buildKernel(): Uint8Array<ArrayBuffer> {
  return assemble([
    begin,
    absorber('raw'),
    absorber('f32'),
    absorber('f64'),
    absorb,
    finish,
    leaf,
    visitor('f32', 'normalise'),
    visitor('f64', 'normalise'),
    visitor('f32', 'isCanonical'),
    visitor('f64', 'isCanonical'),
  ])
}

/** The text of `kernel-wasm.ts` with these bytes in it. */
export function renderKernelFile(bytes: Uint8Array): string {
  const lines = Buffer.from(bytes)
    .toString('base64')
    .replaceAll('=', '')
    .match(/.{1,92}/g)
  return [
    '/** Made by tools/build-kernel.ts, which is the readable form. Never edit this file. */',
    '',
    `/** The WebAssembly kernel of the sync hash: ${bytes.length} bytes in base64 without padding. */`,
    'export const kernelBase64 =',
    (lines ?? []).map((line) => `  '${line}'`).join(' +\n'),
    '',
  ].join('\n')
}

/** Where the kernel is kept. */
export const kernelFilePath = fileURLToPath(
  new URL('../packages/samestep/src/sim/hash/kernel-wasm.ts', import.meta.url),
)

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(kernelFilePath, renderKernelFile(buildKernel()))
}
