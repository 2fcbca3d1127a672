/**
 * What every server of the load bench shares: it tells its port, and its processor time on request.
 * Plain JavaScript, so that what is measured is what a user would run, without a compiler in between.
 */

/** Players of a match, ticks per second, bytes of an input: the same job for everybody. */
export const seats = 8
export const tickMs = 1_000 / 30
export const inputBytes = 12

/** @param {number} port */
export function announce(port) {
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send?.({ cpuUs: user + system, sys: system })
    }
    if (message === 'exit') process.exit(0)
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ port })
}

/** Calls back 30 times per second without drifting. @param {() => void} callback */
export function everyTick(callback) {
  let due = performance.now() + tickMs
  const loop = () => {
    callback()
    due += tickMs
    setTimeout(loop, Math.max(due - performance.now(), 0))
  }
  setTimeout(loop, tickMs)
}
