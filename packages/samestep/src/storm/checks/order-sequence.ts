import type { MatchConfig } from '../../wire/messages/match-config.ts'

/**
 * Orders of one issuer are sealed in the sequence of their issue (I-05), with one exception: in a pause
 * those that may run in one go past those that wait for its end (ORD-10). One that was passed over
 * otherwise was refused, and is never sealed.
 */
export class OrderSequence {
  #next = 0
  #nextInPause = 0

  /** The first order that may be sealed now, of those that are not sealed. */
  first(isPaused: boolean): number {
    return isPaused ? this.#nextInPause : this.#next
  }

  noteSealed(index: number, isPaused: boolean): void {
    this.#nextInPause = Math.max(this.#nextInPause, index + 1)
    if (!isPaused) this.#next = index + 1
  }
}

/** Whether an order may run in a pause, by the rules of its match. */
export function runsInPause(config: MatchConfig, bytes: Uint8Array): boolean {
  const kind = kindOf(config, bytes)
  const { whenPaused, pausedClasses } = config.orders
  if (kind === undefined || whenPaused === 'nothing') return false
  if (whenPaused === 'classes') return isOneOf(kind.classIndex, pausedClasses)
  return whenPaused === 'everything' || kind.whenPaused
}

/** Whether a match does not allow an order at all. */
export function isForbidden(config: MatchConfig, bytes: Uint8Array): boolean {
  const kind = kindOf(config, bytes)
  return kind === undefined || isOneOf(kind.classIndex, config.orders.forbiddenClasses)
}

/** Whether whoever stands in place of its seat may issue an order, and of that size. */
export function isAllowedBy(config: MatchConfig, seat: number, bytes: Uint8Array): boolean {
  const kind = kindOf(config, bytes)
  if (kind === undefined || bytes.length > kind.maxBytes) return false
  const issuer = seat >= 0 ? 'player' : seat === -1 ? 'relay' : 'spectator'
  return kind.by === issuer || (kind.by === 'everybody' && issuer !== 'relay')
}

function isOneOf(classIndex: number, classes: number): boolean {
  return Math.floor(classes / 2 ** classIndex) % 2 === 1
}

/** The rules of an order: its first bits say of which kind it is. */
function kindOf({ orderKinds }: MatchConfig, bytes: Uint8Array) {
  const kindBits = 32 - Math.clz32(Math.max(orderKinds.length - 1, 0))
  return orderKinds[bytes.length === 0 ? 0 : (bytes[0] as number) % 2 ** kindBits]
}
