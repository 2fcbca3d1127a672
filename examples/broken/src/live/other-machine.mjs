/**
 * Loaded before anything else, this makes a process another machine where the environment cannot: its
 * watch is off by some seconds, and it has another number of processors.
 */
const { now } = Date
Date.now = () => now() + 7_000
Object.defineProperty(globalThis, 'navigator', {
  configurable: true,
  value: { hardwareConcurrency: 2 },
})
