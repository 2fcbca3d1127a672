import { setImmediate } from 'node:timers/promises'
import type { BatchOptions, BatchResult } from '../../storm/index.ts'
import { stormSteps } from '../../storm/index.ts'

/** Whether somebody wants the storm to end. */
export interface Stop {
  signal: 'SIGINT' | 'SIGTERM' | undefined
  end(): void
}

/** Hours of storms are not lost to Ctrl-C: it ends after the plan that runs, a second one at once. */
export function stopOnSignal(): Stop {
  const stop: Stop = {
    signal: undefined,
    end: () => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, note)
    },
  }
  const note = (signal: NodeJS.Signals) => {
    stop.signal = signal === 'SIGTERM' ? signal : 'SIGINT'
    stop.end()
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, note)
  return stop
}

/** Runs plans one after the other. Signals are heard in between. */
export async function takeSteps(options: BatchOptions): Promise<BatchResult> {
  const steps = stormSteps(options)
  let step = steps.next()
  while (step.done !== true) {
    await setImmediate()
    step = steps.next()
  }
  return step.value
}
