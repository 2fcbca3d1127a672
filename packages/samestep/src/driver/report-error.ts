/**
 * Tells the platform of an error of somebody else's code: of a listener, of a game's step. It becomes
 * an ordinary uncaught one, which consoles, pages and processes know how to meet, and whoever called
 * that code goes on with its work.
 */
export function reportError(error: unknown): void {
  const platform = globalThis as { reportError?: (error: unknown) => void }
  if (typeof platform.reportError === 'function') {
    platform.reportError(error)
    return
  }
  queueMicrotask(() => {
    throw error
  })
}
