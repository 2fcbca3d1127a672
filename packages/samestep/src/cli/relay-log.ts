/** Where the log of `samestep relay` goes: JSON for programs, lines for a person at a terminal. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../server/index.ts'
import { makeLog } from '../server/index.ts'

/** Makes the log. With `isJson` it goes to the standard output, otherwise to the standard error. */
export function makeCliLog(level: LogLevel | false = 'info', isJson: boolean): Logger {
  if (level === false) return makeLog(false)
  if (isJson) return makeLog(level, 1)
  if (process.stderr.isTTY !== true) return makeLog(level)
  const write = (line: string) => process.stderr.write(humanLine(line))
  return pino({ level, base: null }, { write })
}

/** One line of the log as a person reads it. */
export function humanLine(line: string): string {
  const { level, time, msg, err, ...fields } = JSON.parse(line) as Record<string, unknown>
  const clock = new Date(time as number).toISOString().slice(11, 19)
  const name = (pino.levels.labels[level as number] ?? '').padEnd(5)
  // Names come from strangers: quoted, so that they cannot write on this terminal as they like.
  const rest = Object.entries(fields).map(([key, value]) => `${key}=${JSON.stringify(value)}`)
  const stack = (err as { stack?: string } | undefined)?.stack
  const tail = stack === undefined ? '' : `\n${stack}`
  return `${clock} ${name} ${[msg, ...rest].join('  ')}${tail}\n`
}
