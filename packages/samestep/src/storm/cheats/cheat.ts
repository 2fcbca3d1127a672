import type { Prng } from '../../base/prng.ts'
import type { Client } from '../../client/client.ts'
import type { Channel } from '../../link/channel.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { RoomAction } from '../../wire/messages/room-actions.ts'
import type { RoomPlan } from '../actors/room-habits.ts'
import type { Oracle } from '../checks/oracle.ts'
import type { World } from '../engine/world.ts'

/** What a cheat may use of whoever carries it out. */
export interface Cheater {
  readonly world: World
  readonly oracle: Oracle
  readonly client: Client
  readonly random: Prng
  readonly name: string
  readonly room: RoomPlan
  /** The time of the client, whose channel is used behind its back. */
  readonly timeMs: number
  /** Asks for something, as the client would. */
  say(channel: Channel, action: RoomAction): void
  /** Keeps back whatever the client sends for so long, and then lets it go. */
  hold(forMs: number): void
}

/** One thing that no client does. */
export interface Cheat {
  /** Mean time between two misdeeds. */
  readonly everyMs: number
  /** Does it once. False when nothing wrong was done. */
  commit(channel: Channel): boolean
  /** Takes the place of the client's channel. */
  wrap?(channel: Channel): Channel
  /** Something is voted on, or is not any more. */
  handleVote?(body: MessageBody<'RelayVote'>): void
}
