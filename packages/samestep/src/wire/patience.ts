/**
 * How long everybody waits for whom. These times are promises to players, so they stand here once, for
 * links, relays, clients, storms and docs alike.
 *
 *     silence   0 ──── 3 s ──────── 10 s ────── 15 s ───────── 60 s
 *               active  silent       half-open    unresponsive   gone
 */
import { assert } from '../base/assert.ts'

/** Silence after which others are told (DIS-01). */
export const silentMs = 3_000

/**
 * How long a player without a link counts in votes on the state of its match: most are back within two
 * or three tries.
 */
export const expectedMs = 5_000

/** Silence after which nothing is expected of a link any more: it is closed, the session waits. */
export const halfOpenMs = 10_000

/** Silence after which others are told that the player may not come back. */
export const unresponsiveMs = 15_000

/** Silence after which a player is given up. A channel whose other end is silent ends with it. */
export const goneMs = 60_000

/** The longest silence of a hidden page: its timers may run once a minute, and one may be late (F-08). */
export const hiddenMsMax = 75_000

/** How long a client may play without executing a tick, and catch up without getting further (DIS-05). */
export const standstillMsMax = 10_000
export const catchUpMsMax = 15_000

/**
 * How long a link that another one took over from is still heard: until its client closes it, or for
 * some round trips of a line that was bad enough to be left.
 */
export const leavingMsMax = 4_000

/** How long somebody may be far behind: a minute is a bad line; more is another game (T-34). */
export const behindMsMax = 60_000

assert(expectedMs < halfOpenMs, 'Who is given up for now is not waited for')
assert(silentMs < halfOpenMs && halfOpenMs < unresponsiveMs, 'Silence is told step by step')
assert(unresponsiveMs < goneMs && goneMs < hiddenMsMax, 'Who is given up was told before')
