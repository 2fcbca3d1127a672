import type { Timing } from '../../transport/timing.ts'

/** Timers whose callbacks may throw without harm to anybody else. */
export function guardTimers(timing: Timing, onFault: (error: unknown) => void): Timing {
  const guard = (callback: () => void) => () => {
    try {
      callback()
    } catch (error) {
      onFault(error)
    }
  }
  return {
    nowMs: () => timing.nowMs(),
    schedule: (callback, delayMs) => timing.schedule(guard(callback), delayMs),
  }
}
