/**
 * Whether this engine computes as all others do (DET-04).
 *
 * A lockstep game rests on operations that ECMAScript defines to the last bit. An engine with a
 * compiler fault, a flushed subnormal or a fused multiplication would not fail; it would play along
 * and desync an hour later, on somebody else's screen. So some hundred results are computed before
 * the first tick, and their digest is compared with the one that is written here.
 */
import { UsageError } from '../../base/errors.ts'

/** A group of results, and the digest after it. Digests continue each other: the first counts. */
export type EngineDigest = { readonly group: string; readonly digest: string }

/** What every engine must compute. The last digest depends on all results. */
export const ENGINE_DIGESTS: readonly EngineDigest[] = [
  { group: 'arithmetic', digest: 'e258f0fcfe4d0ba5' },
  { group: 'rounding', digest: 'c250856db53f5f11' },
  { group: 'integers', digest: '172877b5ac8ce583' },
  { group: 'subnormals', digest: 'abcc1355b55d2d88' },
]

const float = new Float64Array(1)
const words = new Int32Array(float.buffer)
float[0] = 1
/** Which word holds sign and exponent, whatever the byte order. */
const HIGH = words[1] === 0 ? 0 : 1

/** The two lanes of the digest, and the state of the generator. */
const lanes = new Int32Array(3)

function restart(): void {
  lanes[0] = 0x811c_9dc5
  lanes[1] = 0x9dc5_811c
  lanes[2] = 0x5eed
}

/** Takes the bits of a result. An engine may choose those of NaN, so any NaN counts as one number. */
function add(value: number): void {
  float[0] = Number.isNaN(value) ? 0.12345 : value
  const first = Math.imul((lanes[0] as number) ^ (words[HIGH] as number), 0x0100_0193)
  const second = Math.imul((lanes[1] as number) ^ (words[1 - HIGH] as number), 0x85eb_ca6b)
  lanes[0] = second ^ (first >>> 15)
  lanes[1] = first ^ (second >>> 13)
}

function nextWord(): number {
  const state = ((lanes[2] as number) + 0x9e37_79b9) | 0
  lanes[2] = state
  const word = Math.imul(state ^ (state >>> 16), 0x21f0_aaad)
  return (word ^ (word >>> 15)) >>> 0
}

/** A double between 2^-16 and 2^16 with 53 random bits. */
function nextDouble(): number {
  const fraction = 1 + (nextWord() * 0x10_0000 + (nextWord() >>> 12)) / 0x10_0000_0000_0000
  const exponent = nextWord() & 31
  return fraction * (exponent < 16 ? 1 << exponent : 1 / (1 << (exponent - 16)))
}

function addArithmetic(): void {
  for (let round = 0; round < 8; round++) {
    const x = nextDouble()
    const y = nextDouble()
    add(x + y)
    add(x - y)
    add(x * y)
    add(x / y)
    add(x % y)
    add(Math.sqrt(x))
    // A fused multiplication, or one in extended precision, would round this otherwise.
    add(x * y - (x * y + y))
  }
}

function addRounding(): void {
  for (let round = 0; round < 4; round++) {
    const x = nextDouble() - nextDouble()
    add(Math.fround(x))
    add(Math.floor(x))
    add(Math.ceil(x))
    add(Math.trunc(x))
    add(Math.round(x))
    add(Math.abs(x))
  }
  for (const x of [0.5, -0.5, 2.5, -2.5, 0.49999999999999994, -0, 4503599627370497]) {
    add(Math.round(x))
    add(Math.max(x, -0))
    add(Math.min(x, 0))
    add(Math.sign(x))
  }
}

function addIntegers(): void {
  for (let round = 0; round < 4; round++) {
    const a = nextWord()
    const b = nextWord()
    add(Math.imul(a, b))
    add(Math.clz32(a >>> (b & 31)))
    add(a * b)
    add((a * 4294967296 + b) | 0)
    add((a << b) ^ (a >> b) ^ (a >>> b))
    add((a % (b | 1)) + (a & b) + (a | b))
  }
}

function addSubnormals(): void {
  let x = 4.450147717014403e-308
  for (let round = 0; round < 8; round++) {
    add(x)
    add(x / 3)
    add(x - x / 7)
    x *= 0.02
  }
  add(1.7976931348623157e308 * 1.0000000000000002)
  add(1 / -Infinity)
  add(Infinity - Infinity)
  add(Math.fround(1e-40))
}

type Group = readonly [group: string, addGroup: () => void]

const GROUPS: readonly Group[] = [
  ['arithmetic', addArithmetic],
  ['rounding', addRounding],
  ['integers', addIntegers],
  ['subnormals', addSubnormals],
]

/** Groups of what a game imports beside the operations of the language, each with its digest. */
const imported: { readonly group: Group; readonly expected: EngineDigest }[] = []

/** Has results of a module computed with all others, where somebody imports that module. */
export function registerEngineGroup(
  expected: EngineDigest,
  addGroup: (tools: Tools) => void,
): void {
  const group: Group = [expected.group, () => addGroup({ add, nextDouble })]
  imported.push({ group, expected })
  verified = false
}

/** What a group of results is made with. */
export interface Tools {
  /** Takes the bits of a result. */
  readonly add: (value: number) => void
  /** A double between 2^-16 and 2^16 with 53 random bits. */
  readonly nextDouble: () => number
}

/** What every engine must compute of all that is imported here. */
export function expectedDigests(): readonly EngineDigest[] {
  return [...ENGINE_DIGESTS, ...imported.map(({ expected }) => expected)]
}

/** What this engine computes, to be compared with {@link expectedDigests}. */
export function computeEngineDigests(): EngineDigest[] {
  restart()
  const groups = [...GROUPS, ...imported.map(({ group }) => group)]
  return groups.map(([group, addGroup]) => {
    addGroup()
    return { group, digest: hexOf(lanes[1] as number) + hexOf(lanes[0] as number) }
  })
}

function hexOf(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}

let verified = false

/**
 * Throws a {@link UsageError} `SS_ENGINE_DIFFERS` that names the first group of operations which this
 * engine computes differently. Takes a fraction of a millisecond, once; later calls cost nothing.
 */
export function assertEngine(): void {
  if (verified) return
  const actual = computeEngineDigests()
  for (const [index, expected] of expectedDigests().entries()) {
    const digest = actual[index]?.digest
    if (digest === expected.digest) continue
    throw new UsageError(
      'SS_ENGINE_DIFFERS',
      `Cannot simulate in this JavaScript engine: the digest of its ${expected.group} is ${digest}; ` +
        `it must be ${expected.digest}, or this machine would desync`,
    )
  }
  verified = true
}
