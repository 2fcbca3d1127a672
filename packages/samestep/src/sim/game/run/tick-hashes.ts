import type { CodeWatch } from '../../guard/code-watch.ts'
import { SyncTree } from '../../hash/tree.ts'
import type { PartDeclarations } from '../../state/part.ts'
import type { State } from '../../state/state.ts'
import { RecentHashes } from './recent-hashes.ts'
import type { ReportBuilder } from './report.ts'

/** The sync hashes of a simulation: the current one, and those of earlier ticks. */
export class TickHashes {
  readonly tree = new SyncTree()
  readonly recent: RecentHashes
  readonly #parts: State<PartDeclarations>
  readonly #watch: CodeWatch | undefined

  constructor(parts: State<PartDeclarations>, tickRate: number, watch: CodeWatch | undefined) {
    this.recent = new RecentHashes(tickRate)
    this.#parts = parts
    this.#watch = watch
  }

  /** Computes the tree of the current state. Valid until the next call. */
  compute(): SyncTree {
    this.tree.update(this.#parts, this.#parts.memory)
    return this.tree
  }

  /** Computes the hash after a tick, and keeps it. */
  remember(tick: number): void {
    // The functions of custom parts, which are game code, run here.
    this.#watch?.enter('hash', 'hash')
    try {
      this.compute()
    } finally {
      this.#watch?.leave()
    }
    this.recent.remember(tick, this.tree.rootLo, this.tree.rootHi)
  }

  /** Writes the hash after a system into the report of its tick. */
  tell(system: string, report: ReportBuilder): void {
    const { rootLo, rootHi } = this.compute()
    report.systemHash(system, rootLo, rootHi)
  }
}
