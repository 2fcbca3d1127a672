import type { Prng } from '../../base/prng.ts'
import type { AuthorizationAnswer, AuthorizationRequest } from '../../relay/links/authorization.ts'
import { authorizeMsMax } from '../../relay/links/authorization.ts'
import type { World } from '../engine/world.ts'

/** The token that lets somebody in, in the world of storms. */
export function tokenOf(name: string): string {
  return `pass:${name}`
}

/**
 * Whoever decides about joins, somewhere behind the relay: mostly quick, now and then slow, sometimes
 * later than the relay waits, and rarely not at all.
 */
export class Gatekeeper {
  readonly #world: World
  readonly #random: Prng
  readonly #isKnown: (name: string) => boolean
  #isQuick = false

  constructor(world: World, isKnown: (name: string) => boolean) {
    this.#world = world
    this.#isKnown = isKnown
    this.#random = world.random('gatekeeper')
  }

  /** From here on every answer comes in time. */
  calmDown(): void {
    this.#isQuick = true
  }

  /** After how many ms the answer comes; `Infinity` for never. */
  drawDelayMs(): number {
    const random = this.#random
    const quickMs = random.logUniform(1, 500)
    const lateMs = authorizeMsMax + random.logUniform(1, 2_000)
    const draw = random.below(100)
    if (this.#isQuick || draw < 80) return quickMs
    this.#world.sometimes('an answer about a join came late')
    return draw < 97 ? lateMs : Number.POSITIVE_INFINITY
  }

  answer({ token }: AuthorizationRequest): AuthorizationAnswer {
    const name = token?.startsWith('pass:') === true ? token.slice(5) : ''
    if (!this.#isKnown(name)) return { refused: 'Nobody gave you this token' }
    return { identity: name }
  }
}
