import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** How a test run ended, in numbers. */
export type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number }

/** `12 passed, 0 failed`, with `, 3 skipped` behind it when there are any. */
export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}

/**
 * Counts what vitest ran. What fails outside any test counts as a failure too: a file that cannot
 * be loaded, a hook that throws, an error that nobody caught. Otherwise a broken file reads as
 * "0 failed".
 */
export function countTests(
  modules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
): Counts {
  const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 }
  for (const module of modules) {
    counts.failed += module.errors().length
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length
    for (const test of module.children.allTests()) {
      const { state } = test.result()
      // A test that never started because the run was cut short is not one that passed.
      if (state === 'pending') counts.failed++
      else counts[state]++
    }
  }
  return counts
}

/** Prints the closing line alone, as the last line of a run, for whatever reads the log. */
export class ClosingLine implements Reporter {
  onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[] = [],
  ): void {
    process.stdout.write(`${closingLine(countTests(modules, unhandledErrors))}\n`)
  }
}
