import type { WorkerJoinOptions } from '../worker/join-match-in-worker.ts'
import { joinOverChannel } from '../worker/join-match-in-worker.ts'
import type { ServeOptions } from '../worker/serve-match.ts'
import { serveMatch } from '../worker/serve-match.ts'
import type { WorkerMatch } from '../worker/worker-match.ts'
import type { LedgerRender, LedgerShape } from './driver-world.ts'
import { DriverWorld } from './driver-world.ts'
import { FakeThreads } from './fake-threads.ts'

/** A match of the ledger that a worker plays. */
export type LedgerWorkerMatch = WorkerMatch<LedgerShape, LedgerRender>

/** A relay, players, and one page whose player is in a worker; all in one process, in virtual time. */
export class WorkerWorld extends DriverWorld {
  readonly threads = new FakeThreads()

  /** Lets the worker serve. */
  serve(options: ServeOptions = {}): () => void {
    const { timing, dial } = this
    return serveMatch(this.game, { timing, dial, port: this.threads.scope, ...options })
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
    return joinOverChannel(this.game, { ...usual, ...options }, this.threads.openChannel)
  }

  /** Joins in the worker, and lets the time pass that it takes. */
  async seatInWorker(
    options: Partial<WorkerJoinOptions<LedgerShape>> = {},
  ): Promise<LedgerWorkerMatch> {
    return this.finish(this.joinInWorker(options))
  }
}
