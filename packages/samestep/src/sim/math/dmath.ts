import * as functions from './dmath/index.ts'
import type { Tools } from './self-test.ts'
import { registerEngineGroup } from './self-test.ts'

/**
 * Transcendental functions that return the same bits on every engine, named as in `Math`.
 *
 * If a program imports them, the engine is tested for them before the first simulation (DET-04). Otherwise
 * the bundle contains neither the functions nor the test: bundlers remove the call below if it is unused.
 */
export const dmath: typeof functions = /* @__PURE__ */ withSelfTest()

function withSelfTest(): typeof functions {
  // The digest continues those of the operations of the language: it is of these results after them.
  registerEngineGroup({ group: 'dmath', digest: 'f59dfeb70207a4a9' }, addTranscendental)
  return functions
}

function addTranscendental({ add, nextDouble }: Tools): void {
  for (let round = 0; round < 4; round++) {
    const x = nextDouble()
    const y = nextDouble()
    const unit = x / (x + y)
    add(functions.sin(x))
    add(functions.cos(y))
    add(functions.tan(x))
    add(functions.asin(unit))
    add(functions.acos(-unit))
    add(functions.atan(x))
    add(functions.atan2(x, -y))
    add(functions.exp(-x))
    add(functions.expm1(unit))
    add(functions.log(x))
    add(functions.log1p(unit))
    add(functions.log2(x))
    add(functions.log10(y))
    add(functions.pow(x, unit))
    add(functions.cbrt(-x))
    add(functions.hypot(x, y))
    add(functions.sinh(unit))
    add(functions.cosh(unit))
    add(functions.tanh(unit))
  }
  add(functions.sin(1e300))
  add(functions.cos(1.5707963267948966))
}
