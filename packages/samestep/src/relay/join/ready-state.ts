import type { OfferedState } from '../../link/transfer/state-offer.ts'

/** A state that the relay has, for everybody who needs one. */
export interface ReadyState<P> {
  readonly tick: number
  readonly state: OfferedState
  /** Who gave it. */
  readonly donor: P
  /** Until when it is kept for others. */
  dropAtMs: number
}
