import { JoinError } from './join-error.ts'

/** How long to try, who may end it, and who is told that it takes long. */
export interface LoadLimits {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  warn(text: string): void
}

/**
 * Loads a part of the page. A file that cannot be had is weather, as a line that cannot be had is: it is
 * asked for again, after a pause that doubles. One that neither comes nor fails is waited for as long as
 * a relay would be.
 *
 * @throws JoinError `timeout` or `aborted`.
 */
export function loadInTime<T>(load: () => Promise<T>, limits: LoadLimits): Promise<T> {
  const { timeoutMs, signal, warn } = limits
  return new Promise((resolve, reject) => {
    let last: unknown
    const timers: ReturnType<typeof setTimeout>[] = []
    const later = (ms: number, action: () => void) => {
      if (Number.isFinite(ms)) timers.push(setTimeout(action, ms))
    }
    const settle = (finish: () => void) => {
      for (const timer of timers) clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      finish()
    }
    const abort = () =>
      settle(() => reject(new JoinError('aborted', 'Cannot join: the attempt was aborted', last)))
    const attempt = (pauseMs: number) => {
      load().then(
        (loaded) => settle(() => resolve(loaded)),
        (error) => {
          last = error
          later(pauseMs, () => attempt(pauseMs * 2))
        },
      )
    }
    if (signal?.aborted) {
      abort()
      return
    }
    signal?.addEventListener('abort', abort, { once: true })
    later(timeoutMs, () => settle(() => reject(notLoaded(last))))
    later(warnAfterMs, () => warn(`[samestep] Still loading what plays a match${reasonOf(last)}`))
    attempt(firstPauseMs)
  })
}

function notLoaded(cause: unknown): JoinError {
  const text = `Cannot join: a part of the page could not be loaded${reasonOf(cause)}`
  return new JoinError('timeout', text, cause)
}

function reasonOf(cause: unknown): string {
  if (cause === undefined) return ''
  return `: ${cause instanceof Error ? cause.message : String(cause)}`
}

const firstPauseMs = 250

/** As for a relay that does not answer. */
const warnAfterMs = 2_000
