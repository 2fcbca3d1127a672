import type { Match } from '../relay/match/match.ts'

/**
 * After an error of the relay itself, one of the matches may never be served again. It shows by its
 * ticks, which then stand still.
 */
export class StalledMatches {
  readonly #matches: () => ReadonlyMap<string, Match>
  readonly #end: (match: Match) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  /** `end` is called for each match that stands still. */
  constructor(matches: () => ReadonlyMap<string, Match>, end: (match: Match) => void) {
    this.#matches = matches
    this.#end = end
  }

  /** Any of them may be broken: looks which of them go on. */
  suspect(): void {
    if (this.#timer !== undefined) return
    const ticks = new Map<Match, number>()
    for (const match of this.#matches().values()) {
      if (match.phase === 'running') ticks.set(match, match.log.sealedTick)
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      for (const [match, tick] of ticks) {
        const isSame = this.#matches().get(match.name) === match && match.phase === 'running'
        if (isSame && match.log.sealedTick === tick) this.#end(match)
      }
    }, suspicionMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }
}

/** A match seals ticks all the time, paused or not: without one for so long, it is broken. */
const suspicionMs = 3_000
