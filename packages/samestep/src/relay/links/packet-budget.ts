import { TokenBucket } from '../../base/token-bucket.ts'
import { datagramBytesMax } from '../../wire/limits.ts'

/**
 * What one link may send, whatever is in it (SEC-08, T-36): the first thing that a packet is asked about.
 * Budgets of orders, wishes and chat come behind it; this one bounds what everything else costs, such as
 * turns and signs of life.
 *
 * A client sends about two packets per tick. Three times as many are allowed, for copies that the
 * network makes; and at once, what 20 s of a held-up line bring. A packet counts once, and once more
 * for each 1 200 bytes, so that large ones on a stream count as what they are.
 */
export class PacketBudget {
  readonly #bucket: TokenBucket
  /** Packets that were asked for, and are free. */
  #granted = 0

  /** For somebody who is not in a match: a handshake, with its repetitions. */
  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(burstOf(0), perSecondOf(0), nowMs)
  }

  /** Follows the pace of the match that the link is in. */
  setPace(ticksPerSecond: number, nowMs: number): void {
    const ticks = Math.ceil(ticksPerSecond)
    this.#bucket.resize(burstOf(ticks), perSecondOf(ticks), nowMs)
  }

  /** Counts a packet. False when it is one too many. */
  take(bytes: number, nowMs: number): boolean {
    const packets = 1 + Math.floor(bytes / datagramBytesMax)
    if (this.#granted === 0) return this.#bucket.take(packets, nowMs)
    const free = Math.min(packets, this.#granted)
    this.#granted -= free
    return free === packets || this.#bucket.take(packets - free, nowMs)
  }

  /** So many bytes were asked for: what brings them counts for nothing. */
  grant(bytes: number): void {
    const packets = grantedPer(bytes)
    this.#granted = Math.min(this.#granted + packets, grantedMax)
  }
}

/** Full datagrams count twice, and each carries some head; and whatever a stream puts around it. */
function grantedPer(bytes: number): number {
  return 4 + 2 * Math.ceil(bytes / (datagramBytesMax - 64))
}

/** What is asked of one link at once, at most: some chunks of a state, and what says which there are. */
const grantedMax = 512

/** What is said to who sends more. */
export const floodFault = {
  reason: 'rate',
  message: 'Your client sends more packets than any game needs',
} as const

/** Packets per tick, over a long time: three times what an honest client sends. */
const packetsPerTick = 6

/** Packets per second besides: signs of life, wishes, acknowledgements while nothing is sealed. */
const packetsPerSecond = 60

/** What comes at once after a line was held up: two packets per tick for 20 s, and the rest of them. */
const burstTicks = 40
const burstPackets = 480

function perSecondOf(ticksPerSecond: number): number {
  return packetsPerSecond + packetsPerTick * ticksPerSecond
}

function burstOf(ticksPerSecond: number): number {
  return burstPackets + burstTicks * ticksPerSecond
}
