import type { RoomAction } from '../wire/messages/room-actions.ts'

/** What became of a wish. */
export interface RoomAnswer {
  /** Why it is not granted. */
  readonly refusal: string | undefined
  /** What it is to be struck for, as no client of ours asks that. */
  readonly strike: 'wrong-text' | undefined
}

/** What was asked for is done. */
export const granted: RoomAnswer = Object.freeze({ refusal: undefined, strike: undefined })

/** Not granted for a reason; granted where there is none. */
export function deny(refusal: string | undefined): RoomAnswer {
  return refusal === undefined ? granted : { refusal, strike: undefined }
}

/** Chat is over when it is said, ballots are counted by their vote, and progress by the lobby. */
export function isPassing({ type }: RoomAction): boolean {
  return type === 'say' || type === 'cast' || type === 'report-load'
}
