import type { Message } from '../../wire/messages/messages.ts'
import type { StateMessage } from '../join/state-message.ts'
import { isStateMessage } from '../join/state-message.ts'

const names = {
  ClientAct: true,
  ClientBotInput: true,
  ClientBotOrders: true,
  ClientHere: true,
} as const

/** What members send about the room, and as a sign of life. */
export type RoomMessage = Extract<Message, { name: keyof typeof names }>

/** What members may send besides turns and a farewell. */
export type MemberMessage = RoomMessage | StateMessage | ProbeMessage

/** How members answer questions about a desync. */
type ProbeMessage = Extract<Message, { name: 'ClientProbe' }>

/** Whether a message is one that members may send. */
export function isMemberMessage(message: { readonly name: string }): message is MemberMessage {
  if (message.name === 'ClientProbe') return true
  return Object.hasOwn(names, message.name) || isStateMessage(message)
}
