/**
 * What happens to one datagram, in the sequence in which a real path does it: too large, cut, queue
 * full, lost, delayed, overtaken, damaged, duplicated.
 */
import { damage } from './damage.ts'
import type { Path } from './path.ts'

/** However slow the traffic is, being overtaken costs no more than this. */
const displacedUsMax = 2_000_000
/** A copy takes another way: it comes this much later on average, plus jitter. */
const copyLateMs = 2
/** Weight of a new gap between packets in the smoothed one. */
const gapWeight = 1 / 8

/** Receives each copy that will arrive, and when. */
export type Emit<P extends Path> = (path: P, bytes: Uint8Array, arriveUs: number) => void

/** Sends one datagram: `emit` is called for every copy that arrives, or never. */
export function sendDatagram<P extends Path>(
  path: P,
  bytes: Uint8Array,
  nowUs: number,
  emit: Emit<P>,
): void {
  const { conditions, random, stats } = path
  // The same draws for every packet, before anything is decided.
  const isLost = random.each.chance(path.lossAt(nowUs, nowUs))
  const travelUs = path.travelUs()
  const isDoubled = random.each.chance(conditions.duplicate)
  const isOvertaken = random.each.chance(conditions.reorder)
  const isDamaged = random.each.chance(conditions.corrupt)

  path.gapUs += (nowUs - path.lastSendUs - path.gapUs) * gapWeight
  path.lastSendUs = nowUs
  stats.sent++
  const { packetBytesMax, bytesPerSecond, queueBytes } = conditions
  if (packetBytesMax > 0 && bytes.length > packetBytesMax) {
    stats.tooLarge++
    return
  }
  if (path.isCut) {
    stats.cut++
    return
  }
  if (bytesPerSecond > 0 && path.queuedBytes(nowUs) + bytes.length > queueBytes) {
    stats.queueFull++
    return
  }
  const departUs = path.departUs(bytes.length, nowUs)
  if (isDamaged && !isLost) stats.corrupted++
  if (isLost || (isDamaged && path.damageRange === undefined)) {
    stats.lost++
    return
  }
  const sent = isDamaged ? damage(bytes, random.rare, path.damageRange!) : bytes
  if (isDoubled) {
    stats.duplicated++
    const lateMs = (conditions.jitterMs + copyLateMs) * random.rare.exponential()
    // A copy of its own: the receiver may decrypt in place.
    emit(path, new Uint8Array(sent), departUs + travelUs + 1 + Math.round(lateMs * 1000))
  }
  emit(path, sent, arrivalUs(path, departUs + Math.max(1, travelUs), isOvertaken))
}

/** Packets keep their sequence, as in a queue: jitter delays those behind too. Unless overtaken. */
function arrivalUs(path: Path, atUs: number, isOvertaken: boolean): number {
  const inSequenceUs = Math.max(path.lastArrivalUs, atUs)
  if (!isOvertaken) {
    path.lastArrivalUs = inSequenceUs
    return inSequenceUs
  }
  path.stats.reordered++
  const packets = 1 + path.random.rare.below(Math.max(1, path.conditions.reorderPackets))
  return inSequenceUs + Math.min(displacedUsMax, Math.ceil(packets * path.gapUs))
}
