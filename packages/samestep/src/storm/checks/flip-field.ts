import type { Client } from '../../client/client.ts'

/**
 * A field that no step makes good again, of the games that storms play by themselves. A developer's
 * game may have parts of the same names, and is left alone.
 */
export function flipField(simulation: Client['simulation']): boolean {
  const { chain, sum } = (simulation?.state ?? {}) as {
    chain?: { order?: number }
    sum?: { orders?: number }
  }
  if (simulation === undefined) return false
  if (typeof chain?.order === 'number') {
    simulation.disturb(() => {
      chain.order = ((chain.order as number) ^ 1) >>> 0
    })
  } else if (typeof sum?.orders === 'number') {
    simulation.disturb(() => {
      sum.orders = ((sum.orders as number) ^ 1) >>> 0
    })
  } else return false
  return true
}

/** Where that field is. */
export const flippedLeaves: ReadonlySet<string> = new Set(['chain/order/0', 'sum/orders/0'])
