/**
 * Snapshots of 10 000 units × 16 columns of int32 (640 KB) against everything that a game would
 * otherwise do: copy, structuredClone, JSON, msgpackr, zlib and fflate. Only ours and JSON carry names;
 * only ours carries a head and can be read by another version of the game.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { deflateSync, inflateSync } from 'fflate'
import { Packr } from 'msgpackr'
import { SnapshotBuffer } from '../../packages/samestep/src/sim/snapshot/buffer.ts'
import { readSnapshot } from '../../packages/samestep/src/sim/snapshot/reader.ts'
import type { SectionWriter } from '../../packages/samestep/src/sim/snapshot/section.ts'
import { writeSnapshot } from '../../packages/samestep/src/sim/snapshot/writer.ts'
import { makeStateSample, sampleColumnNames, sampleObjects } from '../state-sample.ts'
import type { Figure, Prepared, Suite } from '../types.ts'

const header = {
  engine: 'samestep bench',
  gameId: 'bench',
  gameVersion: 1,
  fingerprint: new Uint8Array(32),
  matchId: 'friday',
  tick: 36_000,
}

/** With its records extension, which writes the names of the fields only once. */
const packr = new Packr({ useRecords: true })

type Encoding = 'raw' | 'packed' | 'deflate'

/** The state, and both directions of every encoding with memory that is kept, as a session keeps it. */
function prepareOurs() {
  const sample = makeStateSample()
  const save = (out: SectionWriter): void => {
    out.beginTable('units', sample.rows)
    for (const name of sampleColumnNames) out.column(name, 'i32', sample.columns[name])
    out.endTable()
  }
  const targets = sampleColumnNames.map(() => new Int32Array(sample.rows))
  const saver = (encoding: Encoding) => {
    const into = new SnapshotBuffer()
    return () => writeSnapshot(header, save, { encoding, into })
  }
  const loader = (encoding: Encoding) => {
    const file = writeSnapshot(header, save, { encoding })
    return () => {
      for (const section of readSnapshot(file).sections) {
        if (section.kind === 'bytes') continue
        section.columns.forEach((column, index) => {
          column.readInto(targets[index]!)
        })
      }
      return targets
    }
  }
  return { sample, saver, loader }
}

function prepareCopies(): Prepared {
  const { sample, saver, loader } = prepareOurs()
  const copy = new Uint8Array(sample.bytes.length)
  return {
    contenders: {
      'memory copy': () => copy.set(sample.bytes),
      'new copy (slice)': () => sample.bytes.slice(),
      'structuredClone of columns': () => structuredClone(sample.columns),
      'save raw': saver('raw'),
      'load raw': loader('raw'),
    },
  }
}

function prepareEncoders(): Prepared {
  const { sample, saver } = prepareOurs()
  const { bytes, columns } = sample
  const objects = sampleObjects(sample)
  const contenders = {
    'save packed': saver('packed'),
    'save deflate': saver('deflate'),
    'zlib 6 of the bytes': () => deflateRawSync(bytes, { level: 6 }),
    'zlib 1 of the bytes': () => deflateRawSync(bytes, { level: 1 }),
    'fflate 6 of the bytes': () => deflateSync(bytes, { level: 6 }),
    'fflate 1 of the bytes': () => deflateSync(bytes, { level: 1 }),
    'structuredClone of objects': () => structuredClone(objects),
    'JSON of objects': () => Buffer.from(JSON.stringify(objects)),
    'JSON of objects, zlib 6': () => deflateRawSync(JSON.stringify(objects)),
    'msgpackr of objects': () => packr.pack(objects),
    'msgpackr of columns': () => packr.pack(columns),
  }
  return { contenders, figures: sizes(bytes.length, contenders) }
}

/** How many times smaller each result is than the memory that it came from. */
function sizes(
  memoryBytes: number,
  contenders: { readonly [name: string]: () => unknown },
): Figure[] {
  const limits: { readonly [name: string]: number } = { 'save packed': 2.3, 'save deflate': 2.8 }
  return Object.entries(contenders).flatMap(([name, run]) => {
    const result = run()
    if (!(result instanceof Uint8Array)) return []
    const figure = { name, value: memoryBytes / result.length, unit: '× smaller' }
    const atLeast = limits[name]
    return [atLeast === undefined ? figure : { ...figure, atLeast }]
  })
}

function prepareDecoders(): Prepared {
  const { sample, loader } = prepareOurs()
  const objects = sampleObjects(sample)
  const { bytes } = sample
  const zlibbed = deflateRawSync(bytes, { level: 6 })
  const json = JSON.stringify(objects)
  const jsonZlibbed = deflateRawSync(json)
  const packedObjects = packr.pack(objects)
  const packedColumns = packr.pack(sample.columns)
  const out = new Uint8Array(bytes.length)
  return {
    contenders: {
      'load packed': loader('packed'),
      'load deflate': loader('deflate'),
      'zlib to bytes': () => inflateRawSync(zlibbed),
      'fflate to bytes': () => inflateSync(zlibbed, { out }),
      'JSON to objects': () => JSON.parse(json),
      'zlib, JSON to objects': () => JSON.parse(inflateRawSync(jsonZlibbed).toString()),
      'msgpackr to objects': () => packr.unpack(packedObjects),
      'msgpackr to columns': () => packr.unpack(packedColumns),
    },
  }
}

/** The tables of this file. */
export const suites: readonly Suite[] = [
  {
    name: 'snapshot-raw',
    work: 'one copy of 640 KB of state, by which a tick can be run again',
    baseline: 'memory copy',
    // Which memory a process happens to get moves both by 10 %.
    targets: [
      { of: 'save raw', against: 'memory copy', atMost: 1.5 },
      { of: 'load raw', against: 'memory copy', atMost: 1.5 },
    ],
    prepare: prepareCopies,
  },
  {
    name: 'snapshot-encode',
    work: '640 KB of state made small, for a joiner or a file',
    baseline: 'save packed',
    targets: [
      { of: 'zlib 6 of the bytes', against: 'save packed', atLeast: 8 },
      { of: 'JSON of objects, zlib 6', against: 'save packed', atLeast: 30 },
      { of: 'zlib 6 of the bytes', against: 'save deflate', atLeast: 1.5 },
    ],
    prepare: prepareEncoders,
  },
  {
    name: 'snapshot-decode',
    work: '640 KB of state made from its small form',
    baseline: 'load packed',
    targets: [
      { of: 'zlib to bytes', against: 'load packed', atLeast: 1 },
      { of: 'zlib, JSON to objects', against: 'load packed', atLeast: 8 },
    ],
    prepare: prepareDecoders,
  },
]
