/**
 * The players of one server: `node players.mjs KIND ADDRESS MATCHES [PREFIX]`, the address as JSON. Each sends an
 * input of twelve bytes per tick, in eight groups one after the other, the same for every server. They
 * count the ticks that arrive and how evenly; what they cost is not measured.
 */
import { constants, setPriority } from 'node:os'
import { inputBytes, seats, tickMs } from './measured.mjs'

const [kind = '', address = '{}', count = '', prefix = 'm'] = process.argv.slice(2)
const players = Number(count) * seats
let delivered = 0
let isMeasuring = false
/** Times between two ticks of a player, in steps of 0.1 ms. */
const gaps = new Uint32Array(10_000)

function makeCounter() {
  let lastMs = 0
  return () => {
    if (!isMeasuring) return
    delivered += 1
    const nowMs = performance.now()
    if (lastMs > 0) gaps[Math.min(Math.round(Math.abs(nowMs - lastMs - tickMs) * 10), 9_999)]++
    lastMs = nowMs
  }
}

function percentile(share) {
  const total = gaps.reduce((sum, value) => sum + value, 0)
  let seen = 0
  for (const [index, value] of gaps.entries()) {
    seen += value
    if (seen >= total * share) return index / 10
  }
  return 0
}

// Who only feels how even the ticks are must not wait for those who make the load.
if (prefix === 'probe') {
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
  } catch {
    process.stderr.write('The probe waits for its turn as others do: jitter is an upper bound.\n')
  }
}

const { join } = await import(`./player-${kind}.mjs`)
const input = new Uint8Array(inputBytes)
const senders = []
for (let player = 0; player < players; player += 1) {
  senders.push(
    await join(JSON.parse(address), `${prefix}${Math.floor(player / seats)}`, makeCounter()),
  )
}

/**
 * Players are not in step with each other: the first of each match send first, and so on. One after the
 * other for each of thousands would be truer, and cost the machine more than the servers do.
 */
const groups = seats
let due = performance.now()
let group = 0
const loop = () => {
  if (group === 0) input[0] = (input[0] + 1) & 255
  for (let player = group; player < players; player += groups) senders[player](input)
  group = (group + 1) % groups
  due += tickMs / groups
  setTimeout(loop, Math.max(due - performance.now(), 0))
}
loop()

process.on('message', (message) => {
  if (message === 'start') {
    delivered = 0
    gaps.fill(0)
    isMeasuring = true
    process.send?.({ answer: 'start' })
  }
  if (message === 'stop') {
    isMeasuring = false
    process.send?.({
      answer: 'stop',
      delivered,
      jitterP50Ms: percentile(0.5),
      jitterP99Ms: percentile(0.99),
    })
    setTimeout(() => process.exit(0), 50)
  }
})
process.on('disconnect', () => process.exit(0))
process.send?.({ answer: 'joined' })
