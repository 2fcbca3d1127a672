import { expect, test } from 'vitest'
import { indexEveryTicks } from './limits.ts'
import { RecordReader } from './reader.ts'
import { RecordIndex } from './record-index.ts'
import { sampleId, sampleMatch } from './testing/sample.ts'
import { RecordWriter } from './writer.ts'

test('an index leads to every tick within as many bundles as it leaves out', () => {
  const ticks = 1_000
  const writer = new RecordWriter(sampleId)
  writer.append(0, { name: 'match', body: sampleMatch })
  for (let tick = 1; tick <= ticks; tick++) writer.appendBundle(0, Uint8Array.of(tick, tick >>> 8))
  const bytes = writer.take().slice()
  const index = new RecordIndex()
  const reader = new RecordReader()
  reader.push(bytes)
  for (let item = reader.next(); item; item = reader.next()) index.add(item, reader.place!)

  expect(index.find(1)).toBeUndefined()
  for (const wanted of [2, 257, 258, 700, ticks]) {
    const place = index.find(wanted)!
    const later = new RecordReader(place)
    later.push(bytes.subarray(place.offset))
    let passed = 0
    let item = later.next()
    for (; item && item.tick < wanted; item = later.next()) passed += 1
    expect(item?.entry.body).toEqual(Uint8Array.of(wanted, wanted >>> 8))
    expect(passed).toBeLessThan(indexEveryTicks)
  }
})
