import type { Message } from '../../wire/messages/messages.ts'
import { messageTypes } from '../../wire/messages/messages.ts'

const names = {
  ClientState: true,
  ClientManifest: true,
  ClientChunk: true,
  ClientFetch: true,
  ClientLoaded: true,
} as const

/** What members say about states. */
export type StateMessage = Extract<Message, { name: keyof typeof names }>

const numbers = new Set<number>(
  Object.keys(names).map((name) => messageTypes[name as keyof typeof names].number),
)

/** Whether bytes, which may be of anybody, begin as a message about a state does. */
export function isStateBytes(bytes: Uint8Array): boolean {
  return numbers.has(bytes[0] ?? -1)
}

/** Whether a message is about a state. */
export function isStateMessage(message: { readonly name: string }): message is StateMessage {
  return Object.hasOwn(names, message.name)
}
