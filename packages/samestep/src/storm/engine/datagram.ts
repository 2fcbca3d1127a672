/**
 * What happens to one datagram, in the sequence in which a real path does it: too large, cut, queue
 * full, lost, delayed, overtaken, damaged, doubled.
 */
import type { Prng } from '../../base/prng.ts'
import type { Path } from './path.ts'

/** What became of all packets of a world. */
export interface NetworkStats {
  sent: number
  delivered: number
  /** Lost at random or in a burst. For streams: messages that came late because of it. */
  lost: number
  /** Lost to a cut, a partition, or a link end that was gone. */
  cut: number
  tooLarge: number
  queueFull: number
  duplicated: number
  reordered: number
  corrupted: number
}

/** All counters at zero. */
export function makeNetworkStats(): NetworkStats {
  return {
    sent: 0,
    delivered: 0,
    lost: 0,
    cut: 0,
    tooLarge: 0,
    queueFull: 0,
    duplicated: 0,
    reordered: 0,
    corrupted: 0,
  }
}

/** However slow the traffic is, being overtaken costs no more than this. */
const displacedUsMax = 2_000_000
/** A copy takes another way: it comes this much later on average, plus jitter. */
const copyLateMs = 2
/** Weight of a new gap between packets in the smoothed one. */
const gapWeight = 1 / 8

/** Receives each copy that will arrive, and when. */
export type Emit = (path: Path, bytes: Uint8Array, arriveUs: number) => void

/** Sends one datagram. Owns the bytes: it may damage them in place. */
export function sendDatagram(
  path: Path,
  bytes: Uint8Array,
  nowUs: number,
  stats: NetworkStats,
  emit: Emit,
): void {
  const { conditions, random } = path
  // The same draws for every packet, before anything is decided.
  const isLost = random.each.chance(path.lossAt(nowUs, nowUs))
  const travelUs = path.travelUs()
  const isDoubled = random.each.chance(conditions.duplicate)
  const isOvertaken = random.each.chance(conditions.reorder)
  const isDamaged = random.each.chance(conditions.corrupt)

  path.gapUs += (nowUs - path.lastSendUs - path.gapUs) * gapWeight
  path.lastSendUs = nowUs
  stats.sent++
  if (conditions.packetBytesMax > 0 && bytes.length > conditions.packetBytesMax) {
    stats.tooLarge++
    return
  }
  if (path.isCut) {
    stats.cut++
    return
  }
  if (
    conditions.bytesPerSecond > 0 &&
    path.queuedBytes(nowUs) + bytes.length > conditions.queueBytes
  ) {
    stats.queueFull++
    return
  }
  const departUs = path.departUs(bytes.length, nowUs)
  if (isLost) {
    stats.lost++
    return
  }
  let sent = bytes
  if (isDamaged) {
    stats.corrupted++
    sent = damage(bytes, random.rare)
  }
  if (isDoubled) {
    stats.duplicated++
    const lateMs = (conditions.jitterMs + copyLateMs) * random.rare.exponential()
    // A copy of its own: the receiver may decrypt in place.
    emit(path, sent.slice(), departUs + travelUs + 1 + Math.round(lateMs * 1000))
  }
  emit(path, sent, arrivalUs(path, departUs + Math.max(1, travelUs), isOvertaken, stats))
}

/** Packets keep their sequence, as in a queue: jitter delays those behind too. Unless overtaken. */
function arrivalUs(path: Path, atUs: number, isOvertaken: boolean, stats: NetworkStats): number {
  if (!isOvertaken) {
    path.lastArrivalUs = Math.max(path.lastArrivalUs, atUs)
    return path.lastArrivalUs
  }
  stats.reordered++
  const packets = 1 + path.random.rare.below(Math.max(1, path.conditions.reorderPackets))
  return (
    Math.max(path.lastArrivalUs, atUs) + Math.min(displacedUsMax, Math.ceil(packets * path.gapUs))
  )
}

/** Flips bits, cuts the end off or adds a tail. */
function damage(bytes: Uint8Array, rare: Prng): Uint8Array {
  const how = rare.below(4)
  if (how === 0) return bytes.slice(0, rare.below(bytes.length + 1))
  if (how === 1) {
    const longer = new Uint8Array(bytes.length + 1 + rare.below(32))
    longer.set(bytes)
    for (let index = bytes.length; index < longer.length; index++) longer[index] = rare.below(256)
    return longer
  }
  if (bytes.length === 0) return bytes
  // Bit flips are the commonest damage, and a single one the hardest to notice.
  const flips = how === 2 ? 1 : 1 + rare.below(8)
  for (let flip = 0; flip < flips; flip++) {
    bytes[rare.below(bytes.length)]! ^= 1 << rare.below(8)
  }
  return bytes
}
