import type { SignallingHandler, SignallingPipe } from '../signalling.ts'

class EndOfPipe implements SignallingPipe {
  other: EndOfPipe | undefined
  #handler: SignallingHandler | undefined
  readonly #early: Uint8Array[] = []

  open(handler: SignallingHandler): void {
    this.#handler = handler
    for (const message of this.#early.splice(0)) handler.handleMessage(message)
  }

  send(message: Uint8Array): void {
    queueMicrotask(() => this.other?.receive(message))
  }

  close(): void {}

  receive(message: Uint8Array): void {
    if (this.#handler === undefined) this.#early.push(message)
    else this.#handler.handleMessage(message)
  }
}

/** Two ends of a pipe inside this process. */
export function makePipes(): { readonly left: SignallingPipe; readonly right: SignallingPipe } {
  const [left, right] = [new EndOfPipe(), new EndOfPipe()]
  left.other = right
  right.other = left
  return { left, right }
}
