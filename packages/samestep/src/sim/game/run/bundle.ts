/** Why a seat lost its player. */
export type LeaveReason = 'left' | 'timeout' | 'kicked' | 'voted-out' | 'refused' | 'relay-closed'

/** What happens to the match itself at a tick, sealed with the orders so that all agree on when. */
export type SystemEvent =
  | { readonly type: 'join'; readonly seat: number }
  | { readonly type: 'leave'; readonly seat: number; readonly reason: LeaveReason }
  /**
   * Somebody else plays this seat from here on: a member of the match, or a bot where that is
   * `undefined`. The seat itself goes on as before.
   */
  | { readonly type: 'hand-over'; readonly seat: number; readonly member: number | undefined }
  /** `seat` is who asked; `undefined` for the relay. */
  | { readonly type: 'pause'; readonly seat: number | undefined }
  | { readonly type: 'resume'; readonly seat: number | undefined }
  /** Ticks per second in percent of the game's tick rate. */
  | { readonly type: 'speed'; readonly percent: number }
  /** The input delay from here on, in ticks. */
  | { readonly type: 'delay'; readonly ticks: number }

/** Where an order says its seat, and the relay itself issued it. */
export const relaySeat = -1

/** What stands where an order says its seat, and a spectator issued it: the member of that number. */
export function spectatorSeat(member: number): number {
  return relaySeat - 1 - member
}

/** The member that issued an order as a spectator; `undefined` for one of a player or of the relay. */
export function spectatorOf(seat: number): number | undefined {
  return seat < relaySeat ? relaySeat - 1 - seat : undefined
}

/** One order as the relay sealed it. The relay never looks into `bytes`; the game decodes them. */
export interface SealedOrder {
  /** Who issued it: a seat, {@link relaySeat}, or less for a spectator, see {@link spectatorOf}. */
  readonly seat: number
  readonly bytes: Uint8Array
  /** What the issuer calls it, so that its handle settles; not seen by the game. */
  readonly id?: number
}

/** A field of a seat's input for which something was sealed that is no value of the field. */
export interface WrongInput {
  readonly seat: number
  readonly field: string
}

/** Everything that happens at one tick, fixed for ever. */
export interface Bundle<Input = unknown> {
  /** The match tick: one more than that of the bundle before, also in a pause. */
  readonly tick: number
  readonly events: readonly SystemEvent[]
  /** The held controls by seat; `undefined` where they are what they were in the tick before. */
  readonly inputs: readonly (Input | undefined)[]
  readonly orders: readonly SealedOrder[]
  /** Fields that hold their default because what was sealed is no value of theirs. */
  readonly wrongInputs?: readonly WrongInput[]
}

/** A tick in which nothing happens. */
export function emptyBundle(tick: number): Bundle<never> {
  return { tick, events: nothing, inputs: nothing, orders: nothing }
}

const nothing: readonly never[] = Object.freeze([])
