import { WireError } from '../../base/errors.ts'
import type { Channel, ChannelFactory, ChannelMessage } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Message, MessageBody } from '../../wire/messages/messages.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages/messages.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { ClientEvent } from '../events.ts'
import type { Membership } from '../membership/membership.ts'
import { SetupError } from '../membership/setup-error.ts'
import type { MoverParts } from '../move/mover.ts'
import { Mover } from '../move/mover.ts'
import type { Conversation, LinkNeed } from './conversation.ts'
import type { EndReason } from './end-reason.ts'
import { readEndReason } from './end-reason.ts'
import { checkRelayMessage } from './words.ts'

type Closed = Extract<ClientEvent, { readonly type: 'closed' }>

/** What a listener needs to know of the client's choices. */
export interface ListenerOptions extends Pick<MoverParts<GameShape, unknown>, 'doors' | 'seed'> {
  /** The first words over every link. */
  readonly hello: Uint8Array
}

/**
 * Hears what a relay says, over the link that carries the session or over a second one, and brings the
 * conversation and the membership where that leads.
 */
export class Listener<G extends GameShape, R> {
  readonly #conversation: Conversation
  readonly #membership: Membership<G, R>
  readonly #hello: Uint8Array
  readonly #emit: (event: ClientEvent) => void
  /** Has the second link, where there is one. */
  readonly mover: Mover<G, R>

  constructor(
    conversation: Conversation,
    membership: Membership<G, R>,
    options: ListenerOptions,
    emit: (event: ClientEvent) => void,
  ) {
    this.#conversation = conversation
    this.#membership = membership
    this.#hello = options.hello
    this.#emit = emit
    this.mover = new Mover<G, R>({
      ...{ conversation, membership, emit },
      ...options,
      handleMessage: (message, timeMs) => {
        const { seatedChannel } = conversation
        if (seatedChannel !== undefined) this.#handleMessage(message, seatedChannel, timeMs)
      },
      guard: (action, timeMs) => this.guard(action, timeMs),
      loseLink: (timeMs) => this.#loseLink(timeMs),
    })
  }

  /** A link is up. */
  handleLinkOpened(link: number, makeChannel: ChannelFactory, timeMs: number): void {
    if (this.mover.open(link, makeChannel, timeMs)) return
    const conversation = this.#conversation
    if (link === conversation.link) conversation.open(makeChannel, this.#hello, timeMs)
  }

  handlePacket(link: number, bytes: Uint8Array, timeMs: number): void {
    const conversation = this.#conversation
    if (link === this.mover.link) this.mover.handlePacket(bytes, timeMs)
    else if (link === conversation.link) conversation.take(bytes, timeMs)
    else return
    // The second link may be the one that carries the session now.
    const { channel } = conversation
    if (channel !== undefined) this.#takeMessages(channel, timeMs)
  }

  /** A link is lost, or could not be made. */
  handleLinkClosed(link: number, timeMs: number): void {
    if (link === this.mover.link) this.mover.handleLinkClosed(timeMs)
    else if (link === this.#conversation.link) this.#loseLink(timeMs)
  }

  handleTime(timeMs: number): void {
    const conversation = this.#conversation
    const need = conversation.handleTime(timeMs)
    if (need !== undefined) {
      this.#tell(need, timeMs)
      return
    }
    const { channel, seatedChannel } = conversation
    if (channel === undefined) return
    if (seatedChannel !== undefined) {
      this.#membership.running?.handleTime(timeMs)
      this.#sayHere(seatedChannel, timeMs)
    }
    this.#takeMessages(channel, timeMs)
    this.mover.handleTime(timeMs)
  }

  /** Takes in all messages that came. */
  #takeMessages(channel: Channel, timeMs: number): void {
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (this.#conversation.isClosed) return
      if (!this.guard(() => this.#handle(channel, next as ChannelMessage, timeMs), timeMs)) return
      // Given up by what was said over it.
      if (this.#conversation.channel !== channel) return
    }
    if (channel.state.name === 'closed') this.#loseLink(timeMs)
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
  #loseLink(timeMs: number): void {
    this.#tell(this.#conversation.loseLink(timeMs), timeMs)
  }

  /** Passes on what the conversation needs, unless there is another link for it. */
  #tell(need: LinkNeed, timeMs: number): void {
    const other = need === 'link-lost' ? this.mover.handleMainLost() : undefined
    if (other !== undefined) this.#conversation.inherit(other, timeMs)
    if (need === 'want-link') this.#emit({ type: need, link: this.#conversation.link })
    else if (need !== undefined) this.#emit({ type: need })
  }

  /** It is over. */
  end(reason: EndReason, message: string, why: Pick<Closed, 'refusal' | 'error'> = {}): void {
    // First of all, so that an order that is issued again because it was lost is refused.
    this.#conversation.end(reason, message)
    this.mover.abandon()
    this.#membership.running?.orders.loseAll()
    this.#emit({ type: 'closed', reason, message, ...why })
  }

  #handle(channel: Channel, { bytes, lane }: ChannelMessage, timeMs: number): void {
    const { state } = this.#conversation
    if (isRelayBundles(bytes)) {
      const isLate = lane === 'late'
      // Ticks may overtake the answer to our join on datagrams; they are repeated until confirmed.
      if (state.name === 'seated') this.mover.takeTicks(bytes, isLate, timeMs)
      return
    }
    const message = decodeMessage(bytes)
    const isEnd = message.name === 'RelayClose' || message.name === 'RelayRefuse'
    if (!isEnd && this.mover.holds(bytes, timeMs)) return
    this.#handleMessage(message, channel, timeMs)
  }

  /** Takes in what a relay says beside ticks, over the link that carries the session. */
  #handleMessage(message: Message, channel: Channel, timeMs: number): void {
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
        this.mover.handleSeated(timeMs)
        this.#membership.sit(message.body, timeMs)
        return
      case 'RelayRefuse': {
        const { reason, message: text } = message.body
        this.end(readEndReason(reason), text, { refusal: message.body })
        return
      }
      case 'RelayDoors':
        this.mover.handleDoors(message.body, timeMs)
        return
      case 'RelayClose':
        if (this.#isOnlyOfLink(message.body.reason, timeMs)) return
        this.end(readEndReason(message.body.reason), message.body.message)
        return
      default:
        // What is for those who are in may overtake the word that we are.
        if (state.name === 'seated') this.#membership.handle(message, timeMs)
        else checkRelayMessage(message.name)
    }
  }

  /** Whether the relay ends this link alone, because another one takes over, or should have. */
  #isOnlyOfLink(reason: string, timeMs: number): boolean {
    if (reason !== 'moved' && reason !== 'replaced') return false
    if (this.mover.isTakingOver) {
      if (reason === 'moved') this.mover.handleMoved()
      return true
    }
    // We were replaced by somebody else, unless it was by a link of our own that died since.
    if (reason === 'replaced' && !this.mover.mayHaveTakenOver(timeMs)) return false
    this.#loseLink(timeMs)
    return true
  }

  /** While there is nothing to say, the relay still hears that somebody is here. */
  #sayHere(channel: Channel, timeMs: number): void {
    if (timeMs < this.#conversation.patience.hereAtMs) return
    const { activity } = this.#membership.launch
    this.#conversation.say(channel, encodeMessage('ClientHere', { activity }), timeMs)
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
