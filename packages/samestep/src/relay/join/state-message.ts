import type { Message } from '../../wire/messages/messages.ts'

const names = {
  ClientState: true,
  ClientManifest: true,
  ClientChunk: true,
  ClientFetch: true,
  ClientLoaded: true,
} as const

/** What members say about states. */
export type StateMessage = Extract<Message, { name: keyof typeof names }>

/** Whether a message is about a state. */
export function isStateMessage(message: { readonly name: string }): message is StateMessage {
  return Object.hasOwn(names, message.name)
}
