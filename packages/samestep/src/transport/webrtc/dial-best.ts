import { UsageError } from '../../base/errors.ts'
import { ConnectError } from '../connect-error.ts'
import type { Connection, Dial } from '../connection.ts'
import { distrustMs, patienceMsDefault } from './limits.ts'

/** One of several ways to reach the same relay. */
export interface DialWay {
  /** For people: `webrtc`, `websocket`. */
  readonly name: string
  readonly dial: Dial
}

/** Why the next way was tried. */
export interface Fallback {
  /** The way that failed, and the one that is tried instead. */
  readonly from: string
  readonly to: string
  readonly error: ConnectError
}

/** The options of `dialBest`. */
export interface DialBestOptions {
  /** How long each way but the last may take. Defaults to 3 s. */
  readonly patienceMs?: number
  /** How long a failed way is not tried again. Defaults to a minute. */
  readonly distrustMs?: number
  /** Called for every way that failed: a player may want to know why the game lags. */
  readonly onFallback?: (fallback: Fallback) => void
}

/**
 * Dials the best of several ways to the same relay: the first in the list that opens in time. A failed way
 * is skipped for a while, so that a reconnect during a match does not wait for it again; the last one is
 * always tried.
 *
 *     webrtc ── 3 s ──✗ told ──► websocket ──► as long as it takes
 */
export function dialBest(ways: readonly DialWay[], options: DialBestOptions = {}): Dial {
  if (ways.length === 0) {
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot dial: the list of ways is empty')
  }
  const { patienceMs = patienceMsDefault, distrustMs: pauseMs = distrustMs, onFallback } = options
  const distrustedUntilMs = new Map<DialWay, number>()
  return async (signal) => {
    for (const [index, way] of ways.entries()) {
      const next = ways[index + 1]
      if (next === undefined) return way.dial(signal)
      if (performance.now() < (distrustedUntilMs.get(way) ?? 0)) continue
      try {
        const connection = await dialWithin(way, patienceMs, signal)
        distrustedUntilMs.delete(way)
        return connection
      } catch (cause) {
        if (signal?.aborted) throw ConnectError.aborted(way.name, signal.reason)
        // A mistake of the developer is no weather, and would be hidden for ever.
        if (cause instanceof UsageError) throw cause
        const error =
          cause instanceof ConnectError
            ? cause
            : new ConnectError('SS_CONNECT_FAILED', way.name, String(cause), { cause })
        distrustedUntilMs.set(way, performance.now() + pauseMs)
        onFallback?.({ from: way.name, to: next.name, error })
      }
    }
    throw new UsageError('SS_BAD_ARGUMENT', 'Cannot dial: the list of ways is empty')
  }
}

/** Dials for a limited time. What opens too late is closed, not leaked. */
function dialWithin(way: DialWay, patienceMs: number, signal?: AbortSignal): Promise<Connection> {
  const inner = new AbortController()
  return new Promise((resolve, reject) => {
    let isOver = false
    const finish = (): boolean => {
      const isFirst = !isOver
      isOver = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', handleAbort)
      return isFirst
    }
    const giveUp = (error: ConnectError): void => {
      if (!finish()) return
      inner.abort(error)
      reject(error)
    }
    const handleAbort = (): void => giveUp(ConnectError.aborted(way.name, signal?.reason))
    const timer = setTimeout(() => giveUp(ConnectError.timedOut(way.name, patienceMs)), patienceMs)
    signal?.addEventListener('abort', handleAbort)
    if (signal?.aborted) handleAbort()
    way.dial(inner.signal).then(
      (connection) => {
        if (finish()) resolve(connection)
        else connection.close(1000, 'too late')
      },
      (error: unknown) => {
        if (finish()) reject(error)
      },
    )
  })
}
