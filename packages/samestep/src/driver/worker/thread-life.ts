/**
 * How a thread learns at once that another has died. Pages are not told when a worker is ended or
 * crashes, but whatever lock it held is free then, and goes to whoever waits for it.
 */

/** What of the platform's locks is used. */
interface Locks {
  request(
    name: string,
    options: { readonly signal?: AbortSignal },
    callback: () => Promise<void> | void,
  ): Promise<unknown>
}

/** Not everywhere: only where pages are secure, and not in older versions of Node. */
function platformLocks(): Locks | undefined {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } }
  return navigator?.locks
}

/** Holds a lock until it is over, or this thread is. `handleHeld` is told when others may wait for it. */
export function showLife(name: string, isOver: Promise<void>, handleHeld: () => void): void {
  const hold = () => {
    handleHeld()
    return isOver
  }
  platformLocks()?.request(name, {}, hold).catch(ignore)
}

/** Tells when the thread is dead that holds a lock; gives its own undo. */
export function awaitDeath(name: string, handleDeath: () => void): () => void {
  const waiting = new AbortController()
  platformLocks()?.request(name, { signal: waiting.signal }, handleDeath).catch(ignore)
  return () => waiting.abort()
}

/** A lock that is not to be had is none: silence is noticed as well, only later. */
function ignore(): void {}
