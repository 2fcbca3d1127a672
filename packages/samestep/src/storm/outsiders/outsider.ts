import type { Prng } from '../../base/prng.ts'
import type { MatchConfig, MessageBody } from '../../wire/messages/messages.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { World } from '../engine/world.ts'
import type { RelayCaps } from '../plan/storm-knobs.ts'
import type { DoorAnswer, Visit } from './visit.ts'

/** What somebody outside may use of the actor that carries it out. */
export interface Doorstep {
  readonly world: World
  readonly oracle: Oracle
  readonly random: Prng
  /** What a match has to be for this game. */
  readonly config: MatchConfig
  /** What everybody else plays in. */
  readonly match: string
  readonly name: string
  /** Whether somebody decides about joins. */
  readonly isAuthorizing: boolean
  readonly caps: RelayCaps | null
}

/** Somebody who has no business in the match, and knocks again and again. */
export interface Outsider {
  /** Mean time between two visits. */
  readonly everyMs: number
  /** Links that it has at once. */
  readonly visitsMax: number
  /** What the next visit asks for; `undefined` for none now. */
  draw(): MessageBody<'ClientJoin'> | undefined
  /** The relay answered. Gives for how long a visit that was let in stays. */
  handleAnswer(visit: Visit, answer: DoorAnswer): number
}
