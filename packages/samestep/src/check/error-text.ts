/** What was thrown, in one line. */
export function errorText(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : `it threw ${String(error)}`
}
