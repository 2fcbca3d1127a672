import { onTestFinished } from 'vitest'

/** Catches what the platform is told of, for the rest of a test. */
export function catchReported(): unknown[] {
  const platform = globalThis as { reportError?: (error: unknown) => void }
  const before = platform.reportError
  const reported: unknown[] = []
  platform.reportError = (error) => {
    reported.push(error)
  }
  onTestFinished(() => {
    if (before === undefined) delete platform.reportError
    else platform.reportError = before
  })
  return reported
}
