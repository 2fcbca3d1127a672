/** How evenly ticks come, for whoever counts them. */
import { execFileSync } from 'node:child_process'

/** Deviations of the time between two ticks since somebody asked, in ms. */
let gaps = []

/** Gives a function to be called with each tick of one player, or of a timer. @param {number} everyMs */
export function makeGapCounter(everyMs) {
  let lastMs = 0
  return () => {
    const nowMs = performance.now()
    if (lastMs > 0) gaps.push(Math.abs(nowMs - lastMs - everyMs))
    lastMs = nowMs
  }
}

/** Deviations since the last call. */
export function takeGaps() {
  const taken = gaps
  gaps = []
  return taken
}

/**
 * Who only feels how even the ticks are must not wait for those who make the load. The highest of usual
 * priorities still waits for 3 ms until another process has had its share.
 */
export function goFirst() {
  try {
    execFileSync('chrt', ['--fifo', '--pid', '10', String(process.pid)], { stdio: 'ignore' })
  } catch {
    process.stderr.write('The probe waits for its turn as others do: jitter is an upper bound.\n')
  }
}
