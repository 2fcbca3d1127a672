import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { snapshotEncodings, snapshotFormatVersion } from './format.ts'
import { readSnapshot } from './reader.ts'
import { decodeAll } from './testing/decode.ts'
import { expectBits } from './testing/files.ts'
import type { Contents } from './testing/golden.ts'
import { goldenName, makeGolden, summarise, vectorsFolder } from './testing/golden.ts'

const read = (name: string): Uint8Array => readFileSync(new URL(name, vectorsFolder))
const contents: Contents = JSON.parse(Buffer.from(read('snapshot-1.json')).toString())

describe.each(snapshotEncodings)('the golden %s file of format 1', (encoding) => {
  const file = read(goldenName(encoding))

  test('is read as ever', () => {
    expect(summarise(decodeAll(file))).toEqual(contents)
    expect(readSnapshot(file).header).toMatchObject({
      engine: 'samestep sample',
      gameId: 'dots',
      gameVersion: 3,
      matchId: 'friday',
      tick: 123_456,
      encoding,
    })
  })

  test('is what the writer still writes', () => {
    // A writer that changes the layout gets a new format version, and new golden files.
    expect(snapshotFormatVersion).toBe(1)
    expectBits(makeGolden(encoding), new Uint8Array(file))
  })
})

test('a deflated file of another writer holds the same', () => {
  const file = read('snapshot-1-deflate-other-writer.bin')
  expect(summarise(decodeAll(file))).toEqual(contents)
  expect(new Uint8Array(file)).not.toEqual(makeGolden('deflate'))
})
