import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { wait } from '../loopback/sockets.ts'
import type { CrowdOrder, CrowdReport } from './messages.ts'
import type { Place } from './stranger.ts'

/** Acts that are remembered, to tell what came before a failure. */
const recentMax = 40

/** How long strangers may take to end what they are at. */
const stopMsMax = 20_000

/** The strangers, in a process of their own. */
export class Crowd {
  /** How often each act was begun. */
  readonly counts = new Map<string, number>()
  /** The newest acts, oldest first. */
  readonly recent: string[] = []
  /** What went wrong with the strangers themselves. */
  broken: string | undefined
  readonly #child: ChildProcess
  #isReady = false
  #isGone = false

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'crowd-main.ts'))
    this.#child.on('message', (report: CrowdReport) => this.#handle(report))
    this.#child.on('exit', (code) => {
      if (!this.#isGone) this.broken ??= `the process of the strangers ended with ${code}`
      this.#isGone = true
    })
  }

  async begin(place: Place, seed: number, strangers: number): Promise<void> {
    while (!this.#isReady && this.broken === undefined) await wait(10)
    this.#tell({ type: 'begin', place, seed, strangers })
  }

  /** Everybody ends what he is at, and goes. */
  async stop(): Promise<void> {
    this.#tell({ type: 'stop' })
    const untilMs = performance.now() + stopMsMax
    while (!this.#isGone && performance.now() < untilMs) await wait(20)
    if (!this.#isGone) this.broken ??= 'the strangers did not stop'
    this.#isGone = true
    this.#child.kill('SIGKILL')
  }

  #tell(order: CrowdOrder): void {
    if (this.#child.connected) this.#child.send(order)
  }

  #handle(report: CrowdReport): void {
    switch (report.type) {
      case 'ready':
        this.#isReady = true
        return
      case 'did':
        for (const act of report.acts) this.counts.set(act, (this.counts.get(act) ?? 0) + 1)
        this.recent.push(...report.acts)
        this.recent.splice(0, this.recent.length - recentMax)
        return
      case 'broken':
        this.broken ??= report.message
        return
      case 'gone':
        this.#isGone = true
    }
  }
}
