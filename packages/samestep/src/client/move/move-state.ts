import type { Channel } from '../../link/channel.ts'
import type { DoorKind } from '../../wire/messages/doors.ts'

/** Where a second link leads: to a better door, or to the one that every session begins at. */
export type MoveDoor = DoorKind | 'home'

/** A second link on which nothing is settled yet. */
export interface Knocking {
  readonly name: 'greeting' | 'joining' | 'proving'
  readonly link: number
  readonly door: MoveDoor
  /** Whether the link that carries the session works, and hands over. */
  readonly isMove: boolean
  readonly channel: Channel
  readonly untilMs: number
}

/** What there is besides the link that carries the session. */
export type MoveState =
  | { readonly name: 'resting' }
  /** A link was asked for. */
  | {
      readonly name: 'dialling'
      readonly link: number
      readonly door: MoveDoor
      readonly isMove: boolean
      readonly untilMs: number
    }
  | Knocking
  /** The link that carried the session before: what is on its way over it comes first. */
  | {
      readonly name: 'draining'
      readonly link: number
      readonly channel: Channel
      readonly untilMs: number
      /** What the new link brought meanwhile, besides ticks. */
      readonly held: Uint8Array[]
    }
