import type { Message } from '../../wire/messages/messages.ts'
import type { StateMessage } from '../join/state-message.ts'
import { isStateMessage } from '../join/state-message.ts'

const names = {
  ClientAct: true,
  ClientBotInput: true,
  ClientBotOrders: true,
  ClientHere: true,
} as const

/** What members say about the room, and that they are there. */
export type RoomMessage = Extract<Message, { name: keyof typeof names }>

/** What members may send besides turns, and a farewell. */
export type MemberMessage = RoomMessage | StateMessage | ProbeMessage

/** What members answer when they are asked about a desync. */
type ProbeMessage = Extract<Message, { name: 'ClientProbe' }>

/** Whether a message is for members to send. */
export function isMemberMessage(message: { readonly name: string }): message is MemberMessage {
  if (message.name === 'ClientProbe') return true
  return Object.hasOwn(names, message.name) || isStateMessage(message)
}
