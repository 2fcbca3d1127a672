import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeLabel } from '../../sim/hash/label.ts'
import { SyncTree } from '../../sim/hash/sync-tree.ts'
import { groupsOf, levelOf } from '../investigate/leaf-tree.ts'
import { hashCells } from '../investigate/leaf-values.ts'
import type { Probe } from '../probe-codec.ts'
import { decodeAnswer, decodeAsk, encodeAnswer, encodeAsk } from '../probe-codec.ts'
import { findCell } from './cell-descent.ts'
import { findFirstTick } from './first-tick.ts'
import { findLeaves } from './leaf-descent.ts'
import type { Search } from './step.ts'
import { findWrite } from './write-search.ts'

type Answerer = (probe: Probe) => object | undefined

/** Lets a search ask two sides, over the bytes of messages. Gives the result, rounds and bytes. */
function drive<T>(search: Search<T>, sides: readonly [Answerer, Answerer]) {
  let answers: [unknown, unknown] = [undefined, undefined]
  let [rounds, bytes] = [0, 0]
  for (;;) {
    const step = search.next(answers)
    if (step.done === true) return { result: step.value, rounds, bytes }
    if (step.value.type !== 'ask') continue
    rounds += 1
    answers = step.value.probes.map((probe, side) => {
      if (probe === undefined) return undefined
      const asked = decodeAsk(probe.kind, encodeAsk(probe))
      const answer = (sides[side] as Answerer)(asked)
      if (answer === undefined) return undefined
      const encoded = encodeAnswer(probe.kind, answer as never)
      if (side === 0) bytes += encoded.byteLength
      return decodeAnswer(probe.kind, encoded)
    }) as [unknown, unknown]
  }
}

describe('the first bad tick', () => {
  /** A side that went its own way from a tick on, and remembers ticks from another one on. */
  const side =
    (badTick: number, own: number, oldestTick = 0): Answerer =>
    (probe) => {
      if (probe.kind !== 'chains') throw new Error(probe.kind)
      const { first, step, count } = probe.ask
      const chains = Array.from({ length: count }, (_, index) => {
        const tick = first + index * step
        if (tick < oldestTick) return undefined
        return { lo: tick, hi: tick >= badTick ? own : 0 }
      })
      return { chains }
    }

  test('that is known already costs no question', () => {
    const search = findFirstTick({ tick: 9, agreedTick: 8, oldestTick: 0 })
    const { result, rounds } = drive(search, [side(9, 1), side(9, 2)])
    expect([result, rounds]).toEqual([{ tick: 9, isExact: true }, 0])
  })

  test('is found wherever it is, in two rounds', () => {
    const gaps = fc.record({
      agreed: fc.integer({ min: -1, max: 5_000 }),
      good: fc.integer({ min: 1, max: 500 }),
      late: fc.integer({ min: 0, max: 500 }),
    })
    fc.assert(
      fc.property(gaps, ({ agreed, good, late }) => {
        const bad = agreed + good
        const agreedTick = agreed < 0 ? undefined : agreed
        const search = findFirstTick({ tick: bad + late, agreedTick, oldestTick: 0 })
        const { result, rounds } = drive(search, [side(bad, 1), side(bad, 2)])
        expect(result).toEqual({ tick: bad, isExact: true })
        expect(rounds).toBeLessThanOrEqual(2)
      }),
    )
  })

  test('is uncertain where the ticks before it are forgotten', () => {
    const search = findFirstTick({ tick: 90, agreedTick: undefined, oldestTick: 10 })
    const { result } = drive(search, [side(40, 1, 60), side(40, 2)])
    expect(result).toEqual({ tick: 60, isExact: false })
  })
})

