/**
 * Transcendental functions that give the same bits on every engine.
 *
 * ECMAScript leaves the last bits of `Math.sin` and its relatives to the engine, and engines differ.
 * It fixes `+ - * /`, `Math.sqrt` and a few more exactly, so everything here is built from those.
 * Arguments, results and special values are those of the `Math` functions of the same name. The error
 * is at most 1 ulp, for pow, sinh, cosh and tanh at most 2.
 */
export { acos, asin } from './asin.ts'
export { atan, atan2 } from './atan.ts'
export { cbrt } from './cbrt.ts'
export { exp, expm1 } from './exp.ts'
export { cosh, sinh, tanh } from './hyperbolic.ts'
export { hypot } from './hypot.ts'
export { log, log1p } from './log.ts'
export { log2, log10 } from './log-bases.ts'
export { pow } from './pow.ts'
export { cos, sin, tan } from './trig.ts'
