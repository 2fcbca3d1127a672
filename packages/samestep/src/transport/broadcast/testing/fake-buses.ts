import type { Bus } from '../bus.ts'

/** A bus inside a test, and what happens to frames on it. */
export class FakeBuses {
  /** Everything that was ever posted. */
  readonly posted: Uint8Array[] = []
  /** Whether a frame gets through. */
  passes: (frame: Uint8Array) => boolean = () => true
  readonly #members = new Set<Set<(bytes: Uint8Array) => void>>()

  /** A new member. */
  open(): Bus {
    const handlers = new Set<(bytes: Uint8Array) => void>()
    this.#members.add(handlers)
    return {
      name: 'fake',
      post: (bytes) => this.#post(bytes, handlers),
      listen: (handler) => {
        handlers.add(handler)
        return () => handlers.delete(handler)
      },
      close: () => {
        this.#members.delete(handlers)
      },
    }
  }

  /** Handlers of all members. */
  get handlerCount(): number {
    return [...this.#members].reduce((sum, { size }) => sum + size, 0)
  }

  #post(bytes: Uint8Array, own: Set<(bytes: Uint8Array) => void>): void {
    this.posted.push(bytes.slice())
    if (!this.passes(bytes)) return
    for (const handlers of this.#members) {
      if (handlers === own) continue
      // Each hears a copy, as after structured cloning.
      queueMicrotask(() => {
        for (const handler of [...handlers]) handler(bytes.slice())
      })
    }
  }
}
