import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { traceBlockEntries } from '../limits.ts'
import type { TraceItem } from './trace-log.ts'
import { TraceLog } from './trace-log.ts'
import { answerTrace, compareTraces, TraceSearch } from './trace-search.ts'

type Item = Omit<TraceItem, 'index'>

function item(after: number): Item {
  return {
    kind: 'set',
    tick: 1,
    where: 'step',
    name: 'movement',
    part: 'units',
    row: after % 7,
    field: 'x',
    before: 0,
    after,
    column: undefined,
    frames: [],
  }
}

/** A log of `count` entries, of which those in `changes` are other ones. */
function logOf(count: number, changes: readonly number[] = [], options = {}) {
  const log = new TraceLog({ entriesMax: 1 << 17, ...options })
  for (let index = 0; index < count; index++) {
    log.append(item(changes.includes(index) ? -1 - index : index))
  }
  return { log, source: sourceOf(log) }
}

function sourceOf(log: TraceLog) {
  return {
    get count() {
      return log.count
    },
    prefixWords: (entries: number, out: Uint32Array) => log.prefixWords(entries, out),
    entry: (index: number) => log.item(index),
  }
}

describe('comparing traces', () => {
  test('finds the first differing entry, wherever it is and whatever follows', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 3_000 }),
        fc.array(fc.nat(3_000), { maxLength: 4 }),
        (count, changes) => {
          const inside = changes.filter((change) => change < count)
          const found = compareTraces(logOf(count).source, logOf(count, inside).source)
          if (inside.length === 0) expect(found.verdict).toEqual({ result: 'same' })
          else {
            const index = Math.min(...inside)
            expect(found.verdict).toEqual({ result: 'differs', index })
            expect([found.mine?.after, found.theirs?.after]).toEqual([index, -1 - index])
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  test('a trace that ends before the other differs at its end', () => {
    fc.assert(
      fc.property(fc.nat(1_500), fc.integer({ min: 1, max: 700 }), (count, more) => {
        const found = compareTraces(logOf(count).source, logOf(count + more).source)
        expect(found.verdict).toEqual({ result: 'differs', index: count })
        expect([found.mine, found.theirs?.after]).toEqual([undefined, count])
      }),
      { numRuns: 50 },
    )
  })

  test('an entry too many in the middle is found where it begins to differ', () => {
    const [a, b] = [new TraceLog(), new TraceLog()]
    for (let index = 0; index < 1_000; index++) {
      a.append(item(index))
      b.append(item(index))
      if (index === 600) b.append(item(601))
    }
    // Entry 601 is the same by chance; 602 is not.
    const found = compareTraces(sourceOf(a), sourceOf(b))
    expect(found.verdict).toEqual({ result: 'differs', index: 602 })
  })

  test('the comparisons are logarithmic in the blocks, and eight more within one', () => {
    for (const blocks of [1, 2, 3, 7, 64, 256]) {
      const count = blocks * traceBlockEntries
      const bound = 1 + Math.ceil(Math.log2(blocks)) + Math.log2(traceBlockEntries)
      const same = logOf(count).source
      for (const change of [0, 255, Math.floor(count / 3), count - 1]) {
        const found = compareTraces(same, logOf(count, [change]).source)
        expect(found.verdict).toEqual({ result: 'differs', index: change })
        expect(found.comparisons).toBeLessThanOrEqual(bound)
      }
      expect(compareTraces(same, logOf(count).source).comparisons).toBe(1)
    }
  })

  test('two sides that only exchange hashes come to the same verdict', () => {
    const [mine, theirs] = [logOf(5_000).source, logOf(5_200, [3_777]).source]
    const search = new TraceSearch(mine, theirs.count)
    let sent = 0
    while (search.question !== undefined) {
      const message = JSON.parse(JSON.stringify(search.question))
      sent += 1
      search.handleAnswer(answerTrace(theirs, message))
    }
    expect(search.verdict).toEqual({ result: 'differs', index: 3_777 })
    expect(sent).toBe(search.comparisons)
    expect(sent).toBeLessThan(16)
    search.handleAnswer(undefined)
    expect(search.verdict).toEqual({ result: 'differs', index: 3_777 })
  })

  test('when the entries are gone it says which ones to keep in a second run', () => {
    const options = { entriesMax: 512 }
    const found = compareTraces(
      logOf(10_000, [], options).source,
      logOf(10_000, [4_000], options).source,
    )
    expect(found.verdict).toMatchObject({ result: 'dropped' })
    if (found.verdict.result !== 'dropped') return
    const { from, to } = found.verdict
    expect([from <= 4_000, to > 4_000, to - from]).toEqual([true, true, traceBlockEntries])
    const again = { entriesMax: 512, keepFrom: from }
    const second = compareTraces(
      logOf(10_000, [], again).source,
      logOf(10_000, [4_000], again).source,
    )
    expect(second.verdict).toEqual({ result: 'differs', index: 4_000 })
    expect(second.theirs?.after).toBe(-4_001)
  })

  test('the last entries can be asked for one by one as long as they are kept', () => {
    const options = { entriesMax: 512 }
    const found = compareTraces(
      logOf(10_100, [], options).source,
      logOf(10_100, [10_050], options).source,
    )
    expect(found.verdict).toEqual({ result: 'differs', index: 10_050 })
  })
})

describe('the log', () => {
  test('keeps the newest entries, and the hash over all of them', () => {
    const { log } = logOf(2_000, [], { entriesMax: 256 })
    expect([log.item(1_743), log.item(1_744)?.after, log.item(1_999)?.after]).toEqual([
      undefined,
      1_744,
      1_999,
    ])
    expect([log.item(2_000), log.item(-1)]).toEqual([undefined, undefined])
    const [a, b] = [new Uint32Array(2), new Uint32Array(2)]
    expect(log.prefixWords(2_000, a)).toBe(true)
    expect(logOf(2_000).log.prefixWords(2_000, b)).toBe(true)
    expect(a).toEqual(b)
    expect(log.prefixWords(1_000, a)).toBe(false)
    expect(log.prefixWords(1_024, a)).toBe(true)
    expect(log.prefixWords(2_001, a)).toBe(false)
  })

  test('asking for a hash in the middle changes nothing', () => {
    const { log } = logOf(700)
    const out = new Uint32Array(2)
    const before = new Uint32Array(2)
    log.prefixWords(700, before)
    for (let entries = 0; entries <= 700; entries += 13) log.prefixWords(entries, out)
    log.prefixWords(700, out)
    expect(out).toEqual(before)
    log.append(item(700))
    const grown = new Uint32Array(2)
    log.prefixWords(701, grown)
    logOf(701).log.prefixWords(701, out)
    expect(grown).toEqual(out)
  })

  test('every member of an entry but its line is part of the hash', () => {
    const hashOf = (change: Partial<Item>) => {
      const log = new TraceLog()
      log.append({ ...item(5), ...change })
      const out = new Uint32Array(2)
      log.prefixWords(1, out)
      return out.join()
    }
    const site = { functionName: 'f', file: 'a.ts', line: 1, column: 1 }
    expect(hashOf({ frames: [site] })).toBe(hashOf({}))
    const changes: Partial<Item>[] = [
      {},
      { kind: 'add' },
      { tick: 2 },
      { where: 'apply' },
      { name: 'combat' },
      { part: 'walls' },
      { row: 6 },
      { row: undefined },
      { field: 'y' },
      { before: 1 },
      { after: 6 },
      { after: '5' },
      { after: 0 },
      { after: -0 },
      { after: Number.NaN },
      { after: null },
      { after: false },
      { after: [5] },
      { after: { x: 5 } },
    ]
    const hashes = changes.map(hashOf)
    expect(new Set(hashes).size).toBe(changes.length)
  })

  test('a limit that cannot hold a block is refused', () => {
    expect(() => new TraceLog({ entriesMax: 10 })).toThrow('Cannot keep 10 entries')
    expect(() => new TraceLog({ keepFrom: 0.5 })).toThrow('from 0.5')
  })
})
