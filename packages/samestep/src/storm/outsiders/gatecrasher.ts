import type { MessageBody } from '../../wire/messages/messages.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import type { DoorAnswer, Visit } from './visit.ts'

/**
 * Wants into the match with no token, or with one that nobody gave it. From the first moment on, while
 * seats are free. Being let in breaks T-111.
 */
export class Gatecrasher implements Outsider {
  readonly everyMs = 400
  readonly visitsMax = 4
  readonly #doorstep: Doorstep

  constructor(doorstep: Doorstep) {
    this.#doorstep = doorstep
  }

  draw(): MessageBody<'ClientJoin'> | undefined {
    const { random, config, match, isAuthorizing } = this.#doorstep
    // Where nobody decides, everybody is welcome.
    if (!isAuthorizing) return undefined
    return {
      match,
      name: random.pick(['c0', 'mallory']),
      role: random.pick(['player', 'spectator']),
      config,
      ticket: randomTicket(random),
      secret: randomSecret(random),
      nextTick: 1,
      token: random.pick([undefined, '', 'pass:', 'pass:nobody', 'fail:c0', ' pass:c0']),
      software: undefined,
    }
  }

  handleAnswer(_visit: Visit, answer: DoorAnswer): number {
    const { world } = this.#doorstep
    world.always('T-111', answer.type !== 'seated', 'Somebody without a valid token was let in')
    world.sometimes('a bad token was refused', answer.type === 'refused')
    return 0
  }
}
