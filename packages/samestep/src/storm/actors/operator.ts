import type { Prng } from '../../base/prng.ts'
import type { Relay } from '../../relay/relay.ts'
import type { Oracle } from '../checks/oracle.ts'

/** Who runs a relay in a storm: looks in now and then, and removes strangers from their seats. */
export class Operator {
  readonly #prng: Prng
  readonly #oracles: ReadonlyMap<string, Oracle>
  #nextAtMs = 0

  constructor(prng: Prng, oracles: ReadonlyMap<string, Oracle>) {
    this.#prng = prng
    this.#oracles = oracles
  }

  /** Whom to remove now, if it is time to look and somebody is there. */
  pick(relay: Relay, worldMs: number): { match: string; seat: number } | undefined {
    if (worldMs < this.#nextAtMs) return undefined
    this.#nextAtMs = worldMs + this.#prng.below(2 * lookEveryMs)
    for (const [match, { log, sessions }] of relay.matches) {
      const oracle = this.#oracles.get(match)
      // A lobby may wait for everybody, and nobody else is there to take the seat.
      if (oracle === undefined || log.sealedTick === 0) continue
      const stranger = sessions.find(({ seat }) => seat !== undefined && oracle.isStranger(seat))
      if (stranger?.seat !== undefined) return { match, seat: stranger.seat }
    }
    return undefined
  }
}

/** Strangers are to do their harm for a while first. */
const lookEveryMs = 4_000
