import { UsageError } from '../../base/errors.ts'
import type { DesyncReport } from '../../desync/report.ts'
import type { SavableReport } from '../match/savable-report.ts'
import { savable } from '../match/savable-report.ts'
import { unpackError } from './worker-errors.ts'
import type { WorkerMessage } from './worker-messages.ts'

type Answer = Extract<WorkerMessage, { readonly type: 'desync-file' }>

/** Gets the files of desyncs from the worker that has what is in them. */
export class DesyncFiles {
  readonly #ask: (number: number, report: DesyncReport) => void
  readonly #waiting = new Map<number, (answer: Pick<Answer, 'bytes' | 'error'>) => void>()
  #count = 0
  #isOver = false

  constructor(ask: (number: number, report: DesyncReport) => void) {
    this.#ask = ask
  }

  /** A report that came from the worker, as one that can be saved on this page. */
  makeSavable(
    report: DesyncReport,
    simulation: { readonly matchId: string } | undefined,
  ): SavableReport {
    return savable(report, simulation?.matchId ?? 'match', () => this.#fetch(report))
  }

  /** Takes in an answer. */
  handle({ number, bytes, error }: Answer): void {
    this.#waiting.get(number)?.({ bytes, error })
    this.#waiting.delete(number)
  }

  /** The worker says nothing any more. */
  loseAll(): void {
    this.#isOver = true
    for (const settle of this.#waiting.values()) settle({ bytes: undefined, error: undefined })
    this.#waiting.clear()
  }

  #fetch(report: DesyncReport): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const settle = ({ bytes, error }: Pick<Answer, 'bytes' | 'error'>): void => {
        if (bytes !== undefined) resolve(bytes)
        else reject(error === undefined ? over() : unpackError(error))
      }
      if (this.#isOver) {
        settle({ bytes: undefined, error: undefined })
        return
      }
      this.#count += 1
      this.#waiting.set(this.#count, settle)
      this.#ask(this.#count, report)
    })
  }
}

function over(): UsageError {
  return new UsageError('SS_CLOSED', 'Cannot save the report: the match is over')
}