describe('the leaves that differ', () => {
  const side =
    (leaves: Uint32Array): Answerer =>
    (probe) => {
      if (probe.kind === 'tree') return { leafCount: leaves.length / 2 }
      if (probe.kind === 'nodes') return { words: groupsOf(leaves, probe.ask) }
      if (probe.kind !== 'labels') throw new Error(probe.kind)
      return { labels: probe.ask.leaves.map((leaf) => `part/c${leaf}/0`) }
    }

  test('nodes are those of the tree that makes the sync hash', () => {
    for (const count of [1, 2, 3, 5, 16, 17, 33, 100]) {
      const tree = new SyncTree()
      tree.update({
        visitLeaves: (visitor) => {
          for (let leaf = 0; leaf < count; leaf++) {
            visitor.leaf(makeLabel(`part/c${leaf}/0`), Uint8Array.of(leaf), 0, 1, 'raw')
          }
        },
      })
      const leaves = new Uint32Array(2 * count)
      tree.copyLeaves(leaves, 0)
      for (let level = 0; 2 ** level < 2 * count; level++) {
        const nodes = levelOf(leaves, level)
        for (let node = 0; node < nodes.length / 2; node++) {
          const hash = [nodes[2 * node + 1]!, nodes[2 * node]!]
          const text = hash.map((word) => word.toString(16).padStart(8, '0')).join('')
          expect(tree.node(level, node).replace(/[^0-9a-f]/g, '')).toContain(text)
        }
      }
    }
  })

  test('are found in one to four rounds, within the bytes of T-52', () => {
    const states = fc.record({
      count: fc.integer({ min: 1, max: 4_096 }),
      changed: fc.uniqueArray(fc.nat(4_095), { minLength: 1, maxLength: 16 }),
    })
    fc.assert(
      fc.property(states, ({ count, changed }) => {
        const different = changed.filter((leaf) => leaf < count).sort((a, b) => a - b)
        const mine = Uint32Array.from({ length: 2 * count }, (_, index) => index * 7)
        const theirs = mine.slice()
        for (const leaf of different) theirs[2 * leaf] = 1
        const { result, rounds, bytes } = drive(findLeaves(5), [side(mine), side(theirs)])
        expect(result?.labels).toEqual(different.map((leaf) => `part/c${leaf}/0`))
        expect(result?.count).toBe(different.length)
        expect(rounds).toBeLessThanOrEqual(5)
        expect(bytes).toBeLessThan(8_192)
      }),
    )
  })

  test('one side may have more of them', () => {
    const mine = Uint32Array.from({ length: 40 }, (_, index) => index)
    const { result } = drive(findLeaves(5), [side(mine), side(mine.slice(0, 38))])
    expect(result?.labels).toEqual(['part/c19/0'])
  })

  test('a side that has forgotten the tick ends the search', () => {
    const mine = Uint32Array.of(1, 2)
    expect(drive(findLeaves(5), [side(mine), () => undefined]).result).toBeUndefined()
  })

  test('more hashes than were asked for are a bad answer', () => {
    const mine = Uint32Array.of(1, 2)
    const liar: Answerer = (probe) =>
      probe.kind === 'nodes' ? { words: [1, 2, 3, 4] } : side(mine)(probe)
    expect(() => drive(findLeaves(5), [side(mine), liar])).toThrow(
      expect.objectContaining({ name: 'BadAnswer', side: 1 }),
    )
  })
})

describe('the value that differs', () => {
  const cellsOf = (values: readonly number[]) =>
    values.map((value, row) => ({ row, field: 'x', value: String(value) }))
  const side = (values: readonly number[]): Answerer => {
    const cells = cellsOf(values)
    return (probe) => {
      if (probe.kind === 'items') return hashCells(cells, probe.ask)
      if (probe.kind !== 'cells') throw new Error(probe.kind)
      return { cells: cells.slice(probe.ask.first, probe.ask.first + probe.ask.count) }
    }
  }

  test('is found among up to 16 384 in at most five rounds', () => {
    const leaves = fc.record({
      count: fc.integer({ min: 1, max: 16_384 }),
      at: fc.nat(16_383),
    })
    fc.assert(
      fc.property(leaves, ({ count, at }) => {
        const row = at % count
        const values = Array.from({ length: count }, (_, index) => index % 9)
        const [mine, theirs] = [side(values), side(values.with(row, 77))]
        const { result, rounds, bytes } = drive(findCell(5, 'units/x/0'), [mine, theirs])
        const known = { part: 'units', row, field: 'x', tick: 5 }
        expect(result).toEqual({ ...known, values: [String(row % 9), '77'] })
        expect(rounds).toBeLessThanOrEqual(5)
        expect(bytes).toBeLessThan(8_192)
      }),
      { numRuns: 30 },
    )
  })

  test('may be there on one side only', () => {
    const sides = [side([1, 2, 3]), side([1, 2])] as const
    const { result } = drive(findCell(5, 'units/x/0'), sides)
    expect(result).toMatchObject({ row: 2, values: ['3', undefined] })
  })

  test('is none where the leaf is the same again', () => {
    const values = Array.from({ length: 500 }, (_, index) => index)
    const sides = [side(values), side(values)] as const
    expect(drive(findCell(5, 'units/x/0'), sides).result).toBeUndefined()
  })
})

