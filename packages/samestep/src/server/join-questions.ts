import { authorizeMsMax } from '../relay/links/authorization.ts'
import type { JoinDecision, JoinRequest } from './authorize.ts'

/**
 * Questions of a worker to the process with the port, which alone has the program that decides. Each is
 * answered, or given up when its player is let go anyhow.
 */
export class JoinQuestions {
  readonly #say: (id: number, request: JoinRequest) => void
  readonly #open = new Map<number, (decision: JoinDecision) => void>()
  #count = 0

  constructor(say: (id: number, request: JoinRequest) => void) {
    this.#say = say
  }

  /** Questions that nobody has answered. */
  get size(): number {
    return this.#open.size
  }

  ask(request: JoinRequest): Promise<JoinDecision> {
    const id = this.#count++
    return new Promise((resolve) => {
      const late = { refused: 'the relay could not find out whether you may join' }
      const timer = setTimeout(() => this.settle(id, late), authorizeMsMax).unref()
      this.#open.set(id, (decision) => {
        clearTimeout(timer)
        resolve(decision)
      })
      this.#say(id, request)
    })
  }

  /** An answer came. One that comes too late finds no question. */
  settle(id: number, decision: JoinDecision): void {
    const resolve = this.#open.get(id)
    this.#open.delete(id)
    resolve?.(decision)
  }
}
