import { mkdirSync } from 'node:fs'
import type { Logger } from 'pino'
import { UsageError } from '../../base/errors.ts'
import { showPath, systemProblem } from '../../transport/node/secret-text.ts'
import { machineTiming } from '../../transport/timing.ts'
import type { RandomPool } from '../random-pool.ts'
import { bootId } from './boot-id.ts'
import { NodeDisk } from './disk.ts'
import { FolderLock } from './folder-lock.ts'
import { Journal } from './journal.ts'
import type { JournalPlace } from './journal-options.ts'

/** Opens the journal of this process, and reads what there is. */
export function openJournal(place: JournalPlace, log: Logger, random: RandomPool): Journal {
  const { folder, older = [] } = place
  const lock = lockFolder(folder)
  return new Journal({
    release: () => lock.release(),
    disk: new NodeDisk(folder),
    older: older.filter((other) => other !== folder).map((other) => new NodeDisk(other)),
    log,
    // A sync or a retry that is still to come holds no process.
    timing: {
      nowMs: machineTiming.nowMs,
      schedule: (callback, delayMs) => {
        const timer = setTimeout(callback, delayMs).unref()
        return () => clearTimeout(timer)
      },
    },
    randomBytes: (count) => random.take(count),
  })
}

/** Whoever wrote there before is gone, or about to be: a worker that died has a successor at once. */
function lockFolder(folder: string): FolderLock {
  const cannot = (why: string) =>
    new UsageError('SS_BAD_ARGUMENT', `Cannot keep a journal in ${showPath(folder)}: ${why}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const owner = FolderLock.awaitFree(folder, bootId())
    const lock = owner ?? FolderLock.take(folder, bootId())
    if (lock instanceof FolderLock) return lock
    throw cannot(`process ${lock.pid} on ${lock.host} uses it`)
  } catch (error) {
    throw error instanceof UsageError ? error : cannot(systemProblem(error))
  }
}
