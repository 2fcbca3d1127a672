import { UsageError } from '../../base/errors.ts'

/**
 * Q16.16 numbers: an int32 that counts 65536ths. From -32768 to 32767.99998, in steps of 0.000015.
 *
 * Three rules hold for every function of the module, so that nobody has to remember exceptions:
 *
 * - **Rounding:** the exact result is rounded once, to the nearest unit, ties to the even one. It is
 *   the smallest error, it drifts nowhere, and it mirrors: `mul(-a, b)` is `-mul(a, b)`, so the left
 *   player has no advantage over the right one. Rounding down would pull everybody to the north-west.
 * - **Overflow:** results saturate at {@link MIN} and {@link MAX}. A unit that is pushed over the edge
 *   of the world stays at the edge; with wrapping it would appear on the other side.
 * - **No surprises:** the result is an int32, never `-0`, `NaN` or an infinity. Division by zero
 *   saturates in the sign of the dividend, `div(0, 0)` is 0, and nothing in a tick throws.
 *
 * Doubles do the work, and only with operations that IEEE 754 rounds correctly (`+ - * / sqrt`), so
 * every engine has the same bits. Saturation is what makes that exact: a product that fits into the
 * result is below 2^47, and a double holds integers up to 2^53.
 *
 * Arguments must be int32: values that this module, a column or an order gave you. Plain `+`, `-` and
 * `<` are right too, as long as the sum fits; multiplying with a plain integer is exact with `*`.
 */
export type Fixed = number

/** 1 as a fixed number. */
export const ONE: Fixed = 0x1_0000
/** 0.5 as a fixed number. */
export const HALF: Fixed = 0x8000
/** The smallest positive fixed number: one unit, 1/65536. */
export const EPSILON: Fixed = 1
/** The largest fixed number, 32767.99998. */
export const MAX: Fixed = 0x7fff_ffff
/** The smallest fixed number, -32768. */
export const MIN: Fixed = -0x8000_0000
/** π, a straight angle: 3.141586 (0.000006 below the true value). */
export const PI: Fixed = 205_887
/** A full turn, 2π. */
export const TAU: Fixed = 411_775
/** A right angle, π/2. */
export const HALF_PI: Fixed = 102_944

/**
 * Rounds a double to the nearest integer, ties to even. The number is 1.5 × 2^52: above 2^52 the
 * doubles are exactly the integers, so adding it and subtracting it again rounds in two additions. The
 * half on top keeps negative numbers above 2^52 as well.
 *
 * Numbers stand in this module as literals, not as named constants: bundlers turn a module's `const`
 * into `var`, which the compiler must load and check each time. `mul` takes half the time like this.
 */
export function nearest(value: number): number {
  return value + 6_755_399_441_055_744 - 6_755_399_441_055_744
}

/** Rounds a double to the nearest fixed number, saturating; `NaN` gives 0. `units` counts 65536ths. */
export function settle(units: number): Fixed {
  const rounded = units + 6_755_399_441_055_744 - 6_755_399_441_055_744
  return rounded > 0x7fff_ffff ? 0x7fff_ffff : rounded < -0x8000_0000 ? -0x8000_0000 : rounded | 0
}

/**
 * The fixed number nearest to `value`, ties to the even unit. For constants and for what comes from
 * outside a tick: `from(0.1)` is the same everywhere, because number literals are.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for `NaN` and for values that do not fit.
 */
