import { WireError } from '../base/errors.ts'
import { bundleBytesMax } from '../wire/limits.ts'

/** Bundles of consecutive ticks. */
export interface RecordExcerpt {
  readonly firstTick: number
  /** Each with a u16 of its length before it, in little-endian. */
  readonly bundles: Uint8Array
}

/** Where bundles are taken from. */
export interface BundleSource {
  /** The oldest tick that is there, and the newest. */
  readonly firstTick: number
  readonly lastTick: number
  at(tick: number): Uint8Array | undefined
}

/** Bytes of all bundles of an excerpt: minutes of a small match, seconds of the largest. */
export const excerptBytesMax = 262_144

/**
 * The bundles around a bad tick: those that lead to it from `fromTick`, where anybody can begin to run
 * them, and if there is room some seconds before and one behind, to see what players did.
 */
export function cutExcerpt(
  source: BundleSource,
  fromTick: number,
  badTick: number,
  tickRate: number,
): RecordExcerpt | undefined {
  const needed = Math.max(fromTick, source.firstTick)
  const last = Math.min(badTick, source.lastTick)
  if (needed > last) return undefined
  let [first, end] = [needed, needed]
  let bytes = 0
  const take = (tick: number): boolean => {
    const bundle = source.at(tick)
    if (bundle === undefined || bytes + 2 + bundle.byteLength > excerptBytesMax) return false
    bytes += 2 + bundle.byteLength
    return true
  }
  while (end <= last && take(end)) end += 1
  if (end > last) {
    const behind = Math.min(badTick + secondsBehind * tickRate, source.lastTick)
    while (end <= behind && take(end)) end += 1
    const before = Math.max(badTick - secondsBefore * tickRate, source.firstTick, 1)
    while (first > before && take(first - 1)) first -= 1
  }
  if (end === first) return undefined
  const bundles = Array.from({ length: end - first }, (_, index) => source.at(first + index))
  return { firstTick: first, bundles: packBundles(bundles as Uint8Array[]) }
}

/** Bytes that bundles take in an excerpt. */
export function excerptBytes(source: BundleSource, fromTick: number, toTick: number): number {
  let bytes = 0
  for (let tick = fromTick; tick <= toTick; tick++) bytes += 2 + (source.at(tick)?.byteLength ?? 0)
  return bytes
}

/** As many bundles from a tick on as fit so many bytes. */
export function packFrom(
  at: BundleSource['at'],
  first: number,
  last: number,
  bytesMax: number,
): Uint8Array {
  const bundles: Uint8Array[] = []
  let bytes = 0
  for (let tick = first; tick <= last; tick++) {
    const bundle = at(tick)
    if (bundle === undefined || bytes + 2 + bundle.byteLength > bytesMax) break
    bytes += 2 + bundle.byteLength
    bundles.push(bundle)
  }
  return packBundles(bundles)
}

/** The ticks around a bad one that a report should show, from one where anybody can begin to run. */
export function wantedTicks(fromTick: number, badTick: number, tickRate: number) {
  const before = Math.max(badTick - secondsBefore * tickRate, 1)
  return { first: Math.min(fromTick, before), last: badTick + secondsBehind * tickRate }
}

function packBundles(bundles: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(bundles.reduce((sum, { byteLength }) => sum + 2 + byteLength, 0))
  let at = 0
  for (const bundle of bundles) {
    bytes[at] = bundle.byteLength & 0xff
    bytes[at + 1] = bundle.byteLength >>> 8
    bytes.set(bundle, at + 2)
    at += 2 + bundle.byteLength
  }
  return bytes
}

/**
 * The bundles of an excerpt, one per tick.
 *
 * @throws WireError for bytes that are no bundles one behind the other.
 */
export function readExcerpt({ bundles }: Pick<RecordExcerpt, 'bundles'>): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let at = 0; at < bundles.byteLength; ) {
    const length = (bundles[at] as number) | ((bundles[at + 1] ?? 0) << 8)
    const end = at + 2 + length
    if (length === 0 || length > bundleBytesMax || end > bundles.byteLength) {
      throw new WireError('SS_WIRE_OUT_OF_RANGE', at, `Cannot read a bundle of ${length} bytes`)
    }
    found.push(bundles.slice(at + 2, end))
    at = end
  }
  return found
}

/** What is shown of the time before a desync, and behind it. */
const secondsBefore = 5
const secondsBehind = 1
