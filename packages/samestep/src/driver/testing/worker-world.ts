import type { WorkerJoinOptions } from '../join-match-in-worker.ts'
import { joinOverChannel } from '../join-match-in-worker.ts'
import type { ServeOptions } from '../serve-match.ts'
import { serveMatch } from '../serve-match.ts'
import type { WorkerMatch } from '../worker-match.ts'
import type { LedgerRender, LedgerShape } from './driver-world.ts'
import { DriverWorld, ledger } from './driver-world.ts'
import { FakeThreads } from './fake-threads.ts'

/** A match of the ledger that a worker plays. */
export type LedgerWorkerMatch = WorkerMatch<LedgerShape, LedgerRender>

/** A relay, players, and one page whose player is in a worker; all in one process, in virtual time. */
export class WorkerWorld extends DriverWorld {
  readonly threads = new FakeThreads()

  /** Lets the worker serve. */
  serve(options: ServeOptions = {}): () => void {
    const { timing, dial } = this
    return serveMatch(ledger, { timing, dial, port: this.threads.scope, ...options })
  }

  /** Begins to join in the worker. */
  joinInWorker(options: Partial<WorkerJoinOptions<LedgerShape>> = {}): Promise<LedgerWorkerMatch> {
    const usual: WorkerJoinOptions<LedgerShape> = {
      worker: this.threads.worker,
      url: 'ws://relay.test',
      match: 'friday',
      seats: 1,
      timing: this.timing,
      guard: false,
    }
    return joinOverChannel(ledger, { ...usual, ...options }, this.threads.openChannel)
  }

  /** Joins in the worker, and lets the time pass that it takes. */
  async seatInWorker(
    options: Partial<WorkerJoinOptions<LedgerShape>> = {},
  ): Promise<LedgerWorkerMatch> {
    return this.finish(this.joinInWorker(options))
  }
}