export function from(value: number): Fixed {
  const units = nearest(value * 65_536)
  if (!(units >= MIN && units <= MAX)) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot make a fixed number: the value is ${value}; it must be from -32768 to 32767.99998`,
    )
  }
  return units | 0
}

/**
 * A whole number as a fixed number, exactly.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` unless `value` is an integer from -32768 to 32767.
 */
export function fromInt(value: number): Fixed {
  const units = value << 16
  if (units >> 16 !== value) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot make a fixed number: the value is ${value}; it must be an integer from -32768 to 32767`,
    )
  }
  return units
}

/** The value as a double, exactly. For drawing and for people; a tick has no use for it. */
export function toNumber(a: Fixed): number {
  return a / 65_536
}

/** The whole part as a plain integer, rounded down: the tile in which a position lies. */
export function toInt(a: Fixed): number {
  return a >> 16
}

/** The largest whole fixed number that is not above `a`. */
export function floor(a: Fixed): Fixed {
  return a & -65_536
}

/** The smallest whole fixed number that is not below `a`; {@link MAX} above 32767. */
export function ceil(a: Fixed): Fixed {
  return a > 0x7fff_0000 ? 0x7fff_ffff : (a + 0xffff) & -65_536
}

/** The nearest whole fixed number, ties to the even one; {@link MAX} from 32767.5 on. */
export function round(a: Fixed): Fixed {
  const whole = nearest(a / 65_536) * 65_536
  return whole > 0x7fff_ffff ? 0x7fff_ffff : whole | 0
}

/** `a + b`. */
export function add(a: Fixed, b: Fixed): Fixed {
  const sum = a + b
  return sum > 0x7fff_ffff ? 0x7fff_ffff : sum < -0x8000_0000 ? -0x8000_0000 : sum | 0
}

/** `a - b`. */
export function sub(a: Fixed, b: Fixed): Fixed {
  const gap = a - b
  return gap > 0x7fff_ffff ? 0x7fff_ffff : gap < -0x8000_0000 ? -0x8000_0000 : gap | 0
}

/** `a × b`. Exact before its one rounding, for all 2^64 pairs of arguments. */
export function mul(a: Fixed, b: Fixed): Fixed {
  // `settle`, written out: this is the hottest function of most games.
  const rounded = (a * b) / 65_536 + 6_755_399_441_055_744 - 6_755_399_441_055_744
  return rounded > 0x7fff_ffff ? 0x7fff_ffff : rounded < -0x8000_0000 ? -0x8000_0000 : rounded | 0
}

/**
 * `a ÷ b`. By zero: {@link MAX}, {@link MIN} or 0, as `a` is positive, negative or zero.
 *
 * The double quotient cannot deceive the rounding: a quotient that is not a tie is at least
 * 1/(2·|b|) away from one, and a quotient that fits has an error below 1/(64·|b|).
 */
export function div(a: Fixed, b: Fixed): Fixed {
  return settle((a * 65_536) / b)
}

/**
 * The remainder of the division rounded down: it has the sign of `b`, so `mod(angle, TAU)` is from 0
 * to below {@link TAU} and a torus of width `w` is `mod(x, w)`. Exact. `mod(a, 0)` is 0.
 */
export function mod(a: Fixed, b: Fixed): Fixed {
  if (b === 0) return 0
  const rest = (a % b) | 0
  return rest !== 0 && (rest ^ b) < 0 ? rest + b : rest
}

/** The square root; 0 for negative numbers. Never a tie, and far enough from one for a double. */
export function sqrt(a: Fixed): Fixed {
  return a > 0 ? nearest(Math.sqrt(a * 65_536)) | 0 : 0
}

/** The absolute value; `abs(MIN)` is {@link MAX}. */
export function abs(a: Fixed): Fixed {
  return a < 0 ? neg(a) : a
}

/** `-a`; `neg(MIN)` is {@link MAX}. */
export function neg(a: Fixed): Fixed {
  return a === -0x8000_0000 ? 0x7fff_ffff : -a | 0
}

/** The smaller of the two. */
export function min(a: Fixed, b: Fixed): Fixed {
  return a < b ? a : b
}

/** The larger of the two. */
export function max(a: Fixed, b: Fixed): Fixed {
  return a > b ? a : b
}

/** `a`, but not below `lowest` and not above `highest`. Where they contradict, `lowest` wins. */
export function clamp(a: Fixed, lowest: Fixed, highest: Fixed): Fixed {
  return a < lowest ? lowest : a > highest ? max(lowest, highest) : a
}

/** -1, 0 or 1 as a plain integer: `speed * sign(dx)` is exact. */
export function sign(a: Fixed): number {
  return a > 0 ? 1 : a >> 31
}

/**
 * `a + (b - a) × t`, rounded once: `t = 0` gives exactly `a`, {@link ONE} exactly `b`. Beyond these
 * it extrapolates. The difference may overflow a fixed number without harm.
 */
export function lerp(a: Fixed, b: Fixed, t: Fixed): Fixed {
  return settle(a + ((b - a) * t) / 65_536)
}
