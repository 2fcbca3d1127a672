import { relaySeat } from '../run/bundle.ts'
import type { KindPolicy, OrderType } from './order.ts'

/** What a match makes of each kind of order when it says nothing: what the declarations say. */
export function declaredPolicy(types: readonly OrderType[]): KindPolicy[] {
  return types.map(({ whenPaused }) => ({ isForbidden: false, runsPaused: whenPaused }))
}

/** The rules of an order's declaration and of its match; a sentence when one forbids it, whatever the state is. */
export function brokenRule(
  type: OrderType,
  policy: KindPolicy | undefined,
  seat: number,
  seats: number,
  isPaused: boolean,
): string | undefined {
  // A relay may name fewer kinds than the game has: what it does not name has no special leave.
  if (policy?.isForbidden === true) return `The match allows no '${type.name}'`
  if (isPaused && policy?.runsPaused !== true) return 'The match is paused'
  const isRelay = seat === relaySeat
  if (isRelay !== (type.by === 'relay')) return `Only ${whoOf(type)} may issue '${type.name}'`
  if (isRelay) return undefined
  if (seat >= seats) return `There is no seat ${seat} in this match`
  const isSpectator = seat < relaySeat
  if (type.by === (isSpectator ? 'player' : 'spectator')) {
    return `Only ${whoOf(type)} may issue '${type.name}'`
  }
  return undefined
}

const issuers = {
  player: 'players',
  spectator: 'spectators',
  everybody: 'players and spectators',
  relay: 'the relay',
} as const

function whoOf({ by }: OrderType): string {
  return issuers[by]
}

/** What `validate` answered, as a reason; `undefined` when it lets the order through. */
export function readVerdict(verdict: unknown): string | undefined {
  if (verdict === undefined || verdict === true) return undefined
  return typeof verdict === 'string' ? verdict : 'The game refused it'
}
