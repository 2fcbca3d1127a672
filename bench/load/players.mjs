/**
 * The players of one server: `node players.mjs KIND ADDRESS MATCHES [PREFIX]`, the address as JSON. Each sends an
 * input of twelve bytes per tick, in eight groups one after the other, the same for every server. They
 * count the ticks that arrive and how evenly; what they cost is not measured.
 */
import { gapPercentile, goFirst, makeGapCounter } from './gaps.mjs'
import { inputBytes, seats, tickMs } from './measured.mjs'

const [kind = '', address = '{}', count = '', prefix = 'm'] = process.argv.slice(2)
const players = Number(count) * seats
let delivered = 0
let isMeasuring = false

function makeCounter() {
  const countGap = makeGapCounter()
  return () => {
    if (!isMeasuring) return
    delivered += 1
    countGap()
  }
}

if (prefix === 'probe') goFirst()

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
    isMeasuring = true
    process.send?.({ answer: 'start' })
  }
  if (message === 'stop') {
    isMeasuring = false
    process.send?.({
      answer: 'stop',
      delivered,
      jitterP50Ms: gapPercentile(0.5),
      jitterP99Ms: gapPercentile(0.99),
    })
    setTimeout(() => process.exit(0), 50)
  }
})
process.on('disconnect', () => process.exit(0))
process.send?.({ answer: 'joined' })
