/** A thread of a browser or of Node, or a port to one. */
export interface ThreadPort {
  postMessage(message: unknown, transfer: never[]): void
}

/**
 * One end of a line between two threads, which can be handed to another one. Said in our own words:
 * `MessagePort` is a type only where DOM or Node types are.
 */
export interface LinePort {
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  close(): void
}

/** What of either platform is looked for. */
interface AnyPort extends ThreadPort {
  addEventListener?(type: string, listener: (event: unknown) => void): void
  removeEventListener?(type: string, listener: (event: unknown) => void): void
  on?(type: string, listener: (value: unknown) => void): void
  off?(type: string, listener: (value: unknown) => void): void
  start?(): void
}

/** What a port tells: `exit` is Node's word for the end of a worker, `close` for that of a line. */
export type PortEvent = 'message' | 'messageerror' | 'error' | 'exit' | 'close'

/**
 * Listens to another thread; gives its own undo. Pages hear events, and workers of Node emit values:
 * what is passed on is the message itself, or whatever describes what happened.
 */
export function listenTo(
  port: ThreadPort,
  type: PortEvent,
  listener: (value: unknown) => void,
): () => void {
  const any = port as AnyPort
  if (typeof any.addEventListener !== 'function') {
    any.on?.(type, listener)
    return () => any.off?.(type, listener)
  }
  const hear = (event: unknown) => {
    listener(type === 'message' ? (event as { readonly data: unknown }).data : event)
  }
  any.addEventListener(type, hear)
  // A port holds back what comes until somebody says that all listeners are there.
  if (type === 'message') any.start?.()
  return () => any.removeEventListener?.(type, hear)
}
