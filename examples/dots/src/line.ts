import { Conditioner } from 'samestep/transport'

/** What the sliders do to a line, wherever it is. */
export type Line = Pick<Conditioner, 'set' | 'reset' | 'breakConnections' | 'sending'>

/** What is said to a worker that has the line. */
export interface LineMessage {
  readonly line: Exclude<keyof Line, 'sending'>
  readonly args: readonly unknown[]
}

/** The line of a match that a worker plays: shown here, and changed there. */
export class WorkerLine implements Line {
  readonly #shown = new Conditioner()
  readonly #worker: Worker

  constructor(worker: Worker) {
    this.#worker = worker
  }

  get sending(): Line['sending'] {
    return this.#shown.sending
  }

  set(...args: Parameters<Line['set']>): void {
    this.#shown.set(...args)
    this.#tell('set', args)
  }

  reset(): void {
    this.#shown.reset()
    this.#tell('reset')
  }

  breakConnections(): void {
    this.#tell('breakConnections')
  }

  #tell(line: LineMessage['line'], args: readonly unknown[] = []): void {
    this.#worker.postMessage({ line, args } satisfies LineMessage)
  }
}
