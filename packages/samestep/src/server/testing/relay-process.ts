/** A relay in a process of its own, by the command line, as operators run it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cliArgs } from '../../cli/testing/cli-args.ts'
import { until } from '../../transport/testing/recorder.ts'

/** What `--json` says at the start. */
export interface StartedLine {
  readonly event: 'started'
  readonly pid: number
  readonly port: number
  readonly joinUrl: string
  readonly urls: { readonly http: string; readonly websocket: string; readonly udp?: string }
}

/** Starts `samestep relay`, reads its log, and stops it. */
export class RelayProcess {
  readonly child: ChildProcess
  stdout = ''
  stderr = ''
  exitCode: number | null | undefined

  constructor(flags: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const args = [...cliArgs, 'relay', ...flags]
    this.child = spawn(process.execPath, args, { env: { ...process.env, ...env } })
    this.child.stdout?.on('data', (text) => {
      this.stdout += text
    })
    this.child.stderr?.on('data', (text) => {
      this.stderr += text
    })
    this.child.on('close', (code) => {
      this.exitCode = code
    })
  }

  /** Lines of JSON that it has printed. */
  get lines(): Record<string, unknown>[] {
    const whole = this.stdout.slice(0, this.stdout.lastIndexOf('\n') + 1)
    return whole.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
  }

  async started(): Promise<StartedLine> {
    const find = () => this.lines.find(({ event }) => event === 'started')
    await until(() => find() !== undefined || this.exitCode !== undefined, 'a relay that started')
    const line = find()
    if (line === undefined) throw new Error(`It ended with ${this.exitCode}: ${this.stderr}`)
    return line as unknown as StartedLine
  }

  /** Waits for the end; gives the exit code. */
  async ended(): Promise<number | null> {
    if (this.exitCode === undefined) await once(this.child, 'close')
    return this.exitCode ?? null
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.child.kill(signal)
  }
}
