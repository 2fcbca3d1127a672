import { TokenBucket } from '../base/token-bucket.ts'

/** Who had somebody muted. Only who did so, or a vote, takes it back. */
export type MuteSource = 'owner' | 'vote'

/** What one member may still say. */
export class Speech {
  readonly #lines: TokenBucket
  readonly #mutedUntilMs: Record<MuteSource, number> = {
    owner: Number.NEGATIVE_INFINITY,
    vote: Number.NEGATIVE_INFINITY,
  }

  constructor(nowMs: number) {
    this.#lines = new TokenBucket(chatBurst, chatPerSecond, nowMs)
  }

  /** How many lines may be said at once now. */
  linesLeft(nowMs: number): number {
    return this.#lines.tokens(nowMs)
  }

  /** The speech of somebody who was never muted, and has no more lines left than this one. */
  copyLines(nowMs: number): Speech {
    const copy = new Speech(nowMs)
    copy.#lines.take(chatBurst - this.linesLeft(nowMs), nowMs)
    return copy
  }

  /** Whether it is as that of somebody who never said anything, and never was muted. */
  isFresh(nowMs: number): boolean {
    return !this.isMuted(nowMs) && this.#lines.has(chatBurst, nowMs)
  }

  /** Counts a line. False when it is one too many. */
  take(nowMs: number): boolean {
    return this.#lines.take(1, nowMs)
  }

  /** Keeps the member from talking until a time; `Infinity` until it is taken back. */
  mute(by: MuteSource, untilMs: number): void {
    this.#mutedUntilMs[by] = untilMs
  }

  /** Takes back what the same source did. */
  unmute(by: MuteSource): void {
    this.mute(by, Number.NEGATIVE_INFINITY)
  }

  /** Whether the owner of the match had it muted. */
  get isMutedByOwner(): boolean {
    return this.#mutedUntilMs.owner === Number.POSITIVE_INFINITY
  }

  /** How long a vote still keeps it from talking, in whole ms. */
  voteMuteMs(nowMs: number): number {
    return Math.max(Math.ceil(this.#mutedUntilMs.vote - nowMs), 0)
  }

  /** Until when a vote keeps it from talking; long ago when none does. */
  get votedUntilMs(): number {
    return this.#mutedUntilMs.vote
  }

  isMuted(nowMs: number): boolean {
    return Math.max(this.#mutedUntilMs.owner, this.#mutedUntilMs.vote) > nowMs
  }
}

/** Lines of one member in a second, over a long time, and at once: as fast as one can read. */
const chatPerSecond = 1
const chatBurst = 5
