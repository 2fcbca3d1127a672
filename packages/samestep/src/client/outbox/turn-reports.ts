import { Histogram } from '../../base/histogram.ts'
import type { ClientActivity } from '../../wire/codes.ts'
import type { TurnReport } from '../../wire/ticks/client-turn.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import type { LoadMeter } from '../pacing/load-meter.ts'

/**
 * What a client tells the relay about itself now and then, and what comes back of it: a stamp of its
 * own clock returns with the time that the relay held it, which gives the round trip.
 */
export class TurnReports {
  #activity: ClientActivity = 'active'
  #stampedAtMs = Number.NEGATIVE_INFINITY
  #rttMs: number | undefined
  /** When a round trip was last measured. */
  measuredAtMs: number | undefined
  /** All round trips that were measured, and by how much each differed from the one before. */
  readonly roundTrips = new Histogram()
  readonly jitter = new Histogram()
  /** The relay's newest token. */
  #token: number | undefined

  /** The round trip to the relay and back, as last measured. */
  get rttMs(): number | undefined {
    return this.#rttMs
  }

  /** The report for a turn that goes out now, when there is news or it is time for one. */
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

  /** Takes in what came back. */
  noteControl({ token, echoStamp, echoHeldMs }: RelayControl, nowMs: number): void {
    if (token !== 0 && token !== this.#token) {
      this.#token = token
      // It goes back at once, whatever our own clock says.
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

/** What a relay says that holds no stamp of ours, or one that is too old to tell. */
const heldUnknownMs = 65_535
