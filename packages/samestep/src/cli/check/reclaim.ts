/**
 * Frees what a match has dropped outside the heap. A WebAssembly library like Rapier gives back the
 * memory of a dropped world in a task after a collection; a check that never rests would run ever
 * slower, and at last out of memory.
 */
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Enough for the tasks that a collection has posted. */
const restMs = 10

/** Makes a function that collects, waits for what follows from it, and collects that too. */
export function makeReclaimer(): () => Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  return async () => {
    collect()
    await setTimeout(restMs)
    collect()
    await setTimeout(restMs)
  }
}
