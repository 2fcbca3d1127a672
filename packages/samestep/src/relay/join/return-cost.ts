/**
 * What it takes somebody to be with the others again who comes back with an old state: the ticks that it
 * missed, which it has to download and to run, or the state of now, which the others have to give.
 *
 *     missed ticks    download ──► run all of them, while the match goes on
 *     a state         agree ──► fetch from a donor ──► download ──► run the few ticks since
 */

/** Somebody who comes back. */
export interface ReturnCase {
  /** Ticks per second, at the speed of the match. */
  readonly ticksPerSecond: number
  readonly missedTicks: number
  readonly missedBytes: number
  /** Time that a tick takes on its machine, in percent of the time that it may take, as it measured. */
  readonly loadPercent: number
  /** What its line carried when it last downloaded a state; `undefined` when it never did. */
  readonly lineBytesPerSecond: number | undefined
  /** What the last state of this match took on the way; `undefined` when there was none. */
  readonly stateBytes: number | undefined
  /** Whether the relay has a state at hand. */
  readonly isStateReady: boolean
}

/** Whether the state of now brings somebody back much sooner than the ticks that it missed. */
export function isStateCheaper(back: ReturnCase): boolean {
  if (back.missedTicks < back.ticksPerSecond * missedSecondsMin) return false
  // A state costs the others their upload, and the one who returns what became of its orders.
  return stateSeconds(back) * worthFactor + savedSecondsMin < bundleSeconds(back)
}

/** Until it is with the others by the ticks that it missed. */
export function bundleSeconds(back: ReturnCase): number {
  const { missedBytes, missedTicks } = back
  return missedBytes / lineOf(back) + missedTicks / gainOf(back)
}

/** Until it is with the others by a state. */
export function stateSeconds(back: ReturnCase): number {
  const { stateBytes = stateBytesGuess, isStateReady, ticksPerSecond } = back
  const download = stateBytes / lineOf(back)
  const fetch = isStateReady ? 0 : agreeSeconds + stateBytes / donorBytesPerSecond
  const beforeLoad = fetch + download
  return beforeLoad + (beforeLoad * ticksPerSecond) / gainOf(back)
}

/** Ticks that it gains on the match in a second, when it does nothing but run them. */
function gainOf({ loadPercent, ticksPerSecond }: ReturnCase): number {
  const possible = (catchUpShare * ticksPerSecond * 100) / Math.max(loadPercent, 1)
  const gain = Math.min(possible, catchUpTicksPerSecondMax) - ticksPerSecond
  // Who gains nothing needs for ever either way: then what matters is how far behind it begins.
  return Math.max(gain, ticksPerSecond * gainShareMin)
}

function lineOf({ lineBytesPerSecond }: ReturnCase): number {
  return Math.max(lineBytesPerSecond ?? lineGuess, lineMin)
}

/** Shorter absences are not worth a thought: the ticks are there before a state could be. */
const missedSecondsMin = 5

/** How much sooner a state must bring somebody back. */
const worthFactor = 2
const savedSecondsMin = 5

/** What catching up may take of a machine: the rest draws (SMO-05). At 60 pictures, 30 ticks in each. */
const catchUpShare = 0.8
const catchUpTicksPerSecondMax = 1_800

const gainShareMin = 0.02

/** Until players have agreed on a state: half a second ahead, and a round trip. */
const agreeSeconds = 0.8

/** A line of 20 Mbit up, of which a quarter may be used. */
const donorBytesPerSecond = 625_000

/** A line of 8 Mbit, where nothing was measured; and the least that is believed of any. */
const lineGuess = 1_000_000
const lineMin = 1_000

/** Most games, compressed, where none was seen yet. */
const stateBytesGuess = 500_000
