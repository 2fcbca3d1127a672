import { slowCheckMs } from './websocket-limits.ts'

/** A connection that may be behind with reading. */
export interface Reader {
  /** Looks whether it is still slow, and closes what was slow for too long. False ends the watch. */
  checkSlow(nowMs: number): boolean
}

/**
 * Connections with a backlog. Looked at every so often, and only while there are any: a reader that
 * is sent nothing more must be found too.
 */
export class SlowReaders {
  readonly #readers = new Set<Reader>()
  #timer: ReturnType<typeof setInterval> | undefined

  add(reader: Reader): void {
    this.#readers.add(reader)
    this.#timer ??= setInterval(() => this.#check(performance.now()), slowCheckMs).unref()
  }

  delete(reader: Reader): void {
    this.#readers.delete(reader)
    if (this.#readers.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #check(nowMs: number): void {
    for (const reader of [...this.#readers]) {
      if (!reader.checkSlow(nowMs)) this.delete(reader)
    }
  }
}
