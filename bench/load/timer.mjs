/**
 * A timer and nothing else, some times as fast as the ticks: how even anything can be on this machine
 * now. Answers as players do.
 */
import { goFirst, makeGapCounter, takeGaps } from './gaps.mjs'
import { nextDue, tickMs } from './measured.mjs'

const everyMs = tickMs / 8
const count = makeGapCounter(everyMs)
goFirst()
let due = performance.now()
const loop = () => {
  count()
  due = nextDue(due, everyMs)
  setTimeout(loop, Math.max(due - performance.now(), 0))
}
loop()
process.on('message', (message) => {
  if (message === 'gaps') process.send?.({ answer: 'gaps', gaps: takeGaps() })
})
process.on('disconnect', () => process.exit(0))
process.send?.({ answer: 'joined' })
