/**
 * The players of one server: `node players.mjs KIND ADDRESS MATCHES [PREFIX]`, the address as JSON. Each sends an
 * input of twelve bytes per tick, in eight groups one after the other, the same for every server. They
 * count the ticks that arrive and how evenly; what they cost is not measured.
 */
import { goFirst, makeGapCounter, takeGaps } from './gaps.mjs'
import { inputBytes, nextDue, seats, tickMs } from './measured.mjs'

const [kind = '', address = '{}', count = '', prefix = 'm'] = process.argv.slice(2)
const players = Number(count) * seats
let delivered = 0

/** Only a few are asked how even their ticks are: of thousands nobody could keep all. */
const isProbe = prefix === 'probe'

function makeCounter() {
  const countGap = isProbe ? makeGapCounter(tickMs) : () => {}
  return () => {
    delivered += 1
    countGap()
  }
}

if (isProbe) goFirst()

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
  due = nextDue(due, tickMs / groups)
  setTimeout(loop, Math.max(due - performance.now(), 0))
}
loop()

process.on('message', (message) => {
  if (message === 'count') process.send?.({ answer: 'count', delivered })
  if (message === 'gaps') process.send?.({ answer: 'gaps', gaps: takeGaps() })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ answer: 'joined' })
