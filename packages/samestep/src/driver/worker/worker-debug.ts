import type { DebugFile, DebugLevel } from '../../client/debug/debug-level.ts'
import { requireDebugLevel } from '../../client/debug/debug-level.ts'
import type { TraceEntry } from '../../sim/trace/trace-entry.ts'
import type { MatchDebug } from '../debug/match-debug.ts'
import type { DebugAnswer, PageMessage } from './worker-messages.ts'

/** The debug level of a match in a worker, seen from its page. */
export class WorkerDebug implements MatchDebug {
  readonly #post: (message: PageMessage) => void
  /** As the worker last said. */
  level: DebugLevel = 0
  readonly #asked = new Map<number, (answer: DebugAnswer) => void>()
  #count = 0

  constructor(post: (message: PageMessage) => void) {
    this.#post = post
  }

  setLevel(level: DebugLevel): void {
    this.level = requireDebugLevel(level)
    this.#post({ type: 'debug-level', level })
  }

  async files(): Promise<readonly DebugFile[]> {
    return (await this.#ask()).files
  }

  async writes(): Promise<readonly TraceEntry[]> {
    return (await this.#ask()).writes
  }

  /** The worker answered. */
  handleAnswer(number: number, answer: DebugAnswer): void {
    this.#asked.get(number)?.(answer)
    this.#asked.delete(number)
  }

  /** The worker will not answer any more. */
  end(): void {
    for (const answer of this.#asked.values()) answer({ files: [], writes: [] })
    this.#asked.clear()
  }

  #ask(): Promise<DebugAnswer> {
    this.#count += 1
    const number = this.#count
    return new Promise((resolve) => {
      this.#asked.set(number, resolve)
      this.#post({ type: 'debug-ask', number })
    })
  }
}
