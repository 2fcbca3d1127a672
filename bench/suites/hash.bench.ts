/**
 * Hashing a whole state: 10 000 rows × 16 columns of int32, the sample state of the benches, laid
 * out as tables lay it out.
 */
import { hash as nodeHash } from 'node:crypto'
import { createBLAKE3, createXXHash3 } from 'hash-wasm'
import xxhash from 'xxhash-wasm'
import { makeLabel } from '../../packages/samestep/src/sim/hash/label.ts'
import type { LeafSource } from '../../packages/samestep/src/sim/hash/leaf.ts'
import type { StateMemory } from '../../packages/samestep/src/sim/hash/memory.ts'
import { createStateMemory } from '../../packages/samestep/src/sim/hash/memory.ts'
import { sha256JsInto } from '../../packages/samestep/src/sim/hash/sha256.ts'
import { buildStateTree, SyncTree } from '../../packages/samestep/src/sim/hash/tree.ts'
import { makeStateSample, sampleColumnNames } from '../state-sample.ts'
import type { Suite } from '../types.ts'

const sample = makeStateSample()
const columnBytes = sample.rows * 4
/** Columns start at multiples of 128, as in a table. */
const columnRoom = Math.ceil(columnBytes / 128) * 128
const labels = sampleColumnNames.map((name) => makeLabel(`units/${name}/0`))

/** The sample in a state memory of its own. */
function makeState(kernel: 'wasm' | 'js'): { source: LeafSource; memory: StateMemory } {
  const memory = createStateMemory(labels.length * columnRoom, { kernel })
  const startOf = (index: number): number => memory.dataStart + index * columnRoom
  labels.forEach((_label, index) => {
    const column = sample.bytes.subarray(index * columnBytes, (index + 1) * columnBytes)
    memory.bytes.set(column, startOf(index))
  })
  const source: LeafSource = {
    visitLeaves(visitor) {
      for (let index = 0; index < labels.length; index++) {
        visitor.leaf(labels[index]!, memory.bytes, startOf(index), columnBytes, 'raw')
      }
    },
  }
  return { source, memory }
}

const copy = 'copy 640 KB'
const syncWasm = 'sync tree, WebAssembly'
const syncJs = 'sync tree, JavaScript'
const stateNative = 'state tree'
const onePass = 'node:crypto sha256, one pass'

const perTick: Suite = {
  name: 'hash-sync',
  work: 'one sync hash of 640 KB with its tree',
  baseline: copy,
  targets: [
    { of: syncWasm, against: copy, atMost: 2 },
    { of: syncJs, against: copy, atMost: 10 },
    { of: onePass, against: syncWasm, atLeast: 10 },
  ],
  prepare() {
    const wasm = makeState('wasm')
    const js = makeState('js')
    const wasmTree = new SyncTree()
    const jsTree = new SyncTree()
    const target = new Uint8Array(sample.bytes.length)
    return {
      contenders: {
        [copy]: () => target.set(sample.bytes),
        [syncWasm]() {
          wasmTree.update(wasm.source, wasm.memory)
          return wasmTree.rootLo
        },
        [syncJs]() {
          jsTree.update(js.source, js.memory)
          return jsTree.rootLo
        },
        [onePass]: () => nodeHash('sha256', sample.bytes, 'hex'),
      },
    }
  },
}

/**
 * A suite of its own: these libraries let their memories grow, which detaches a buffer, and from
 * then on V8 checks every access to every typed array. Our JavaScript would take 1.2 times as long.
 */
const rivals: Suite = {
  name: 'hash-rivals',
  work: 'one hash of 640 KB, ours with its tree',
  baseline: syncWasm,
  targets: [{ of: 'xxhash-wasm h64', against: syncWasm, atLeast: 2 }],
  async prepare() {
    const { source, memory } = makeState('wasm')
    const tree = new SyncTree()
    const { h64Raw } = await xxhash()
    const xxh3 = await createXXHash3()
    const blake3 = await createBLAKE3()
    return {
      contenders: {
        [syncWasm]() {
          tree.update(source, memory)
          return tree.rootLo
        },
        'xxhash-wasm h64': () => h64Raw(sample.bytes),
        'hash-wasm xxh3': () => xxh3.init().update(sample.bytes).digest(),
        'hash-wasm blake3': () => blake3.init().update(sample.bytes).digest(),
      },
    }
  },
}

const judged: Suite = {
  name: 'hash-state',
  work: 'one state hash of 640 KB with its tree',
  baseline: onePass,
  targets: [{ of: stateNative, against: onePass, atMost: 1.1 }],
  prepare() {
    const { source, memory } = makeState('wasm')
    const out = new Uint8Array(32)
    return {
      contenders: {
        [onePass]: () => nodeHash('sha256', sample.bytes, 'hex'),
        [stateNative]: () => buildStateTree(source, memory).root,
        'our own sha256, one pass': () => sha256JsInto(sample.bytes, out, 0),
      },
    }
  },
}

/** Floats cost more to hash, because every NaN has to look the same. */
const floats: Suite = {
  name: 'hash-floats',
  work: '160 000 cells of f32, hashed by value or made canonical',
  baseline: copy,
  targets: [{ of: 'hash, WebAssembly', against: copy, atMost: 4 }],
  prepare() {
    const byteLength = sample.bytes.length
    const cells = Float32Array.from(new Int32Array(sample.bytes.buffer), (cell) => cell / 65_536)
    const bytes = new Uint8Array(cells.buffer)
    const target = new Uint8Array(byteLength)
    const wasm = createStateMemory(byteLength, { kernel: 'wasm' })
    const js = createStateMemory(byteLength, { kernel: 'js' })
    const out = new Uint32Array(2)
    const label = labels[0]!
    for (const memory of [wasm, js]) memory.bytes.set(bytes, memory.dataStart)
    return {
      contenders: {
        [copy]: () => target.set(bytes),
        'hash, WebAssembly': () =>
          wasm.kernel.leaf(label, wasm.dataStart, byteLength, 'f32', out, 0),
        'hash, JavaScript': () => js.kernel.leaf(label, js.dataStart, byteLength, 'f32', out, 0),
        'normalise, WebAssembly': () => wasm.kernel.normalise(wasm.dataStart, byteLength, 'f32'),
        'normalise, JavaScript': () => js.kernel.normalise(js.dataStart, byteLength, 'f32'),
      },
    }
  },
}

/** The suites of this file. */
export const suites: readonly Suite[] = [perTick, rivals, judged, floats]
