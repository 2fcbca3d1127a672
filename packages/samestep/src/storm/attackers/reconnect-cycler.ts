import type { Attack, AttackEnd, Attacker } from './attack.ts'

/**
 * Comes back with its own ticket and the right proof, and drops the link as soon as it is in: every time
 * the relay has to begin anew. After 20 returns it is refused (T-67).
 */
export class ReconnectCycler implements Attack {
  // It may come back five times per minute besides, and some attempts never get as far.
  readonly end: AttackEnd = { rule: 'T-67', reasons: ['reconnect-budget'], misdeedsMin: 32 }
  readonly #attacker: Attacker

  constructor(attacker: Attacker) {
    this.#attacker = attacker
  }

  act(): void {
    this.#attacker.reconnect(1 + this.#attacker.random.below(100))
  }
}
