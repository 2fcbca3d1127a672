/**
 * A timer and nothing else, at the pace of the ticks: how even anything can be on this machine now.
 * Answers as players do.
 */
import { gapPercentile, goFirst, makeGapCounter } from './gaps.mjs'
import { everyTick } from './measured.mjs'

const count = makeGapCounter()
let isMeasuring = false
let ticks = 0
goFirst()
everyTick(() => {
  if (!isMeasuring) return
  ticks += 1
  count()
})
process.on('message', (message) => {
  if (message === 'start') {
    isMeasuring = true
    process.send?.({ answer: 'start' })
  }
  if (message === 'stop') {
    const [jitterP50Ms, jitterP99Ms] = [gapPercentile(0.5), gapPercentile(0.99)]
    process.send?.({ answer: 'stop', delivered: ticks, jitterP50Ms, jitterP99Ms })
    setTimeout(() => process.exit(0), 50)
  }
})
process.on('disconnect', () => process.exit(0))
process.send?.({ answer: 'joined' })
