/** What a signed token says, beside what every token says (`exp`, `nbf`, `iat`, `aud`). */
import * as v from 'valibot'
import { seatsMax } from '../../sim/limits.ts'
import { roles } from '../../wire/codes.ts'

const whole = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

const count = v.optional(whole(0, 1_000_000))

/** Claims of ours. Others are ignored: issuers put what they like into their tokens. */
export const tokenClaims = v.object({
  /** Who the player is: one place in a match, and what a kick counts for. */
  sub: v.optional(v.pipe(v.string(), v.minLength(1), v.maxBytes(128))),
  /** The only match, or matches, that it is good for; any match when left out. */
  match: v.optional(v.union([v.string(), v.array(v.string())])),
  name: v.optional(v.string()),
  role: v.optional(v.picklist(roles)),
  seat: v.optional(whole(0, seatsMax - 1)),
  team: v.optional(whole(0, seatsMax - 1)),
  /** Whether it may make the match. */
  create: v.optional(v.boolean()),
  limits: v.optional(
    v.strictObject({
      seatsMax: count,
      spectatorsMax: count,
      tickRateMax: count,
      speedPercentMax: count,
      ticksPerSecondMax: count,
      optionsBytesMax: count,
      emptyMsMax: count,
      resyncsMax: count,
    }),
  ),
  /** With it, the token is good for one address only: that which uses it first (T-14). */
  jti: v.optional(v.pipe(v.string(), v.minLength(1), v.maxBytes(128))),
  exp: v.number(),
})

/** Claims of ours. */
export type TokenClaims = v.InferOutput<typeof tokenClaims>
