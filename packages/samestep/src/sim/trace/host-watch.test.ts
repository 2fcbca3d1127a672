import { expect, test } from 'vitest'
import { HostWatch } from './host-watch.ts'

type Noted = [name: string, result: unknown]

/** Runs something as game code, and gives what was noted. */
function watch(run: () => void): { noted: Noted[]; watching: HostWatch } {
  const noted: Noted[] = []
  const watching = new HostWatch((_above, name, result) => noted.push([name, result]))
  watching.open()
  watching.enter()
  try {
    run()
  } finally {
    watching.leave()
    watching.close()
  }
  return { noted, watching }
}

test('what the function of a collator gives is noted, not that it was handed out', () => {
  const collator = new Intl.Collator('en')
  const { noted } = watch(() => {
    expect(collator.compare('a', 'b')).toBe(-1)
    expect(['b', 'a'].sort(collator.compare)).toEqual(['a', 'b'])
  })
  expect(noted).toEqual([
    ['Intl.Collator.prototype.compare', -1],
    ['Intl.Collator.prototype.compare', expect.any(Number)],
  ])
})

test('a function that is handed out twice is the same one, and one that is kept is not watched later', () => {
  const collator = new Intl.Collator('en')
  let kept: ((a: string, b: string) => number) | undefined
  const { noted } = watch(() => {
    kept = collator.compare
    expect(collator.compare).toBe(kept)
  })
  expect(kept?.('a', 'b')).toBe(-1)
  expect(noted).toEqual([])
})
