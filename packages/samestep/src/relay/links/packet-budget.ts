import { TokenBucket } from '../../base/token-bucket.ts'
import { datagramBytesMax } from '../../wire/limits.ts'

/**
 * How much one link may send, whatever the content (SEC-08, T-36): the first check on every packet.
 * Budgets of orders, wishes and chat come later; this one bounds the cost of everything else, such as
 * turns and signs of life.
 *
 * A client sends about two packets per tick. Three times as many are allowed, because networks
 * duplicate packets. The burst is what a line stalled for 20 s delivers at once. A packet counts
 * once, and once more for each 1 200 bytes, so that large ones on a stream count by their size.
 */
export class PacketBudget {
  readonly #bucket: TokenBucket
  /** Packets that the relay asked for, which are free. */
  #granted = 0

  /** Starts with the budget of a client outside a match: a handshake, with its repetitions. */
  constructor(nowMs: number) {
    this.#bucket = new TokenBucket(burstOf(0), perSecondOf(0), nowMs)
  }

  /** Adapts the budget to the pace of the link's match. */
  setPace(ticksPerSecond: number, nowMs: number): void {
    const ticks = Math.ceil(ticksPerSecond)
    this.#bucket.resize(burstOf(ticks), perSecondOf(ticks), nowMs)
  }

  /** Counts a packet. Returns false if it is one too many. */
  take(bytes: number, nowMs: number): boolean {
    const packets = 1 + Math.floor(bytes / datagramBytesMax)
    if (this.#granted === 0) return this.#bucket.take(packets, nowMs)
    const free = Math.min(packets, this.#granted)
    this.#granted -= free
    return free === packets || this.#bucket.take(packets - free, nowMs)
  }

  /** The relay asked for `bytes` bytes: the packets that bring them are free. */
  grant(bytes: number): void {
    const packets = grantedPer(bytes)
    this.#granted = Math.min(this.#granted + packets, grantedMax)
  }
}

/** Full datagrams count twice, and each has a head; the 4 is for what a stream adds. */
function grantedPer(bytes: number): number {
  return 4 + 2 * Math.ceil(bytes / (datagramBytesMax - 64))
}

/** Packets granted to one link at once, at most: some chunks of a state, and its manifest. */
const grantedMax = 512

/** The fault of a link that sends more. */
export const floodFault = {
  reason: 'rate',
  message: 'Your client sends more packets than any game needs',
} as const

/** Packets per tick, over a long time: three times what an honest client sends. */
const packetsPerTick = 6

/** Additional packets per second: signs of life, wishes, acknowledgements while nothing is sealed. */
const packetsPerSecond = 60

/** What arrives at once after a line stalled: two packets per tick for 20 s, and other packets. */
const burstTicks = 40
const burstPackets = 480

function perSecondOf(ticksPerSecond: number): number {
  return packetsPerSecond + packetsPerTick * ticksPerSecond
}

function burstOf(ticksPerSecond: number): number {
  return burstPackets + burstTicks * ticksPerSecond
}
