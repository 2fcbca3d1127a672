import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { OrderHandle } from './match.ts'

/** A handle that settles when `issue`'s callback is called. */
export function makeHandle(issue: (settle: (end: OrderEnd) => void) => void): OrderHandle {
  let end: OrderEnd | undefined
  let resolve: (end: OrderEnd) => void = () => {}
  const settled = new Promise<OrderEnd>((done) => {
    resolve = done
  })
  // Outside of the promise: a misuse throws at once instead of rejecting later.
  issue((result) => {
    end = result
    resolve(result)
  })
  return {
    settled,
    get end() {
      return end
    },
  }
}
