import type { Connection, Dial } from '../../transport/connection.ts'

/** A line that is dialled before anybody asks for it. */
export interface DialledAhead {
  /** Gives that line to the first who asks; dials anew for everybody after. */
  readonly dial: Dial
  /** Nobody will ask: hangs up. Does nothing to a line that was given. */
  release(): void
}

/** Dials at once, so that a line is there when what talks over it is loaded. */
export function dialAhead(dial: Dial): DialledAhead {
  const abort = new AbortController()
  let first: Promise<Connection> | undefined = dial(abort.signal)
  // Whoever asks for it is told; until then it must not count as unhandled.
  first.catch(() => {})
  return {
    dial: (signal) => {
      const connection = first
      if (connection === undefined) return dial(signal)
      first = undefined
      const stop = () => abort.abort(signal?.reason)
      if (signal?.aborted) stop()
      signal?.addEventListener('abort', stop, { once: true })
      return connection
    },
    release() {
      const unused = first
      first = undefined
      if (unused === undefined) return
      abort.abort()
      unused.then(
        (connection) => connection.close(1000, ''),
        () => {},
      )
    },
  }
}
