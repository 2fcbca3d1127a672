/** Where the log of `samestep relay` goes: JSON for programs, lines for a person at a terminal. */
import { type Logger, pino } from 'pino'
import type { LogLevel } from '../../server/index.ts'
import { LineStream } from '../../server/logs/line-stream.ts'

/** A log, and a way to write lines between those of it. */
export interface CliLog {
  readonly log: Logger
  /** Writes a line of JSON for a script, in sequence with the log. */
  writeLine(line: string): void
  /** Before the process ends. */
  flush(): Promise<void>
}

/** Makes the log. With `isJson` it goes to the standard output, otherwise to the standard error. */
export function makeCliLog(level: LogLevel | false = 'info', isJson: boolean): CliLog {
  const stream = new LineStream(isJson ? 1 : 2)
  const isForPerson = !isJson && process.stderr.isTTY === true
  const target = isForPerson ? { write: (line: string) => stream.write(humanLine(line)) } : stream
  const base = isForPerson ? { base: null } : {}
  return {
    log: pino({ level: level === false ? 'silent' : level, ...base }, target),
    writeLine: (line) => stream.write(line),
    flush: () => stream.flush(),
  }
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
  return `${clock} ${name} ${escapeControls([msg, ...rest].join('  '))}${tail}\n`
}

/**
 * Characters that a terminal obeys, or that turn the direction of writing around, as escapes. JSON
 * escapes those below U+0020 only; some terminals take U+0080 to U+009F for commands too.
 */
function escapeControls(text: string): string {
  return text.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
