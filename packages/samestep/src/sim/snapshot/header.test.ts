import { describe, expect, test } from 'vitest'
import { expectHeader, readSnapshotHeader } from './header.ts'
import { expectCode, resum } from './testing/files.ts'
import { sampleHeader, saveSample } from './testing/sample.ts'
import { writeSnapshot } from './writer.ts'

const file = writeSnapshot(sampleHeader, (out) => saveSample(out, 10))

describe('readSnapshotHeader', () => {
  test('reads what the snapshot is of without looking at the rest', () => {
    const damaged = file.slice()
    damaged.fill(0xff, 120)
    expect(readSnapshotHeader(damaged)).toMatchObject(sampleHeader)
  })

  test('owns its fingerprint', () => {
    const copy = Buffer.from(file)
    const { fingerprint } = readSnapshotHeader(copy)
    copy.fill(0)
    expect(fingerprint).toEqual(sampleHeader.fingerprint)
  })

  test.each([7, 39])('refuses a gap that is not zero at byte %i', (at) => {
    const damaged = file.slice()
    damaged[at] = 1
    expectCode(() => readSnapshotHeader(resum(damaged)), 'SS_WIRE_NOT_CANONICAL')
  })

  test('refuses texts that are not UTF-8', () => {
    const damaged = file.slice()
    damaged[72] = 0xff
    expectCode(() => readSnapshotHeader(resum(damaged)), 'SS_WIRE_NOT_CANONICAL')
  })

  test('refuses a match id beyond its limit, within a head that is large enough', () => {
    const engine = 'e'.repeat(100)
    const long = writeSnapshot({ ...sampleHeader, engine }, () => {}).slice()
    long[36] = 0
    long[38] = long[38]! + 100
    expectCode(() => readSnapshotHeader(resum(long)), 'SS_WIRE_TOO_LARGE')
  })
})

describe('expectHeader', () => {
  const header = readSnapshotHeader(file)

  test('accepts what is as expected, and whatever nothing is said about', () => {
    expect(() => expectHeader(header, {})).not.toThrow()
    expect(() => expectHeader(header, sampleHeader)).not.toThrow()
    expect(() => expectHeader(header, { matchId: 'friday' })).not.toThrow()
  })

  test.each([
    [{ gameId: 'chess' }, "its game is 'dots'; it must be 'chess'"],
    [{ gameVersion: 4 }, 'its game version is 3; it must be 4'],
    [{ matchId: 'monday' }, "its match is 'friday'; it must be 'monday'"],
    [{ tick: 7 }, 'its tick is 123456; it must be 7'],
    [{ engine: 'x' }, "its engine is 'samestep sample'; it must be 'x'"],
    [{ fingerprint: new Uint8Array(32) }, `it must be ${'00'.repeat(32)}`],
  ])('names what differs, and both values: %o', (expected, message) => {
    expectCode(() => expectHeader(header, expected), 'SS_WIRE_MISMATCH')
    expect(() => expectHeader(header, expected)).toThrow(message)
  })
})
