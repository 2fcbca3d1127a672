/** Writes blocks: see block.ts for what a block is. */
import { deltaFlag, numberAt, shiftAt, sparseFlag } from './block.ts'
import type { MaskPool } from './masks.ts'
import { blockCells, maskWords } from './masks.ts'

/** The values of a block that are not zero. One more, so that reading past the last is harmless. */
const dense = new Int32Array(blockCells + 1)
const mask = new Int32Array(maskWords)
const deltas = new Int32Array(blockCells)

/** What a look at a run of values found. One, reused: packing makes no garbage. */
const seen = { first: 0, min: 0, max: 0, changing: 0 }

/** How a run of values is written. */
const plan = { base: 0, width: 0, shift: 0, isDelta: false, cost: 0 }

/** Writes `count` values from `start` at word `at`, and returns where the next word goes. */
export function packBlock(
  values: Int32Array,
  start: number,
  count: number,
  block: number,
  masks: MaskPool,
  words: Int32Array,
  at: number,
): number {
  const used = gather(values, start, count)
  const zeros = count - used
  // With few zeros a mask cannot pay: it may cost a bit per cell.
  if (used === 0 || zeros * 16 < count) {
    look(values, start, count)
    planRange(count)
    planDeltas(values, start, count)
    return packRun(values, start, count, 0, words, at)
  }
  look(dense, 0, used)
  planRange(used)
  planDeltas(dense, 0, used)
  const known = masks.find(block, mask)
  const cost = plan.cost + (known < 0 ? blockCells : 0)
  if (cost < costWithZeros(count)) {
    const number = known < 0 ? masks.add(block, mask) : known
    if (number >= 0) return packRun(dense, 0, used, sparseFlag | (number << numberAt), words, at)
  }
  look(values, start, count)
  planRange(count)
  return packRun(values, start, count, 0, words, at)
}

/** Moves the values that are not zero to {@link dense}, marks them in {@link mask}, counts them. */
function gather(values: Int32Array, start: number, count: number): number {
  let used = 0
  let index = 0
  for (let word = 0; word < maskWords; word++) {
    const end = Math.min(index + 32, count)
    let bits = 0
    for (; index < end; index++) {
      const value = values[start + index]!
      // No branch: with free rows scattered about, every third would be predicted wrongly.
      const bit = (value | -value) >>> 31
      dense[used] = value
      used = (used + bit) | 0
      bits |= bit << index
    }
    mask[word] = bits
  }
  return used
}

function look(values: Int32Array, start: number, count: number): void {
  const first = values[start]!
  let min = first
  let max = first
  let changing = 0
  const end = start + count
  for (let index = start + 1; index < end; index++) {
    const value = values[index]!
    if (value < min) min = value
    if (value > max) max = value
    changing |= value ^ first
  }
  seen.first = first
  seen.min = min
  seen.max = max
  seen.changing = changing
}

/** Plans a run of `count` values as distances from the smallest. */
function planRange(count: number): void {
  plan.shift = lowZeros(seen.changing)
  plan.base = seen.min
  plan.width = widthOf((seen.max - seen.min) >>> plan.shift)
  plan.cost = plan.width * count
  plan.isDelta = false
}

/** What a block costs without a mask if its other values are as {@link seen}. */
function costWithZeros(count: number): number {
  const range = Math.max(seen.max, 0) - Math.min(seen.min, 0)
  return widthOf(range >>> lowZeros(seen.changing | seen.first)) * count
}

/** Changes the plan to differences between neighbours where those are smaller. */
function planDeltas(values: Int32Array, start: number, count: number): void {
  if (count < deltaSamples * 2) return
  // A few differences tell whether it is worth looking at all of them; in most columns it is not.
  const step = Math.floor(count / deltaSamples)
  if (deltaWidth(values, start, step, deltaSamples) + 2 > plan.width) return
  const width = deltaWidth(values, start, 1, count - 1)
  const cost = (count - 1) * width + 32
  if (cost >= plan.cost) return
  plan.isDelta = true
  plan.base = deltaBase
  plan.width = width
  plan.shift = 0
  plan.cost = cost
}

const deltaSamples = 8
/** The smallest difference that {@link deltaWidth} met. */
let deltaBase = 0

/** The bits that `count` differences need, taken every `step` values. */
function deltaWidth(values: Int32Array, start: number, step: number, count: number): number {
  let min = 0x7fff_ffff
  let max = -0x8000_0000
  for (let index = start, left = count; left > 0; index += step, left--) {
    const delta = (values[index + 1]! - values[index]!) | 0
    if (delta < min) min = delta
    if (delta > max) max = delta
  }
  deltaBase = min
  return widthOf(max - min)
}

function widthOf(range: number): number {
  return 32 - Math.clz32(range)
}

/** How many bits are zero at the low end; none of nothing. */
function lowZeros(bits: number): number {
  return bits === 0 ? 0 : 31 - Math.clz32(bits & -bits)
}

function packRun(
  values: Int32Array,
  start: number,
  count: number,
  flags: number,
  words: Int32Array,
  at: number,
): number {
  const { base, width, shift, isDelta } = plan
  words[at++] = flags | (isDelta ? deltaFlag : 0) | (shift << shiftAt) | width
  words[at++] = base
  if (!isDelta) return packNumbers(values, start, count, words, at)
  words[at++] = values[start]!
  for (let index = 1; index < count; index++) {
    deltas[index] = (values[start + index]! - values[start + index - 1]!) | 0
  }
  return packNumbers(deltas, 1, count - 1, words, at)
}

/** The hot loop: 2.5 ns a value. Kept apart and free of cases so that engines compile it well. */
function packNumbers(
  values: Int32Array,
  start: number,
  count: number,
  words: Int32Array,
  at: number,
): number {
  const { base, width, shift } = plan
  if (width === 0) return at
  const end = start + count
  let word = 0
  let filled = 0
  for (let index = start; index < end; index++) {
    const rest = ((values[index]! - base) >>> shift) | 0
    word |= rest << filled
    const next = filled + width
    if (next < 32) {
      filled = next
    } else {
      words[at] = word
      at = (at + 1) | 0
      filled = next - 32
      // In two steps, because a shift by 32 would be a shift by 0.
      word = (rest >>> 1) >>> (width - filled - 1)
    }
  }
  if (filled > 0) words[at++] = word
  return at
}
