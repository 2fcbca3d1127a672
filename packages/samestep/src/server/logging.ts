/** Logs of a relay: one JSON line for each thing worth knowing. */
import { type Logger, pino } from 'pino'
import type { LogLevel, RelayServerOptions } from './relay-server.ts'

/** Bytes of log that wait for a reader that does not read. More is lost rather than waited for. */
const waitingBytesMax = 1_048_576

/** The given logger, one of that level which writes to a file descriptor, or a silent one. */
export function makeLog(log: RelayServerOptions['log'] = 'info', descriptor = 2): Logger {
  if (typeof log === 'object') return log
  if (log === false) return pino({ level: 'silent' })
  // Never waits: a terminal that stands still must not stop the matches.
  return pino(
    { level: log },
    pino.destination({ dest: descriptor, sync: false, maxLength: waitingBytesMax }),
  )
}

/** A logger whose lines go to a function. */
export function makeLineLog(level: LogLevel | 'silent', write: (line: string) => void): Logger {
  return pino({ level, base: null }, { write })
}
