import type { KindPolicy } from '../../sim/game/orders/order.ts'
import type { MatchConfig } from './match-config.ts'

/**
 * Which orders a match allows: never, and in a pause (ORD-09). Relay and simulations read it from the
 * same bits, by the number of the kind.
 */
export function orderPolicyOf({
  orders,
  orderKinds,
}: Pick<MatchConfig, 'orders' | 'orderKinds'>): KindPolicy[] {
  return orderKinds.map((kind) => ({
    isForbidden: (orders.forbiddenClasses & (1 << kind.classIndex)) !== 0,
    runsPaused: runsPaused(orders, kind),
  }))
}

function runsPaused(
  { whenPaused: level, pausedClasses }: MatchConfig['orders'],
  { classIndex, whenPaused }: MatchConfig['orderKinds'][number],
): boolean {
  switch (level) {
    case 'declared':
      return whenPaused
    case 'nothing':
      return false
    case 'everything':
      return true
    case 'classes':
      return (pausedClasses & (1 << classIndex)) !== 0
  }
}
