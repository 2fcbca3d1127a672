/** A process with players, told what to do by the one with the relay. It may be killed at any time. */
import type { TroupeAnswer, TroupeOrder } from './messages.ts'
import { Troupe } from './troupe.ts'
import type { FarWay } from './ways.ts'
import { dialFar } from './ways.ts'

const troupe = new Troupe()

function answer(what: TroupeAnswer): void {
  process.send?.(what)
}

async function join(order: Extract<TroupeOrder, { type: 'join' }>): Promise<void> {
  try {
    await troupe.join(order.plans, ({ way }) => dialFar(way as FarWay, order.addresses))
    answer({ type: 'joined', failure: undefined })
  } catch (error) {
    answer({ type: 'joined', failure: error instanceof Error ? error.message : String(error) })
  }
}

process.on('message', async (order: TroupeOrder) => {
  switch (order.type) {
    case 'join':
      return join(order)
    case 'begin':
      return troupe.begin()
    case 'rest':
      return troupe.rest()
    case 'report':
      return answer({ type: 'reports', reports: await troupe.report(order.ticks, order.msMax) })
    case 'leave':
      troupe.leave()
      return answer({ type: 'left' })
  }
})
// Whoever started it is gone: so is the reason to be here.
process.on('disconnect', () => process.exit(0))
answer({ type: 'ready' })
