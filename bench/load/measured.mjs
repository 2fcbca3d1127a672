/**
 * What every server of the load bench shares: it tells its port, and its processor time on request.
 * Plain JavaScript, so that what is measured is what a user would run, without a compiler in between.
 */

/** Players of a match, ticks per second, bytes of an input: the same job for everybody. */
export const seats = 8
export const tickRate = Number(process.env.LOAD_TICK_RATE ?? 30)
export const tickMs = 1_000 / tickRate
export const inputBytes = 12

/** Limits of a relay for whom everybody comes from one address. */
export const oneAddress = {
  strangersPerAddress: 100_000,
  connectionsPerAddress: 100_000,
  matchesPerAddress: 100_000,
  matchesPerMinute: 10_000,
}

/**
 * Tells where the server is, and answers questions. Answers carry their name: some servers say things
 * of their own to whoever started them.
 *
 * @param {number} port @param {Record<string, string>} urls
 */
export function announce(port, urls = {}) {
  process.on('message', (message) => {
    if (message === 'cpu') {
      const { user, system } = process.cpuUsage()
      process.send?.({ answer: 'cpu', cpuUs: user + system, systemUs: system })
    }
    if (message === 'exit') process.exit(0)
  })
  process.on('disconnect', () => process.exit(0))
  process.send?.({ answer: 'address', port, urls })
}

/** Calls back 30 times per second without drifting. @param {() => void} callback */
export function everyTick(callback) {
  let due = performance.now() + tickMs
  const loop = () => {
    callback()
    due = nextDue(due, tickMs)
    setTimeout(loop, Math.max(due - performance.now(), 0))
  }
  setTimeout(loop, tickMs)
}

/** A process that was halted goes on from where it is. @param {number} due @param {number} everyMs */
export function nextDue(due, everyMs) {
  return Math.max(due + everyMs, performance.now() - haltedMs)
}

/** Less is a stall, which is made up for. */
const haltedMs = 200

/**
 * Where every input travels alone, a tick is delivered with the last of its inputs.
 *
 * @param {() => void} count
 */
export function countTicks(count) {
  let inputs = 0
  return () => {
    inputs = (inputs + 1) % seats
    if (inputs === 0) count()
  }
}
