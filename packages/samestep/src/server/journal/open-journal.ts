import type { Logger } from 'pino'
import { machineTiming } from '../../transport/timing.ts'
import type { RandomPool } from '../random-pool.ts'
import { NodeDisk } from './disk.ts'
import { Journal } from './journal.ts'
import type { JournalPlace } from './journal-options.ts'

/** Opens the journal of this process, and reads what there is. */
export function openJournal(place: JournalPlace, log: Logger, random: RandomPool): Journal {
  const { folder, older = [] } = place
  return new Journal({
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
