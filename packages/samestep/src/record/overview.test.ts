import { expect, test } from 'vitest'
import { overviewOf } from './overview.ts'
import { makeSampleRecord, sampleMatch } from './testing/sample.ts'

const sample = makeSampleRecord()

test('an overview says which match, ticks, members and gaps a record holds', () => {
  expect(overviewOf([sample])).toMatchObject({
    bytes: sample.length,
    torn: undefined,
    matches: [
      {
        id: sampleMatch.id,
        name: 'friday',
        game: { id: 'dots', version: 3 },
        content: { 'maps/dunes.json': 'd0'.repeat(32) },
        firstTick: 1,
        lastTick: 10,
        gaps: [{ firstTick: 5, lastTick: 9, why: 'lost' }],
        members: [
          { id: 0, name: 'Ada', seat: 0, nextOrder: 2 },
          { id: 2, name: 'Hedy', seat: undefined },
        ],
        entries: { bundle: 5, refused: 1 },
        end: 'over',
      },
    ],
  })
})

test('an overview holds no ticket: whoever has one can take the seat', () => {
  expect(JSON.stringify(overviewOf([sample]))).not.toContain('ticket')
})

test('a record that ends early is never called complete', () => {
  for (let cut = 0; cut < sample.length; cut++) {
    const { matches, torn, bytes, wholeBytes } = overviewOf([sample.subarray(0, cut)])
    expect(matches.every(({ end }) => end === undefined)).toBe(true)
    expect(torn?.bytes ?? 0).toBe(bytes - wholeBytes)
  }
})
