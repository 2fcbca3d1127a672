import { proofBytes } from '../../wire/messages/return-proof.ts'
import type { Attack, Attacker, Claim } from './attack.ts'
import { noiseOf } from './noise.ts'

/**
 * Asks for the session of the first player, who stays to the end and whose ticket it knows. It has not
 * the secret, and answers with its own or with noise. Being let in breaks T-68.
 */
export class TicketThief implements Attack {
  readonly #attacker: Attacker
  #isStealing = false

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  get comesBack(): boolean {
    return this.#isStealing
  }

  /** Its own link is given up for one over which it asks for the session of its victim. */
  act(): void {
    this.#isStealing = true
    this.#attacker.reconnect(500)
  }

  claim(): Claim | undefined {
    const { oracle } = this.#attacker
    const ticket = oracle.clients[0]?.ticket
    if (!this.#isStealing || ticket === undefined) return undefined
    return { ticket, nextTick: Math.max(oracle.sealedTick, 1) }
  }

  prove(): Uint8Array | undefined {
    const { world, random } = this.#attacker
    world.sometimes('a thief was asked for a proof', this.#isStealing)
    return this.#isStealing && random.chance(0.2) ? noiseOf(random, proofBytes) : undefined
  }

  handleSeated(): void {
    const { world } = this.#attacker
    world.always('T-68', !this.#isStealing, 'A thief was given the seat of his victim')
  }
}
