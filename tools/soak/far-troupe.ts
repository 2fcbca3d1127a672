import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import type { Ticks, TroupeAnswer, TroupeOrder } from './messages.ts'
import type { PlayerPlan, PlayerReport } from './player.ts'
import type { Addresses } from './ways.ts'

/** Players in a process of their own, which can be killed, and then is another one. */
export class FarTroupe {
  #child: ChildProcess
  #ready: Promise<unknown>
  /** Whether it was killed in the match of now: then it has nothing to say about it. */
  isDead = false

  constructor() {
    this.#child = this.#start()
    this.#ready = this.#next('ready')
  }

  async join(plans: readonly PlayerPlan[], addresses: Addresses): Promise<void> {
    await this.#ready
    this.isDead = false
    this.#tell({ type: 'join', plans, addresses })
    const { failure } = await this.#next('joined')
    if (failure !== undefined) throw new Error(failure)
  }

  begin(): void {
    this.#tell({ type: 'begin' })
  }

  rest(): void {
    this.#tell({ type: 'rest' })
  }

  async report(ticks: Ticks, msMax: number): Promise<readonly PlayerReport[]> {
    if (this.isDead) return []
    this.#tell({ type: 'report', ticks, msMax })
    return (await this.#next('reports')).reports
  }

  async leave(): Promise<void> {
    if (this.isDead) return
    this.#tell({ type: 'leave' })
    await this.#next('left')
  }

  /** Ends the process as a crash or an impatient person does, and starts the one that follows. */
  kill(): void {
    this.isDead = true
    this.#child.removeAllListeners()
    this.#child.kill('SIGKILL')
    this.#child = this.#start()
    this.#ready = this.#next('ready')
  }

  close(): void {
    this.#child.removeAllListeners()
    this.#child.kill('SIGKILL')
  }

  #start(): ChildProcess {
    return fork(join(import.meta.dirname, 'worker.ts'), { execArgv: ['--import', 'tsx'] })
  }

  #tell(order: TroupeOrder): void {
    // A dead one is not in the match of now: what is said to all is not for it.
    if (!this.isDead) this.#child.send(order)
  }

  #next<T extends TroupeAnswer['type']>(type: T): Promise<Extract<TroupeAnswer, { type: T }>> {
    const child = this.#child
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        child.off('message', hear)
        child.off('exit', fail)
      }
      const hear = (answer: TroupeAnswer): void => {
        if (answer.type !== type) return
        stop()
        resolve(answer as Extract<TroupeAnswer, { type: T }>)
      }
      const fail = (code: number | null): void => {
        stop()
        reject(new Error(`A process with players ended by itself, with ${code}`))
      }
      child.on('message', hear)
      child.on('exit', fail)
    })
  }
}
