/**
 * Lets packets gather before they are read. Those of many players trickle in one by one, and a process
 * that is woken for each of them spends much on waking up. So when few came, it rests for half a
 * millisecond, far below what anybody feels, and reads together what came meanwhile.
 *
 *     packets     │ │  │ │ │   │ │ │  │ │ │
 *     without     ▲ ▲  ▲ ▲ ▲   ▲ ▲ ▲  ▲ ▲ ▲      a wake-up each
 *     with        ▲·····▲·······▲·······▲        ····· rests
 *
 * With 400 players it wakes up a tenth as often, and a player-tick takes 4 to 7 % less CPU (medians of
 * 8 to 34 rounds in turns). It rests only while that saves something: not when a tick is near, not when
 * many packets came at once, as they do on a busy machine, and hardly ever where rests bring nothing.
 */

/** What it works with. */
export interface PacketRestOptions {
  /** How long a rest lasts; 0 for none. */
  readonly restMs: number
  nowMs(): number
  /** When the next tick or timer is due. */
  wakeAtMs(): number
  /** Calls back when the packets that are here were all read. */
  afterReads?(callback: () => void): void
  /** Stops this thread. */
  sleep?(durationMs: number): void
}

/** In ms, with turbo where nobody says otherwise. Not every system can sleep for so short a time. */
export const restMsDefault = process.platform === 'linux' ? 0.5 : 0

/** More packets than that at once need no help. */
export const fewPackets = 8

/** How often a rest is tried where rests bring nothing: after so many chances for one. */
const skipsMax = 64

/** A rest that lasts longer by that much is too long, and so many of them in a row are the last. */
const overshootMs = 2
const overshootsMax = 3

/** Decides when the thread rests, and for how long. */
export class PacketRest {
  readonly #options: Required<PacketRestOptions>
  readonly #handleRead = (): void => this.#settle()
  #isOff: boolean
  #packets = 0
  #hasRested = false
  /** Chances that are let go, and how many were let go last time. */
  #skips = 0
  #skipped = 0
  #overshoots = 0

  constructor(options: PacketRestOptions) {
    this.#options = { afterReads: setImmediate, sleep: sleepThread, ...options }
    this.#isOff = options.restMs === 0
  }

  /** A packet came. */
  notePacket(): void {
    if (this.#isOff) return
    this.#packets += 1
    if (this.#packets === 1) this.#options.afterReads(this.#handleRead)
  }

  #settle(): void {
    const { restMs, nowMs, wakeAtMs } = this.#options
    const packets = this.#packets
    this.#packets = 0
    if (this.#hasRested) this.#judge(packets)
    if (packets > fewPackets) return
    if (this.#skips > 0) this.#skips -= 1
    else if (wakeAtMs() - nowMs() > restMs) this.#rest()
  }

  /** Whether the last rest was worth it: one packet would have come by itself. */
  #judge(packets: number): void {
    this.#hasRested = false
    this.#skipped = packets > 1 ? 0 : Math.min(2 * this.#skipped + 1, skipsMax)
    this.#skips = this.#skipped
  }

  #rest(): void {
    const { restMs, nowMs, sleep } = this.#options
    const startMs = nowMs()
    sleep(restMs)
    this.#hasRested = true
    const isLong = nowMs() - startMs > restMs + overshootMs
    this.#overshoots = isLong ? this.#overshoots + 1 : 0
    // A system that cannot sleep for so short a time would make every tick late.
    if (this.#overshoots === overshootsMax) this.#isOff = true
  }
}

const nobody = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))

/** Nobody ever wakes it before its time. */
function sleepThread(durationMs: number): void {
  Atomics.wait(nobody, 0, 0, durationMs)
}
