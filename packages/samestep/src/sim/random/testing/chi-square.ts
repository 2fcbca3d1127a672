/**
 * How far counts are from what they should be, in standard deviations of the chi-square statistic.
 * Fair counts give a number near 0; above 5, somebody cheats. Seeds in tests are fixed, so a test that
 * passes once passes always.
 */
export function unfairness(counts: readonly number[], expected: readonly number[]): number {
  let statistic = 0
  for (const [index, count] of counts.entries()) {
    const want = expected[index] ?? 0
    statistic += (count - want) ** 2 / want
  }
  const degrees = counts.length - 1
  return (statistic - degrees) / Math.sqrt(2 * degrees)
}

/** The same for counts that should all be equal. */
export function unevenness(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  return unfairness(counts, new Array<number>(counts.length).fill(total / counts.length))
}
