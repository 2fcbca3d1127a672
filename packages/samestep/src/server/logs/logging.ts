/** Logs of a relay: one JSON line for each thing worth knowing. */
import { type Logger, pino } from 'pino'
import type { LogLevel, RelayServerOptions } from '../relay-server.ts'
import { LineStream } from './line-stream.ts'

/** The given logger, one of that level which writes to the standard error, or a silent one. */
export function makeLog(log: RelayServerOptions['log'] = 'info'): Logger {
  if (typeof log === 'object') return log
  if (log === false || log === 'off') return pino({ level: 'silent' })
  return pino({ level: log }, new LineStream(2))
}

/** A logger whose lines go to a function. */
export function makeLineLog(level: LogLevel | 'silent', write: (line: string) => void): Logger {
  return pino({ level, base: null }, { write })
}
