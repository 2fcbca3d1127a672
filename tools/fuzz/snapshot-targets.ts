/** Snapshots, whose checksums are made right so that what lies behind them is tried too. */
import { Checksum } from '../../packages/samestep/src/sim/snapshot/checksum.ts'
import { deflate } from '../../packages/samestep/src/sim/snapshot/deflate.ts'
import type { SnapshotEncoding } from '../../packages/samestep/src/sim/snapshot/format.ts'
import { inflate } from '../../packages/samestep/src/sim/snapshot/inflate.ts'
import type { SectionWriter } from '../../packages/samestep/src/sim/snapshot/section.ts'
import { decodeAll } from '../../packages/samestep/src/sim/snapshot/testing/decode.ts'
import { sampleHeader } from '../../packages/samestep/src/sim/snapshot/testing/sample.ts'
import { writeSnapshot } from '../../packages/samestep/src/sim/snapshot/writer.ts'
import type { FuzzTarget } from './fuzzer.ts'

/** Large enough for the seeds, small enough that a bomb is noticed. */
const maxBytes = 65_536

const checksumBytes = 8

/** Makes the checksum of a packed or deflated file right. */
function resum(file: Uint8Array): Uint8Array {
  const whole = file.length & ~7
  if (whole <= checksumBytes) return file
  const copy = file.slice(0, whole)
  const words = new Int32Array(copy.buffer)
  const sum = new Checksum()
  sum.add(words, 0, whole - checksumBytes)
  words[words.length - 2] = sum.low
  words[words.length - 1] = sum.high
  return copy
}

function saveSmall(out: SectionWriter): void {
  out.beginTable('units', 70)
  out.column(
    'x',
    'i32',
    Int32Array.from({ length: 70 }, (_, row) => row * row - 900),
  )
  out.column(
    'kind',
    'u8',
    Uint8Array.from({ length: 70 }, (_, row) => row % 3),
  )
  out.column(
    'speed',
    'f64',
    Float64Array.from({ length: 70 }, (_, row) => (row % 5) / 4),
  )
  out.endTable()
  out.beginTable('nobody', 0)
  out.column('hp', 'i16', new Int16Array(0))
  out.endTable()
  out.bytes(
    'plain',
    Uint8Array.from({ length: 90 }, (_, index) => index % 7),
  )
}

function snapshotTarget(encoding: SnapshotEncoding): FuzzTarget {
  return {
    name: `snapshot/${encoding}`,
    seeds: [writeSnapshot(sampleHeader, saveSmall, { encoding })],
    run: (bytes) => {
      decodeAll(bytes, { maxBytes })
      return undefined
    },
    // The sum of a raw file covers only its heads, in a sequence that only its reader knows.
    ...(encoding === 'raw' ? {} : { repair: resum }),
    // The limit, once inflated and once as cells, and what the decoders keep for themselves.
    allocationMax: (length) => 3 * maxBytes + 8 * length,
  }
}

/** Contents in multiples of 16 bytes, because the input announces their length in these. */
const contents = [
  new Uint8Array(16),
  Uint8Array.from({ length: 160 }, (_, index) => (index * index) % 11),
  Uint8Array.from({ length: 320 }, (_, index) => Math.imul(index, 0x9e37_79b1) >>> 24),
]

/** All targets of snapshots. */
export function snapshotTargets(): FuzzTarget[] {
  return [
    snapshotTarget('packed'),
    snapshotTarget('deflate'),
    snapshotTarget('raw'),
    {
      name: 'snapshot/inflate',
      seeds: contents.map((it) => Uint8Array.of(it.length / 16, ...deflate(it))),
      run: (bytes) => {
        // The first byte says how much is announced: any announcement may be a lie.
        inflate(bytes.subarray(1), (bytes[0] ?? 0) * 16)
        return undefined
      },
      allocationMax: (length) => maxBytes + 8 * length,
    },
  ]
}
