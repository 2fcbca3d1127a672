import type { TestSpecification } from 'vitest/node'
import { BaseSequencer } from 'vitest/node'

/**
 * Files that take about a minute or more, the longest first. Who starts such a file last waits for it alone,
 * with all other processors idle; a fresh clone has no durations of its own to go by.
 */
export const longFiles: readonly string[] = [
  'packages/samestep/test/storm/storm-batch.test.ts',
  'packages/samestep/test/planted/planted.test.ts',
  'examples/dots/test/page.test.ts',
  'tools/doors/doors.test.ts',
  'examples/broken/src/broken.test.ts',
  'examples/broken/src/live/live.test.ts',
  'packages/samestep/src/server/journal/crash.test.ts',
  'examples/dots/test/rejoin.test.ts',
  'packages/samestep/test/workers/page-worker.test.ts',
]

/** The place of a file among the long ones; behind all of them for any other. */
export function placeOf(path: string): number {
  const index = longFiles.findIndex((long) => path.replaceAll('\\', '/').endsWith(long))
  return index < 0 ? longFiles.length : index
}

/** Starts long test files first, and leaves the others as vitest has them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => placeOf(a.moduleId) - placeOf(b.moduleId))
  }
}
