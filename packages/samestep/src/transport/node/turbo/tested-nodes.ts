/** The major versions of Node on which the tests of this folder are run. Elsewhere it is off by itself. */
export const testedNodeMajors: readonly number[] = [20, 22, 24]

/** Whether this folder was tested with a version of Node, such as `22.11.0`. */
export function isTestedNode(version = process.versions.node): boolean {
  return testedNodeMajors.includes(Number.parseInt(version, 10))
}
