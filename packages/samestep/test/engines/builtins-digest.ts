import type { GroupedDigest } from '../digests/index.ts'

const functions: { readonly [name: string]: (a: number, b: number) => number } = {
  '+ - * /': (a, b) => ((a + b) * (a - b)) / (b + 3),
  sqrt: Math.sqrt,
  fround: Math.fround,
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: (a) => Math.asin(a / 1000),
  acos: (a) => Math.acos(a / 1000),
  atan: Math.atan,
  atan2: Math.atan2,
  exp: (a) => Math.exp(a / 50),
  expm1: (a) => Math.expm1(a / 50),
  log: (a) => Math.log(a + 1001),
  log1p: (a) => Math.log1p(a / 1000 + 1),
  log2: (a) => Math.log2(a + 1001),
  log10: (a) => Math.log10(a + 1001),
  pow: (a, b) => (a + 1001) ** (b / 100),
  cbrt: Math.cbrt,
  hypot: Math.hypot,
  sinh: (a) => Math.sinh(a / 100),
  cosh: (a) => Math.cosh(a / 100),
  tanh: (a) => Math.tanh(a / 100),
}

/** Digests of the engine's own functions over `count` arguments between -1000 and 1000. */
export function collectDigests(count: number): GroupedDigest[] {
  const bits = new DataView(new ArrayBuffer(8))
  return Object.entries(functions).map(([name, compute]) => {
    let seed = 1
    const draw = (): number => {
      // Any generator will do, as long as it is exact: a linear congruence in 32 bits.
      seed = (Math.imul(seed, 1664525) + 1013904223) | 0
      return (seed / 2147483648) * 1000
    }
    let digest = 0
    for (let index = 0; index < count; index++) {
      bits.setFloat64(0, compute(draw(), draw()))
      digest = Math.imul(digest ^ bits.getUint32(0), 16777619)
      digest = Math.imul(digest ^ bits.getUint32(4), 16777619)
    }
    return { group: 'builtin', name, digest: (digest >>> 0).toString(16) }
  })
}
