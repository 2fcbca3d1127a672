import type { MessageBody } from '../../wire/messages/messages.ts'
import { tokenOf } from '../actors/gatekeeper.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import type { DoorAnswer, Visit } from './visit.ts'

/**
 * One person who comes to watch on several machines at once, each with a ticket of its own. The newest
 * takes over from the one before: one identity has one place (T-111).
 */
export class Twin implements Outsider {
  readonly everyMs = 1_500
  readonly visitsMax = 3
  readonly #doorstep: Doorstep
  #member: number | undefined

  constructor(doorstep: Doorstep) {
    this.#doorstep = doorstep
  }

  draw(): MessageBody<'ClientJoin'> | undefined {
    const { random, config, match, name, oracle, isAuthorizing } = this.#doorstep
    if (!isAuthorizing || oracle.sealedTick === 0) return undefined
    return {
      match,
      name,
      role: 'spectator',
      config,
      ticket: randomTicket(random),
      secret: randomSecret(random),
      nextTick: 1,
      token: tokenOf(name),
      software: undefined,
    }
  }

  handleAnswer(_visit: Visit, answer: DoorAnswer): number {
    const { world, random } = this.#doorstep
    if (answer.type === 'seated') {
      world.sometimes('one identity came twice', this.#member === answer.body.member)
      this.#member = answer.body.member
    }
    return random.logUniform(500, 20_000)
  }
}
