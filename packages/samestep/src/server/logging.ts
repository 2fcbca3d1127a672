/** Logs of a relay: one JSON line for each thing worth knowing. */
import { type Logger, pino } from 'pino'
import type { LogLevel, RelayServerOptions } from './relay-server.ts'

/** Bytes of log that wait for a reader that does not read. More is lost rather than waited for. */
const waitingBytesMax = 1_048_576

/** Where lines go. */
export interface LogStream {
  write(line: string): unknown
  /** Writes what waits, now: before the process ends. */
  flushSync(): void
}

/** Opens a file descriptor for lines. Never waits: a terminal that stands still stops no match. */
export function openLogStream(descriptor: 1 | 2): LogStream {
  return pino.destination({ dest: descriptor, sync: false, maxLength: waitingBytesMax })
}

/** The given logger, one of that level which writes to the standard error, or a silent one. */
export function makeLog(log: RelayServerOptions['log'] = 'info'): Logger {
  if (typeof log === 'object') return log
  if (log === false) return pino({ level: 'silent' })
  return pino({ level: log }, openLogStream(2))
}

/** A logger whose lines go to a function. */
export function makeLineLog(level: LogLevel | 'silent', write: (line: string) => void): Logger {
  return pino({ level, base: null }, { write })
}
