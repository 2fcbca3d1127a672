/**
 * The answer to `/health`, made at most four times per second. With workers all of them are asked for
 * each; whoever asks in between gets the same bytes, and whoever asks meanwhile waits for them.
 */
import type { RelayStatus } from '../relay-server.ts'

/** How long an answer is good. Orchestrators ask every few seconds. */
const freshMs = 250

/** An answer as it goes out. */
export interface HealthAnswer {
  readonly status: number
  readonly body: Buffer
}

/** The cached answer to `/health`. */
export class HealthPage {
  readonly #askStatus: () => Promise<RelayStatus>
  readonly #nowMs: () => number
  #answer: Promise<HealthAnswer> | undefined
  #untilMs = Number.NEGATIVE_INFINITY

  constructor(askStatus: () => Promise<RelayStatus>, nowMs = () => performance.now()) {
    this.#askStatus = askStatus
    this.#nowMs = nowMs
  }

  /** Rejects when the status does; then the next one asks anew. */
  answer(): Promise<HealthAnswer> {
    const nowMs = this.#nowMs()
    if (this.#answer === undefined || nowMs >= this.#untilMs) {
      this.#untilMs = nowMs + freshMs
      this.#answer = this.#make()
      this.#answer.catch(() => this.forget())
    }
    return this.#answer
  }

  /** The relay is not what it was: the next one asks anew. */
  forget(): void {
    this.#answer = undefined
  }

  async #make(): Promise<HealthAnswer> {
    const { counters, workers, ...status } = await this.#askStatus()
    const { faults, troubles } = counters
    // Everybody may ask, and process ids are nobody's business.
    const shares = workers?.map(({ pid: _, ...share }) => share)
    const text = `${JSON.stringify({ ...status, workers: shares, faults, troubles })}\n`
    return { status: status.status === 'ok' ? 200 : 503, body: Buffer.from(text) }
  }
}
