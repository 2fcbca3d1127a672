import { fixedMath } from '../../src/sim/math/fixed.ts'
import { ArgumentSource, NumberDigest } from './argument-source.ts'
import type { Digest } from './index.ts'

/** The functions that take and give plain numbers. Each gets five and uses as many as it needs. */
const numeric: readonly (readonly [string, (...args: number[]) => number | boolean])[] = [
  ['toNumber', fixedMath.toNumber],
  ['toInt', fixedMath.toInt],
  ['floor', fixedMath.floor],
  ['ceil', fixedMath.ceil],
  ['round', fixedMath.round],
  ['add', fixedMath.add],
  ['sub', fixedMath.sub],
  ['mul', fixedMath.mul],
  ['div', fixedMath.div],
  ['mod', fixedMath.mod],
  ['sqrt', fixedMath.sqrt],
  ['abs', fixedMath.abs],
  ['neg', fixedMath.neg],
  ['min', fixedMath.min],
  ['max', fixedMath.max],
  ['clamp', fixedMath.clamp],
  ['sign', fixedMath.sign],
  ['lerp', fixedMath.lerp],
  ['sin', fixedMath.sin],
  ['cos', fixedMath.cos],
  ['atan2', fixedMath.atan2],
  ['sinTurns', fixedMath.sinTurns],
  ['cosTurns', fixedMath.cosTurns],
  ['atan2Turns', fixedMath.atan2Turns],
  ['length', fixedMath.length],
  ['distance', fixedMath.distance],
  ['isWithin', fixedMath.isWithin],
  ['from', (a) => fixedMath.from(a / 65_536 / 3)],
  ['fromInt', (a) => fixedMath.fromInt(a >> 16)],
  ['compareLengths', (a, b, c, d) => Math.sign(fixedMath.compareLengths(a!, b!, c!, d!))],
]

/** One digest per function of fixed numbers, each over `count` calls with the same arguments. */
export function fixedDigests(count: number): Digest[] {
  const digests: Digest[] = []
  for (const [name, run] of numeric) {
    const source = new ArgumentSource()
    const digest = new NumberDigest()
    for (let call = 0; call < count; call++) {
      const a = source.int32()
      const b = source.int32()
      const c = source.int32()
      const d = source.int32()
      digest.add(Number(run(a, b, c, d, source.int32())))
    }
    digests.push({ name, digest: digest.hex() })
  }
  digests.push({ name: 'normaliseInto', digest: digestNormalise(count) })
  return digests
}

function digestNormalise(count: number): string {
  const source = new ArgumentSource()
  const digest = new NumberDigest()
  const out = { x: 0, y: 0 }
  for (let call = 0; call < count; call++) {
    digest.add(fixedMath.normaliseInto(source.int32(), source.int32(), out))
    digest.add(out.x)
    digest.add(out.y)
  }
  return digest.hex()
}
