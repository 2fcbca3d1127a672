/**
 * When a message on a stream arrives: behind all before it, and late by the retransmissions that its
 * loss costs.
 *
 *     sent ──lost──┬─ acknowledgements of later data show the hole: 1¼ round trips (RACK)
 *                  └─ nothing follows: a probe after two round trips, then a timer of at least
 *                     200 ms that doubles with every further loss (RTO)
 */
import type { PathConditions } from './conditions.ts'
import type { Path } from './path.ts'

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

/** Sends a message of a stream. Returns when it arrives; `back` is the way of the acknowledgements. */
export function sendMessage(
  path: Path,
  byteLength: number,
  nowUs: number,
  back: PathConditions,
): number {
  path.stats.sent++
  if (delay(path, byteLength, nowUs, back, false)) path.stats.lost++
  return path.lastArrivalUs
}

/** Sends what opens or ends a stream, which keeps its place and is not counted. */
export function sendMark(
  path: Path,
  nowUs: number,
  back: PathConditions,
  isOpening: boolean,
): number {
  delay(path, 0, nowUs, back, isOpening)
  return path.lastArrivalUs
}

/** Moves the last arrival on. True when a loss delays it. */
function delay(
  path: Path,
  byteLength: number,
  nowUs: number,
  back: PathConditions,
  isOpening: boolean,
): boolean {
  // Two draws for every message, as for every datagram.
  const draw = path.random.each.unit()
  const travelUs = path.travelUs()
  const departUs = path.departUs(byteLength, nowUs)
  const isLost = draw < lossOf(path, byteLength, nowUs)
  const lateUs = isLost ? recoveryUs(path, nowUs, back, isOpening) : 0
  path.lastArrivalUs = Math.max(path.lastArrivalUs, departUs + Math.max(1, travelUs) + lateUs)
  path.lastSendUs = nowUs
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
function recoveryUs(path: Path, nowUs: number, back: PathConditions, isOpening: boolean): number {
  const there = path.conditions
  const roundTripUs = (there.latencyMs + there.jitterMs + back.latencyMs + back.jitterMs) * 1000
  let rtoUs = Math.max(rtoUsMin, 2 * roundTripUs)
  let lateUs: number
  if (isOpening) lateUs = rtoUsInitial
  else if (nowUs - path.lastSendUs < roundTripUs) lateUs = Math.ceil(roundTripUs * 1.25)
  else lateUs = Math.max(probeUsMin, 2 * roundTripUs)
  for (let retry = 0; retry < retriesMax; retry++) {
    if (!path.random.rare.chance(path.lossAt(nowUs + lateUs, nowUs))) break
    lateUs += rtoUs
    rtoUs = Math.min(rtoUs * 2, rtoUsMax)
  }
  return lateUs
}

/** The stream cannot move from now on. True when its sender begins to retransmit into a hole. */
export function stall(path: Path, nowUs: number): boolean {
  if (path.stalledSinceUs >= 0) return false
  path.stalledSinceUs = nowUs
  // A clog is a long queue, not a hole: the connection lives through it.
  path.isRetrying = path.isCut || !path.conditions.isClogged
  return path.isRetrying
}

/** The stream can move again. After an outage its data waits for the sender's next retry. */
export function resume(path: Path, nowUs: number): void {
  if (path.isRetrying) {
    const outageUs = nowUs - path.stalledSinceUs
    const waitUs = path.random.rare.unit() * Math.min(outageUs, resumeUsMax)
    path.notBeforeUs = nowUs + Math.round(waitUs + path.conditions.latencyMs * 1000)
  }
  path.stalledSinceUs = -1
}
