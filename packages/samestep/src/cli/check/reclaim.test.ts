import { expect, test } from 'vitest'
import { makeReclaimer } from './reclaim.ts'

/** Makes and drops objects with a finalizer. */
function drop(registry: FinalizationRegistry<number>, count: number): void {
  for (let index = 0; index < count; index++) registry.register({ index }, index)
}

test('what was dropped is finalized before the next match begins', async () => {
  const freed = new Set<number>()
  const registry = new FinalizationRegistry<number>((index) => freed.add(index))
  const reclaim = makeReclaimer()
  drop(registry, 1_000)
  await reclaim()
  // The last one may still be on the stack of this test.
  expect(freed.size).toBeGreaterThanOrEqual(999)
})
