/** Why a seat lost its player. */
export type LeaveReason = 'left' | 'timeout' | 'kicked' | 'voted-out' | 'refused' | 'relay-closed'

/**
 * Something that happens to the match itself, sealed with the orders so that all machines agree on the
 * tick.
 */
export type SystemEvent =
  | { readonly type: 'join'; readonly seat: number }
  | { readonly type: 'leave'; readonly seat: number; readonly reason: LeaveReason }
  /**
   * From this tick on, the seat is played by another member of the match, or by a bot if `member` is
   * `undefined`. Nothing else changes about the seat.
   */
  | { readonly type: 'hand-over'; readonly seat: number; readonly member: number | undefined }
  /** `seat` asked for it; `undefined` for the relay. */
  | { readonly type: 'pause'; readonly seat: number | undefined }
  | { readonly type: 'resume'; readonly seat: number | undefined }
  /** Ticks per second in percent of the game's tick rate. */
  | { readonly type: 'speed'; readonly percent: number }
  /** The input delay from this tick on, in ticks. */
  | { readonly type: 'delay'; readonly ticks: number }

/** The `seat` of orders issued by the relay itself. */
export const relaySeat = -1

/** The `seat` of orders issued by the spectator with this member number. */
export function spectatorSeat(member: number): number {
  return relaySeat - 1 - member
}

/** The member number of the spectator who issued an order; `undefined` if a player or the relay did. */
export function spectatorOf(seat: number): number | undefined {
  return seat < relaySeat ? relaySeat - 1 - seat : undefined
}

/** One order as sealed by the relay. The relay never decodes `bytes`; the game does. */
export interface SealedOrder {
  /** The issuer: a seat, {@link relaySeat}, or a lower number for a spectator, see {@link spectatorOf}. */
  readonly seat: number
  readonly bytes: Uint8Array
  /** The issuer's own number for the order, so that its handle settles; the game does not see it. */
  readonly id?: number
}

/** An input field of a seat for which an invalid value was sealed. */
export interface WrongInput {
  readonly seat: number
  readonly field: string
}

/** Everything that happens at one tick, fixed for ever. */
export interface Bundle<Input = unknown> {
  /** The match tick: one more than that of the previous bundle, also in a pause. */
  readonly tick: number
  readonly events: readonly SystemEvent[]
  /** The held controls by seat; `undefined` where they have not changed since the previous tick. */
  readonly inputs: readonly (Input | undefined)[]
  readonly orders: readonly SealedOrder[]
  /** Fields that have their default because the sealed value was invalid. */
  readonly wrongInputs?: readonly WrongInput[]
}

/** A tick in which nothing happens. */
export function emptyBundle(tick: number): Bundle<never> {
  return { tick, events: nothing, inputs: nothing, orders: nothing }
}

const nothing: readonly never[] = Object.freeze([])
