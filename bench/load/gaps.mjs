/** How evenly ticks come, for whoever counts them. */
import { constants, setPriority } from 'node:os'
import { tickMs } from './measured.mjs'

/** Deviations of the time between two ticks, in steps of 0.1 ms. */
const gaps = new Uint32Array(10_000)

/** Gives a function to be called with each tick of one player. */
export function makeGapCounter() {
  let lastMs = 0
  return () => {
    const nowMs = performance.now()
    if (lastMs > 0) gaps[Math.min(Math.round(Math.abs(nowMs - lastMs - tickMs) * 10), 9_999)]++
    lastMs = nowMs
  }
}

/** What a share of all deviations does not exceed, in ms. @param {number} share */
export function gapPercentile(share) {
  const total = gaps.reduce((sum, value) => sum + value, 0)
  let seen = 0
  for (const [index, value] of gaps.entries()) {
    seen += value
    if (seen >= total * share) return index / 10
  }
  return 0
}

/** Who only feels how even the ticks are must not wait for those who make the load. */
export function goFirst() {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    process.stderr.write('The probe waits for its turn as others do: jitter is an upper bound.\n')
  }
}
