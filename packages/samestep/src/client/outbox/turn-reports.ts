import { Histogram } from '../../base/histogram.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { TurnReport } from '../../wire/ticks/client-turn.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import type { LoadMeter } from '../pacing/load-meter.ts'

/**
 * The reports that a client regularly sends about itself, and the relay's response. The relay echoes
 * the stamp of the client's clock together with how long it held it, which gives the round-trip time.
 */
export class TurnReports {
  #activity: ClientActivity = 'active'
  #stampedAtMs = Number.NEGATIVE_INFINITY
  #rttMs: number | undefined
  /** When the round-trip time was last measured. */
  measuredAtMs: number | undefined
  /** All measured round-trip times, and how much each differed from the one before. */
  readonly roundTrips = new Histogram()
  readonly jitter = new Histogram()
  /** The relay's newest token. */
  #token: number | undefined

  /** The last measured round-trip time to the relay. */
  get rttMs(): number | undefined {
    return this.#rttMs
  }

  /** The report for a turn that is sent now; `undefined` unless the activity changed or one is due. */
  take(activity: ClientActivity, load: LoadMeter, nowMs: number): TurnReport | undefined {
    const isNews = activity !== this.#activity
    if (!isNews && nowMs - this.#stampedAtMs < stampEveryMs) return undefined
    this.#stampedAtMs = nowMs
    this.#activity = activity
    return {
      stamp: Math.floor(nowMs) % 65_536,
      rttMs: Math.min(Math.round(this.#rttMs ?? 65_535), 65_535),
      activity,
      loadPercent: load.takeReport(nowMs) ?? load.loadPercent,
      token: this.#token,
    }
  }

  /** Handles the relay's token and echo. */
  noteControl({ token, echoStamp, echoHeldMs }: RelayControl, nowMs: number): void {
    if (token !== 0 && token !== this.#token) {
      this.#token = token
      // The next turn returns it, even if no report is due yet.
      this.#stampedAtMs = Number.NEGATIVE_INFINITY
    }
    if (echoHeldMs >= heldUnknownMs) return
    const elapsed = ((((Math.floor(nowMs) % 65_536) - echoStamp) % 65_536) + 65_536) % 65_536
    const rtt = elapsed - echoHeldMs
    if (rtt < 0 || rtt >= 30_000) return
    this.roundTrips.note(rtt)
    if (this.#rttMs !== undefined) this.jitter.note(Math.abs(rtt - this.#rttMs))
    this.#rttMs = rtt
    this.measuredAtMs = nowMs
  }
}

/** How often the round trip is measured. */
const stampEveryMs = 500

/** Sent by a relay that has no stamp of ours, or has held it longer than this field can express. */
const heldUnknownMs = 65_535
