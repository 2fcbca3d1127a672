import type { OrderType } from './order.ts'

/** The rules of an order's declaration; a sentence when one forbids it, whatever the state is. */
export function brokenRule(
  type: OrderType,
  seat: number,
  seats: number,
  isPaused: boolean,
): string | undefined {
  if (isPaused && !type.whenPaused) return 'The match is paused'
  if (type.by === 'relay') {
    return seat < 0 ? undefined : `Only the relay may issue '${type.name}'`
  }
  if (seat < 0 || seat >= seats) return `There is no seat ${seat} in this match`
  return undefined
}

/** What `validate` answered, as a reason; `undefined` when it lets the order through. */
export function readVerdict(verdict: unknown): string | undefined {
  if (verdict === undefined || verdict === true) return undefined
  return typeof verdict === 'string' ? verdict : 'The game refused it'
}
