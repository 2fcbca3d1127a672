/**
 * When a message on a stream arrives: behind all before it, and late by the retransmissions that its
 * loss costs.
 *
 *     sent ──lost──┬─ acknowledgements of later data show the hole: 1¼ round trips (RACK)
 *                  └─ nothing follows: a probe after two round trips, then a timer of at least
 *                     200 ms that doubles with every further loss (RTO)
 */
import { entryKind, type Path } from './path.ts'

/** Bytes of one segment: what is lost or arrives as a whole. */
const segmentBytes = 1200
/** Enough segments that one of them is surely lost where loss matters at all. */
const segmentsMax = 64
const probeUsMin = 10_000
const rtoUsMin = 200_000
/** Nothing is known about a new connection: RFC 6298 begins with a second. */
const rtoUsInitial = 1_000_000
const rtoUsMax = 60_000_000
/** Beyond this the stream is as good as cut; its own timeout will see to it. */
const retriesMax = 12
/** The timer has doubled during an outage, so the first retry comes late, but not endlessly. */
const resumeUsMax = 5_000_000
/** Unacknowledged bytes after which a sender waits for the way back. */
export const windowBytes = 65_536

const noBytes = new Uint8Array(0)

/** Puts a message into the stream's queue. True when a loss delays it. */
export function queueMessage(path: Path, bytes: Uint8Array, nowUs: number): boolean {
  return queueEntry(path, entryKind.data, bytes, nowUs)
}

/** Puts the mark of an opened or ended connection into the queue, so that it keeps its place. */
export function queueMark(path: Path, kind: number, nowUs: number): boolean {
  return queueEntry(path, kind, noBytes, nowUs)
}

function queueEntry(path: Path, kind: number, bytes: Uint8Array, nowUs: number): boolean {
  // Two draws for every message, as for every datagram.
  const draw = path.random.each.unit()
  const travelUs = path.travelUs()
  const departUs = path.departUs(bytes.length, nowUs)
  const lateUs = draw < lossOf(path, bytes.length, nowUs) ? recoveryUs(path, kind, nowUs) : 0
  const arrivalUs = Math.max(path.lastArrivalUs, departUs + Math.max(1, travelUs) + lateUs)
  path.lastArrivalUs = arrivalUs
  path.lastSendUs = nowUs
  path.queue.push(kind, bytes, arrivalUs)
  return lateUs > 0
}

/** The chance that at least one segment is lost. */
function lossOf(path: Path, byteLength: number, nowUs: number): number {
  const loss = path.lossAt(nowUs, nowUs)
  if (loss === 0) return 0
  let kept = 1 - loss
  let segments = 1
  while (segments * segmentBytes < byteLength && segments < segmentsMax) {
    kept *= 1 - loss
    segments++
  }
  return 1 - kept
}

/** How much later a lost message comes. */
function recoveryUs(path: Path, kind: number, nowUs: number): number {
  const roundTripUs = roundTripUsOf(path)
  let rtoUs = Math.max(rtoUsMin, 2 * roundTripUs)
  let lateUs: number
  if (kind === entryKind.open) lateUs = rtoUsInitial
  else if (nowUs - path.lastSendUs < roundTripUs) lateUs = Math.ceil(roundTripUs * 1.25)
  else lateUs = Math.max(probeUsMin, 2 * roundTripUs)
  for (let retry = 0; retry < retriesMax; retry++) {
    if (!path.random.rare.chance(path.lossAt(nowUs + lateUs, nowUs))) break
    lateUs += rtoUs
    rtoUs = Math.min(rtoUs * 2, rtoUsMax)
  }
  return lateUs
}

function roundTripUsOf(path: Path): number {
  const there = path.conditions
  const back = path.reverse.conditions
  return (there.latencyMs + there.jitterMs + back.latencyMs + back.jitterMs) * 1000
}

/** How long after the end of an outage the first data arrives. */
export function resumeUs(path: Path, outageUs: number): number {
  const waitUs = path.random.rare.unit() * Math.min(outageUs, resumeUsMax)
  return Math.round(waitUs + path.conditions.latencyMs * 1000)
}
