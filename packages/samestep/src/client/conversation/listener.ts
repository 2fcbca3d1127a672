import { WireError } from '../../base/errors.ts'
import type { Channel, ChannelMessage } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { DoorKind } from '../../wire/doors.ts'
import type { Message, MessageBody } from '../../wire/messages.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages.ts'
import { isRelayBundles } from '../../wire/relay-bundles.ts'
import type { ClientEvent } from '../events.ts'
import type { Membership } from '../membership/membership.ts'
import { SetupError } from '../membership/setup-error.ts'
import { Mover } from '../move/mover.ts'
import type { Conversation, LinkNeed } from './conversation.ts'
import type { EndReason } from './end-reason.ts'
import { readEndReason } from './end-reason.ts'
import { checkRelayMessage } from './words.ts'

type Closed = Extract<ClientEvent, { readonly type: 'closed' }>

/** Hears what a relay says, and brings the conversation and the membership where that leads. */
export class Listener<G extends GameShape, R> {
  readonly #conversation: Conversation
  readonly #membership: Membership<G, R>
  readonly #emit: (event: ClientEvent) => void
  /** Where there may be a second link. */
  mover: Mover<G, R> | undefined

  constructor(
    conversation: Conversation,
    membership: Membership<G, R>,
    emit: (event: ClientEvent) => void,
  ) {
    this.#conversation = conversation
    this.#membership = membership
    this.#emit = emit
  }

  /** Makes what moves the session from link to link. */
  makeMover(doors: readonly DoorKind[], seed: number | undefined, hello: Uint8Array): Mover<G, R> {
    const mover = new Mover<G, R>({
      conversation: this.#conversation,
      membership: this.#membership,
      ...{ doors, seed, hello },
      emit: this.#emit,
      handleMessage: (message, timeMs) => {
        const { seatedChannel } = this.#conversation
        if (seatedChannel !== undefined) this.handleMessage(message, seatedChannel, timeMs)
      },
      guard: (action, timeMs) => this.guard(action, timeMs),
      loseLink: (timeMs) => this.loseLink(timeMs),
    })
    this.mover = mover
    return mover
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
    this.tell(this.#conversation.loseLink(timeMs), timeMs)
  }

  /** Passes on what the conversation needs, unless there is another link for it. */
  tell(need: LinkNeed, timeMs: number): void {
    const other = need === 'link-lost' ? this.mover?.handleMainLost() : undefined
    if (other !== undefined) this.#conversation.inherit(other, timeMs)
    if (need === 'want-link') this.#emit({ type: need, link: this.#conversation.link })
    else if (need !== undefined) this.#emit({ type: need })
  }

  /** It is over. */
  end(reason: EndReason, message: string, why: Pick<Closed, 'refusal' | 'error'> = {}): void {
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#conversation.end(reason, message)
    this.mover?.abandon()
    this.#membership.running?.orders.loseAll()
    this.#emit({ type: 'closed', reason, message, ...why })
  }

  #handle(channel: Channel, { bytes, lane }: ChannelMessage, timeMs: number): void {
    const { state } = this.#conversation
    if (isRelayBundles(bytes)) {
      const isLate = lane === 'late'
      // Ticks may overtake the answer to our join on datagrams; they are repeated until confirmed.
      if (state.name === 'seated') this.mover?.takeTicks(bytes, isLate, timeMs)
      return
    }
    const message = decodeMessage(bytes)
    const isEnd = message.name === 'RelayClose' || message.name === 'RelayRefuse'
    if (!isEnd && this.mover?.holds(bytes, timeMs) === true) return
    this.handleMessage(message, channel, timeMs)
  }

  /** Takes in what a relay says beside ticks, over the link that carries the session. */
  handleMessage(message: Message, channel: Channel, timeMs: number): void {
    const { state } = this.#conversation
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
        this.mover?.handleSeated(timeMs)
        this.#membership.sit(message.body, timeMs)
        return
      case 'RelayRefuse': {
        const { reason, message: text } = message.body
        this.end(readEndReason(reason), text, { refusal: message.body })
        return
      }
      case 'RelayDoors':
        this.mover?.handleDoors(message.body, timeMs)
        return
      case 'RelayClose':
        if (this.#isOnlyOfLink(message.body.reason)) return
        this.end(readEndReason(message.body.reason), message.body.message)
        return
      default:
        // What is for those who are in may overtake the word that we are.
        if (state.name === 'seated') this.#membership.handle(message, timeMs)
        else checkRelayMessage(message.name)
    }
  }

  /** Whether the relay ends this link alone, because another one takes over. */
  #isOnlyOfLink(reason: string): boolean {
    if (reason === 'moved') return this.mover?.handleMoved() === true
    return reason === 'replaced' && this.mover?.isTakingOver === true
  }

  #join(channel: Channel, timeMs: number): void {
    const request = encodeMessage('ClientJoin', this.#membership.joinBody())
    this.#conversation.join(channel, request, timeMs)
  }

  #prove(channel: Channel, body: MessageBody<'RelayChallenge'>, timeMs: number): void {
    channel.sendControl(
      encodeMessage('ClientProof', this.#membership.proofBody(body, false)),
      timeMs,
    )
  }

  #fail(reason: EndReason, message: string, why: Pick<Closed, 'error'>, timeMs: number): void {
    this.#conversation.hangUp(timeMs)
    this.end(reason, message, why)
  }
}
