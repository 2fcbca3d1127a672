import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Message } from '../../wire/messages/messages.ts'
import type { RunningMatch } from './running-match.ts'

const names = {
  RelayAskState: true,
  RelayChunk: true,
  RelayFetch: true,
  RelayManifest: true,
  RelayProbe: true,
  RelaySeat: true,
  RelayTag: true,
} as const

/** Messages about the match itself, other than ticks. Clients without a running match ignore them. */
export type MatchMessage = Extract<Message, { name: keyof typeof names }>

/** Whether a message is about the match itself. */
export function isMatchMessage(message: { readonly name: string }): message is MatchMessage {
  return Object.hasOwn(names, message.name)
}

/** Passes a message to the part of the match that handles it. */
export function handleMatchMessage<G extends GameShape, R>(
  running: RunningMatch<G, R> | undefined,
  message: MatchMessage,
  nowMs: number,
): void {
  if (running === undefined) return
  const { probes, recovery } = running
  const { donor, joiner } = running.states
  switch (message.name) {
    case 'RelayAskState':
      donor.handleAsk(message.body.tick)
      return
    case 'RelayFetch':
      donor.handleFetch(message.body, nowMs)
      return
    case 'RelayProbe':
      probes.handleProbe(message.body, nowMs)
      return
    case 'RelayManifest':
      joiner?.handleManifest(message.body, nowMs)
      return
    case 'RelayChunk':
      joiner?.handleChunk(message.body, nowMs)
      return
    case 'RelaySeat':
      running.hearSeat(message.body)
      return
    case 'RelayTag':
      recovery.keep.handleTag(message.body)
      return
    default:
      message satisfies never
  }
}
