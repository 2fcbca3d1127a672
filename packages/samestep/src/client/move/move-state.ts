import type { Channel } from '../../link/channel.ts'
import type { DoorKind } from '../../wire/messages/doors.ts'

/** Where a second link leads: to a better door, or home, to the one where every session begins. */
export type MoveDoor = DoorKind | 'home'

/** A second link that is open, but not accepted by the relay yet. */
export interface Knocking {
  readonly name: 'greeting' | 'joining' | 'proving'
  readonly link: number
  readonly door: MoveDoor
  /** Whether the link that carries the session still works and hands over. */
  readonly isMove: boolean
  readonly channel: Channel
  readonly untilMs: number
}

/** The state of the second link. */
export type MoveState =
  | { readonly name: 'resting' }
  /** A link was requested. */
  | {
      readonly name: 'dialling'
      readonly link: number
      readonly door: MoveDoor
      readonly isMove: boolean
      readonly untilMs: number
    }
  | Knocking
  /** The link that carried the session before: what is still in flight on it comes first. */
  | {
      readonly name: 'draining'
      readonly link: number
      readonly channel: Channel
      readonly untilMs: number
      /** Messages other than ticks that arrived over the new link meanwhile. */
      readonly held: Uint8Array[]
    }
