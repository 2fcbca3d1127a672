import { WireError } from '../../base/errors.ts'
import type { Channel, ChannelMessage } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { MessageBody } from '../../wire/messages.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages.ts'
import { isRelayBundles } from '../../wire/relay-bundles.ts'
import type { ClientEvent } from '../events.ts'
import type { Membership } from '../membership/membership.ts'
import { SetupError } from '../membership/setup-error.ts'
import type { Conversation } from './conversation.ts'
import type { EndReason } from './end-reason.ts'
import { readEndReason } from './end-reason.ts'
import { checkRelayMessage } from './words.ts'

type Closed = Extract<ClientEvent, { readonly type: 'closed' }>

/** Hears what a relay says, and brings the conversation and the membership where that leads. */
export class Listener<G extends GameShape, R> {
  readonly #conversation: Conversation
  readonly #membership: Membership<G, R>
  readonly #emit: (event: ClientEvent) => void

  constructor(
    conversation: Conversation,
    membership: Membership<G, R>,
    emit: (event: ClientEvent) => void,
  ) {
    this.#conversation = conversation
    this.#membership = membership
    this.#emit = emit
  }

  /** Takes in all messages that came. */
  takeMessages(channel: Channel, timeMs: number): void {
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (this.#conversation.isClosed) return
      if (!this.guard(() => this.#handle(channel, next as ChannelMessage, timeMs), timeMs)) return
    }
    if (channel.state.name === 'closed') this.loseLink(timeMs)
  }

  /** Does something with a relay's bytes. False when they, or the game, made that the end. */
  guard(action: () => void, timeMs: number): boolean {
    try {
      action()
      return true
    } catch (error) {
      if (error instanceof SetupError) {
        this.#fail('setup-failed', error.message, { error: error.cause }, timeMs)
        // The one place where a stranger's bytes end.
      } else if (error instanceof WireError) this.#fail('bad-message', error.message, {}, timeMs)
      else throw error
      return false
    }
  }

  /** The link is lost, or given up. */
  loseLink(timeMs: number): void {
    const need = this.#conversation.loseLink(timeMs)
    if (need !== undefined) this.#emit({ type: need })
  }

  /** It is over. */
  end(reason: EndReason, message: string, why: Pick<Closed, 'refusal' | 'error'> = {}): void {
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#conversation.end(reason, message)
    this.#membership.running?.orders.loseAll()
    this.#emit({ type: 'closed', reason, message, ...why })
  }

  #handle(channel: Channel, { bytes, lane }: ChannelMessage, timeMs: number): void {
    const { state } = this.#conversation
    if (isRelayBundles(bytes)) {
      const isLate = lane === 'late'
      // Ticks may overtake the answer to our join on datagrams; they are repeated until confirmed.
      if (state.name === 'seated') this.#membership.running?.handleBundles(bytes, isLate, timeMs)
      return
    }
    const message = decodeMessage(bytes)
    switch (message.name) {
      case 'RelayWelcome':
        if (state.name === 'greeting') this.#join(channel, timeMs)
        return
      case 'RelayChallenge':
        if (state.name === 'joining') this.#prove(channel, message.body, timeMs)
        return
      case 'RelayRecover':
        if (state.name !== 'joining') return
        for (const answer of this.#membership.recover(message.body)) {
          channel.sendControl(answer, timeMs)
        }
        return
      case 'RelaySeated':
        if (state.name !== 'joining') return
        this.#conversation.sit(channel)
        this.#membership.sit(message.body, timeMs)
        return
      case 'RelayRefuse': {
        const { reason, message: text } = message.body
        this.end(readEndReason(reason), text, { refusal: message.body })
        return
      }
      case 'RelayClose':
        this.end(readEndReason(message.body.reason), message.body.message)
        return
      default:
        // What is for those who are in may overtake the word that we are.
        if (state.name === 'seated') this.#membership.handle(message, timeMs)
        else checkRelayMessage(message.name)
    }
  }

  #join(channel: Channel, timeMs: number): void {
    const request = encodeMessage('ClientJoin', this.#membership.joinBody())
    this.#conversation.join(channel, request, timeMs)
  }

  #prove(channel: Channel, body: MessageBody<'RelayChallenge'>, timeMs: number): void {
    channel.sendControl(encodeMessage('ClientProof', this.#membership.proofBody(body)), timeMs)
  }

  #fail(reason: EndReason, message: string, why: Pick<Closed, 'error'>, timeMs: number): void {
    this.#conversation.hangUp(timeMs)
    this.end(reason, message, why)
  }
}
