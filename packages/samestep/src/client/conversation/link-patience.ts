import { Prng } from '../../base/prng.ts'

/** When to ask for a link, when to give one up, and when to show a sign of life over it. */
export class LinkPatience {
  readonly #retryMs: number
  readonly #prng: Prng | undefined
  #attempts = 0
  #heardAtMs = 0
  #saidAtMs = 0

  /**
   * How long to wait before the first new link; each further one is waited for twice as long. With a
   * seed, each time from half to one and a half times that.
   */
  constructor(retryMs: number, retrySeed?: number) {
    this.#retryMs = retryMs
    this.#prng = retrySeed === undefined ? undefined : new Prng(retrySeed, 'retry')
  }

  noteOpened(nowMs: number): void {
    this.#heardAtMs = nowMs
    this.#saidAtMs = nowMs
  }

  /** The relay let us in: should this link die, the next one is tried soon. */
  noteSeated(): void {
    this.#attempts = 0
  }

  /** Something came. */
  noteHeard(nowMs: number): void {
    this.#heardAtMs = nowMs
  }

  /** Something was sent. */
  noteSaid(nowMs: number): void {
    this.#saidAtMs = nowMs
  }

  /** A link is lost. Gives when to try the next one. */
  noteLost(nowMs: number): number {
    const wait = this.#retryMs * Math.min(2 ** this.#attempts, backoffMax)
    this.#attempts += 1
    const share = this.#prng === undefined ? 1 : 0.5 + this.#prng.u32() / 2 ** 32
    return nowMs + wait * share
  }

  /**
   * When silence means that the link is dead, whatever the transport says. A relay answers a greeting
   * at once, sends every tick of a running match, and who is there while it waits for others.
   */
  get silentAtMs(): number {
    return this.#heardAtMs + silenceMsMax
  }

  /** When something last came. */
  get heardAtMs(): number {
    return this.#heardAtMs
  }

  /** When the relay should hear again that somebody is here. */
  get hereAtMs(): number {
    return this.#saidAtMs + hereEveryMs
  }

  /** What changed is to be told now. */
  hurry(): void {
    this.#saidAtMs = Number.NEGATIVE_INFINITY
  }
}

/** Silence after which a link counts as lost: far above jitter, well below a player's patience. */
const silenceMsMax = 5_000

/** How often a client that has nothing to say shows that it is here. */
const hereEveryMs = 1_000

/** The wait for a link grows up to so many times the first: well below the minute for which a seat is kept. */
const backoffMax = 10
