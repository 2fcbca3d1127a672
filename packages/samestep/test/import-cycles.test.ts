import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'

const src = join(import.meta.dirname, '..', 'src')

/** Files of the package, with the files that each of them names in an import, of types too. */
function readGraph(): Map<string, string[]> {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !/\.test\.ts$|(^|\/)testing\//.test(path))
  const known = new Set(files)
  return new Map(
    files.map((file) => {
      const text = readFileSync(join(src, file), 'utf8')
      const named = [...text.matchAll(/(?:from|import)\s*\(?['"](\.{1,2}\/[^'"]+)['"]/g)]
      const paths = named.map(([, path = '']) => posix.join(posix.dirname(file), path))
      return [file, paths.filter((path) => known.has(path))]
    }),
  )
}

/** A way from a file back to itself, for each group of files that lie on one; empty when none does. */
export function findCycles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>()
  const way: string[] = []
  const cycles: string[] = []
  const visit = (file: string): void => {
    const at = way.indexOf(file)
    if (at >= 0) cycles.push([...way.slice(at), file].join(' → '))
    if (at >= 0 || done.has(file)) return
    way.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    way.pop()
    done.add(file)
  }
  for (const file of graph.keys()) visit(file)
  return cycles
}

test('a way back to where it began is found, and named', () => {
  const graph = new Map([
    ['a', ['b']],
    ['b', ['c', 'd']],
    ['c', ['a']],
    ['d', []],
  ])
  expect(findCycles(graph)).toEqual(['a → b → c → a'])
})

test('no file of the package imports itself over others, neither values nor types', () => {
  const graph = readGraph()
  expect(graph.size).toBeGreaterThan(400)
  expect(findCycles(graph)).toEqual([])
})