describe('the first write that differs', () => {
  /** A side whose hash over some entries is told by their sum, which is enough here. */
  const side = (writes: readonly number[]): Answerer => {
    const sums = [0]
    for (const write of writes) sums.push((Math.imul(sums.at(-1)!, 31) + write) >>> 0)
    const prefix = (entries: number) => [
      sums[Math.min(entries, writes.length)]!,
      entries === 0 ? 0 : 1,
    ]
    return (probe) => {
      switch (probe.kind) {
        case 'trace':
          return { entries: writes.length }
        case 'prefixes': {
          const { first, step, count } = probe.ask
          const ends = Array.from({ length: count }, (_, index) => (first + index * step) * 256)
          return { words: ends.flatMap(prefix) }
        }
        case 'block': {
          const start = probe.ask.block * 256
          const size = Math.min(256, writes.length - start)
          return { words: Array.from({ length: size }, (_, i) => prefix(start + i + 1)).flat() }
        }
        case 'entries': {
          const { first, count } = probe.ask
          const entries = writes.slice(first, first + count).map((after) => ({
            kind: 'set',
            where: 'step',
            name: 'move',
            part: 'units',
            row: 1,
            field: 'x',
            before: '0',
            after: String(after),
            site: undefined,
          }))
          return { entries }
        }
        default:
          throw new Error(probe.kind)
      }
    }
  }

  test('is found in a few rounds, however many there are, wherever it is', () => {
    const ticks = fc.record({
      count: fc.integer({ min: 1, max: 60_000 }),
      at: fc.nat(59_999),
      lost: fc.integer({ min: -3, max: 3 }),
    })
    fc.assert(
      fc.property(ticks, ({ count, at, lost }) => {
        const index = at % count
        const mine = Array.from({ length: count }, (_, write) => write % 100)
        const theirs = [...mine.slice(0, index), 1_000, ...mine.slice(index + 1)]
        if (lost < 0) theirs.splice(index + 1, -lost)
        else theirs.push(...Array.from({ length: lost }, () => 5))
        const { result, rounds } = drive(findWrite(5), [side(mine), side(theirs)])
        if (result.result !== 'differs') throw new Error(result.result)
        expect(result.write.index).toBe(index)
        expect(result.write.sides.map((entry) => entry?.after)).toEqual([
          String(index % 100),
          '1000',
        ])
        expect(rounds).toBeLessThanOrEqual(6)
      }),
      { numRuns: 40 },
    )
  })

  test('may be one that only one side makes, also right behind a block', () => {
    const mine = Array.from({ length: 512 }, (_, write) => write)
    const { result } = drive(findWrite(5), [side(mine), side([...mine, 3])])
    expect(result).toMatchObject({ write: { index: 512, sides: [undefined, { after: '3' }] } })
  })

  test.each([0, 1, 256, 1_000])('is none where all %i are the same', (count) => {
    const mine = Array.from({ length: count }, (_, write) => write)
    expect(drive(findWrite(5), [side(mine), side(mine)]).result).toEqual({ result: 'same' })
  })

  test('is unknown where a tick is another each time it runs', () => {
    const mine = Array.from({ length: 300 }, (_, write) => write)
    const fickle: Answerer = (probe) =>
      probe.kind === 'block' ? { words: [1, 2] } : side(mine.with(270, 0))(probe)
    expect(drive(findWrite(5), [side(mine), fickle]).result).toEqual({ result: 'unknown' })
  })
})
