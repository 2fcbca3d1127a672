import type { GroupedDigest } from '../digests/index.ts'

/** The committed digests: what every engine must compute, for ever. */
export type Golden = {
  /** Arguments per function; digests of another count are other digests. */
  readonly count: number
  readonly digests: { readonly [group: string]: { readonly [name: string]: string } }
}

/** A digest that is missing, unknown, or different. */
export type Mismatch = {
  readonly group: string
  readonly name: string
  readonly expected: string | undefined
  readonly actual: string | undefined
}

/** Puts the digests of one engine into the shape that is committed. */
export function makeGolden(count: number, digests: readonly GroupedDigest[]): Golden {
  const groups: { [group: string]: { [name: string]: string } } = {}
  for (const { group, name, digest } of digests) {
    const names = groups[group] ?? {}
    groups[group] = names
    if (names[name] !== undefined)
      throw new Error(`Cannot tell two digests apart: ${group}/${name}`)
    names[name] = digest
  }
  return { count, digests: groups }
}

/** Everything in which one engine differs from the committed digests. */
export function findMismatches(golden: Golden, digests: readonly GroupedDigest[]): Mismatch[] {
  const actual = makeGolden(golden.count, digests).digests
  const mismatches: Mismatch[] = []
  for (const group of unionOfKeys(golden.digests, actual)) {
    const [expectedNames, actualNames] = [golden.digests[group] ?? {}, actual[group] ?? {}]
    for (const name of unionOfKeys(expectedNames, actualNames)) {
      const [expected, found] = [expectedNames[name], actualNames[name]]
      if (expected !== found) mismatches.push({ group, name, expected, actual: found })
    }
  }
  return mismatches
}

function unionOfKeys(a: object, b: object): string[] {
  return [...new Set([...Object.keys(a), ...Object.keys(b)])]
}

/** One engine's row of the table: what it computed, or why it did not. */
export type EngineRow = {
  readonly engine: string
  readonly version: string
  readonly mismatches: readonly Mismatch[]
  readonly failure?: string
}

/** Engine × group: ✓ where every digest of the group is right, otherwise ✗ with their number. */
export function makeTable(golden: Golden, rows: readonly EngineRow[]): string[][] {
  const groups = unionOfKeys(
    golden.digests,
    Object.fromEntries(rows.flatMap((row) => row.mismatches.map(({ group }) => [group, 0]))),
  )
  const heading = ['engine', 'version', ...groups]
  const body = rows.map(({ engine, version, mismatches, failure }) => {
    const cells = groups.map((group) => {
      if (failure !== undefined) return '✗'
      const wrong = mismatches.filter((mismatch) => mismatch.group === group).length
      return wrong === 0 ? '✓' : `✗ ${wrong}`
    })
    return [engine, version, ...cells]
  })
  return [heading, ...body]
}

/**
 * One sentence per difference. When all engines differ alike, the committed digests are out of
 * date, not the engines: that is said once, because the cure is another.
 */
export function explainMismatches(rows: readonly EngineRow[]): string[] {
  const texts = rows.map(({ mismatches }) =>
    mismatches.map(({ group, name, expected, actual }) => {
      const committed = expected === undefined ? 'none is committed' : `${expected} is committed`
      return `${group}/${name} is ${actual ?? 'missing'}, ${committed}`
    }),
  )
  const [first = []] = texts
  const isAlike = texts.every((lines) => lines.join() === first.join())
  const isWhole = rows.every(({ failure }) => failure === undefined)
  if (isAlike && isWhole && rows.length > 1 && first.length > 0) {
    const verdict = 'All engines agree with each other: commit these with --update if you meant it'
    return [...first, verdict]
  }
  return rows.flatMap(({ engine, version }, index) =>
    (texts[index] ?? []).map((line) => `${engine} ${version}: ${line}`),
  )
}
