import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Message } from '../../wire/messages/messages.ts'
import type { RunningMatch } from './running-match.ts'

const names = {
  RelayAskState: true,
  RelayChunk: true,
  RelayFetch: true,
  RelayManifest: true,
  RelayProbe: true,
  RelayTag: true,
} as const

/** What a relay says about the match itself, beside ticks: nobody who has none yet is concerned. */
export type MatchMessage = Extract<Message, { name: keyof typeof names }>

/** Whether a message is about the match itself. */
export function isMatchMessage(message: { readonly name: string }): message is MatchMessage {
  return Object.hasOwn(names, message.name)
}

/** Gives a message to the part of a match that it is for. */
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
    case 'RelayTag':
      recovery.keep.handleTag(message.body)
      return
    default:
      message satisfies never
  }
}
