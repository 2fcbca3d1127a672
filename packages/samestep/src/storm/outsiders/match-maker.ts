import type { MessageBody } from '../../wire/messages/messages.ts'
import { tokenOf } from '../actors/gatekeeper.ts'
import { randomSecret, randomTicket } from '../actors/session-keys.ts'
import type { Doorstep, Outsider } from './outsider.ts'
import type { DoorAnswer, Visit } from './visit.ts'

/**
 * Fills the relay with matches of its own: makes one after the other, stays in some, and leaves others to
 * run on without anybody. It gets as many as one address may have, and is refused the rest (T-110).
 */
export class MatchMaker implements Outsider {
  readonly everyMs = 150
  readonly visitsMax = 12
  readonly #doorstep: Doorstep
  /** When it got each of its matches, in the world's time. */
  readonly #madeAtMs: number[] = []
  #count = 0

  constructor(doorstep: Doorstep) {
    this.#doorstep = doorstep
  }

  /** Once the others have their match: whether they find room is not what this is about. */
  draw(): MessageBody<'ClientJoin'> | undefined {
    const { oracle, random, config, name } = this.#doorstep
    if (oracle.sealedTick === 0) return undefined
    // Alone in one of a single seat, it begins at once, and is kept when its maker is gone.
    const seats = random.chance(0.5) ? 1 : config.seats
    const lobby = { ...config.lobby, playersMin: Math.min(config.lobby.playersMin, seats) }
    this.#count += 1
    return {
      match: `junk-${this.#count}`,
      name,
      role: 'player',
      config: { ...config, seats, lobby },
      ticket: randomTicket(random),
      secret: randomSecret(random),
      nextTick: 1,
      token: tokenOf(name),
      software: undefined,
    }
  }

  handleAnswer(_visit: Visit, answer: DoorAnswer): number {
    const { world, random, caps } = this.#doorstep
    if (answer.type !== 'seated') {
      const isCapped = answer.reason === 'rate' || answer.reason === 'match-full'
      world.sometimes('a match maker was refused', isCapped)
      return 0
    }
    this.#madeAtMs.push(world.nowMs)
    const lately = this.#madeAtMs.filter((atMs) => atMs > world.nowMs - 60_000).length
    // As many at once as come in a minute; answers come late, and bring earlier ones along.
    const most = 2 * (caps?.matchesPerMinute ?? Number.POSITIVE_INFINITY)
    world.always('T-110', lately <= most + 1 || this.#doorstep.oracle.isDisturbed, () => {
      return `One address made ${lately} matches in a minute, of which ${most} are allowed`
    })
    return random.logUniform(50, 20_000)
  }
}
