/** Typed events. A listener that throws does not keep the others from being told. */
export class Emitter<Events> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>()

  /** Listens; gives its own undo. */
  on<K extends keyof Events>(type: K, listener: (event: Events[K]) => void): () => void {
    let listeners = this.#listeners.get(type)
    if (listeners === undefined) {
      listeners = new Set()
      this.#listeners.set(type, listeners)
    }
    listeners.add(listener as (event: never) => void)
    return () => listeners.delete(listener as (event: never) => void)
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
