import { fixedMath } from './math/fixed.ts'
import type { Field } from './schema/index.ts'
import { makeFixedField } from './schema/index.ts'

type FixedMath = typeof fixedMath

/** The type of {@link fixed}: a field of Q16.16 numbers, and their arithmetic. */
export interface FixedField extends Field<number>, FixedMath {}

/**
 * Q16.16 fixed-point numbers: the field type and the arithmetic under one name.
 *
 * @example
 * ```ts
 * table(100, { x: fixed })          // as a type: an Int32Array column
 * fixed.mul(speed, fixed.from(0.5)) // as arithmetic: exact, the same everywhere
 * ```
 */
export const fixed: FixedField = /* @__PURE__ */ Object.assign(makeFixedField(), fixedMath)
