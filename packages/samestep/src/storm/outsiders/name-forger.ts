import type { MessageBody } from '../../wire/messages/messages.ts'
import { tokenOf } from '../actors/gatekeeper.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import type { DoorAnswer, Visit } from './visit.ts'

/** Comes with names that deceive, or that cannot be seen. None of them is ever let in (SEC-05). */
export class NameForger implements Outsider {
  readonly everyMs = 500
  readonly visitsMax = 3
  readonly #doorstep: Doorstep

  constructor(doorstep: Doorstep) {
    this.#doorstep = doorstep
  }

  draw(): MessageBody<'ClientJoin'> | undefined {
    const { random, config, match, name } = this.#doorstep
    const isMatch = random.chance(0.2)
    return {
      match: isMatch ? random.pick(badTexts) : match,
      name: isMatch ? name : random.pick(badTexts),
      role: random.pick(['player', 'spectator']),
      config,
      ticket: randomTicket(random),
      secret: randomSecret(random),
      nextTick: 1,
      token: tokenOf(name),
      software: undefined,
    }
  }

  handleAnswer({ join }: Visit, answer: DoorAnswer): number {
    const { world } = this.#doorstep
    world.always('SEC-05', answer.type !== 'seated', () => {
      return `Somebody was let in as ${JSON.stringify(join.name)} to ${JSON.stringify(join.match)}`
    })
    return 0
  }
}

const badTexts = [
  '',
  ' c0',
  'c0 ',
  'c0\n',
  'c\u00000',
  'c0\u200b',
  '\u202e0c',
  'c\u03010',
  'e\u0301ve',
  '\ufeffc0',
  '\u00a0',
] as const
