import type { WriteStream } from 'node:tty'

/** What a progress line is written to. */
export type LineStream = Pick<WriteStream, 'write'> & { readonly isTTY?: boolean }

/** On a terminal, often enough to look alive; in a log, seldom enough to be read. */
const terminalEveryMs = 100
const logEveryMs = 10_000

/** One line that says how far something is: rewritten on a terminal, repeated now and then in a log. */
export class ProgressLine {
  readonly #stream: LineStream
  readonly #everyMs: number
  #shownAtMs: number
  #width = 0

  constructor(stream: LineStream, nowMs: number) {
    this.#stream = stream
    this.#everyMs = stream.isTTY === true ? terminalEveryMs : logEveryMs
    this.#shownAtMs = stream.isTTY === true ? Number.NEGATIVE_INFINITY : nowMs
  }

  /** Shows a line, if it is time for one. The text is only made then. */
  show(text: () => string, nowMs: number): void {
    if (nowMs - this.#shownAtMs < this.#everyMs) return
    this.#shownAtMs = nowMs
    const line = text()
    if (this.#stream.isTTY !== true) {
      this.#stream.write(`${line}\n`)
      return
    }
    this.#stream.write(`\r${line.padEnd(this.#width)}`)
    this.#width = line.length
  }

  /** Makes room for what comes next. */
  clear(): void {
    if (this.#width > 0) this.#stream.write(`\r${' '.repeat(this.#width)}\r`)
    this.#width = 0
  }
}
