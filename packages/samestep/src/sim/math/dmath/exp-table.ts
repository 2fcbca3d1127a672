/** Powers of the 128th root of two, for `exp`, `pow` and their relatives. */
import type { Pair } from './double-double.ts'
import { multiplyPairs } from './double-double.ts'

/** Steps between 1 and 2. */
const STEPS = 128

/** 2^(1/128) to 106 bits. */
const STEP: Pair = [1.0054299011128027, 9.499186535455032e-17]

/** Two doubles per step i from 0 to 127: 2^(i/128), and what is missing from it. 2 KB. */
export function makeRootsOfTwo(): Float64Array {
  const table = new Float64Array(2 * STEPS)
  let power: Pair = [1, 0]
  for (let i = 0; i < STEPS; i++) {
    // 127 products lose 8 of 102 bits; 70 are needed.
    table.set(power, 2 * i)
    power = multiplyPairs(power, STEP)
  }
  return table
}
