/** Typed events. A listener that throws does not keep the others from being told. */
export class Emitter<Events> {
  readonly #held = new Map<keyof Events, unknown>()
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()

  /** Listens; gives its own undo. */
  on<K extends keyof Events>(type: K, listener: (event: Events[K]) => void): () => void {
    let listeners = this.#listeners.get(type)
    if (listeners === undefined) {
      listeners = new Set()
      this.#listeners.set(type, listeners)
    }
    listeners.add(listener as (event: never) => void)
    if (this.#held.has(type)) {
      const event = this.#held.get(type) as Events[K]
      this.#held.delete(type)
      // Not inside of the call that listens: whoever calls it expects its result first.
      queueMicrotask(() => this.emit(type, event))
    }
    return () => listeners.delete(listener as (event: never) => void)
  }

  /**
   * As {@link emit}, but what nobody listens for yet is kept for the first who does: for what happens
   * before anybody can listen. Of several, the last is kept.
   */
  emitHeld<K extends keyof Events>(type: K, event: Events[K]): void {
    if ((this.#listeners.get(type)?.size ?? 0) > 0) this.emit(type, event)
    else this.#held.set(type, event)
  }

  emit<K extends keyof Events>(type: K, event: Events[K]): void {
    let failure: { readonly error: unknown } | undefined
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        ;(listener as (event: Events[K]) => void)(event)
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure !== undefined) throw failure.error
  }
}
