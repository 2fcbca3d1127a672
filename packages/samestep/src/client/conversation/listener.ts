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
import type { RunningMatch } from '../run/running-match.ts'
import type { Conversation, LinkNeed } from './conversation.ts'
import type { EndReason } from './end-reason.ts'
import { readEndReason } from './end-reason.ts'
import { checkRelayMessage } from './words.ts'

type Closed = Extract<ClientEvent, { readonly type: 'closed' }>

/** The options of a listener. */
export interface ListenerOptions extends Pick<MoverParts<GameShape, unknown>, 'doors' | 'seed'> {
  /** The greeting: the first message over every link. */
  readonly hello: Uint8Array
}

/**
 * Handles what a relay sends over the link that carries the session or over a second one, and updates
 * the conversation and the membership.
 */
export class Listener<G extends GameShape, R> {
  readonly #conversation: Conversation
  readonly #membership: Membership<G, R>
  readonly #hello: Uint8Array
  readonly #emit: (event: ClientEvent) => void
  /** Owns the second link, if there is one. */
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
      conversation,
      membership,
      emit,
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
    // The second link may carry the session by now.
    const { channel } = conversation
    if (channel !== undefined) this.#takeMessages(channel, timeMs)
  }

  /** A link is lost, or could not be opened. */
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

  /** Handles all received messages. */
  #takeMessages(channel: Channel, timeMs: number): void {
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      if (this.#conversation.isClosed) return
      if (!this.#takeMessage(channel, next, timeMs)) return
      // The message made us give up this channel.
      if (this.#conversation.channel !== channel) return
    }
    if (channel.state.name === 'closed') this.#loseLink(timeMs)
  }

  /** {@link guard} for a message, without a closure: this runs for every one. */
  #takeMessage(channel: Channel, message: ChannelMessage, timeMs: number): boolean {
    try {
      this.#handle(channel, message, timeMs)
      return true
    } catch (error) {
      this.#endFor(error, timeMs)
      return false
    }
  }

  /**
   * Runs an action on a relay's bytes. Returns false if the bytes, or the game's setup, ended the
   * session.
   */
  guard(action: () => void, timeMs: number): boolean {
    try {
      action()
      return true
    } catch (error) {
      this.#endFor(error, timeMs)
      return false
    }
  }

  /** Runs ready ticks, at most `max`, and returns how many. One that cannot run ends the session. */
  runTicks(running: RunningMatch<G, R>, max: number, timeMs: number): number {
    try {
      return running.runTicks(max)
    } catch (error) {
      this.#endFor(error, timeMs)
      return 0
    }
  }

  /** The one place where errors in a stranger's bytes are handled. All others are passed on. */
  #endFor(error: unknown, timeMs: number): void {
    if (error instanceof SetupError) {
      this.#fail('setup-failed', error.message, { error: error.cause }, timeMs)
    } else if (error instanceof WireError) this.#fail('bad-message', error.message, {}, timeMs)
    else throw error
  }

  /** The link is lost, or given up. */
  #loseLink(timeMs: number): void {
    this.#tell(this.#conversation.loseLink(timeMs), timeMs)
  }

  /**
   * Passes on what the conversation needs. If its link was lost and there is a second one, that one
   * takes over.
   */
  #tell(need: LinkNeed, timeMs: number): void {
    const other = need === 'link-lost' ? this.mover.handleMainLost() : undefined
    if (other !== undefined) this.#conversation.inherit(other, timeMs)
    if (need === 'want-link') this.#emit({ type: need, link: this.#conversation.link })
    else if (need !== undefined) this.#emit({ type: need })
  }

  /** Ends the session. */
  end(reason: EndReason, message: string, why: Pick<Closed, 'refusal' | 'error'> = {}): void {
    // This comes first, so that an order that is issued again because it was lost is refused.
    this.#conversation.end(reason, message)
    this.mover.abandon()
    this.#membership.running?.orders.loseAll()
    this.#emit({ type: 'closed', reason, message, ...why })
  }

  #handle(channel: Channel, { bytes, lane }: ChannelMessage, timeMs: number): void {
    const { state } = this.#conversation
    if (isRelayBundles(bytes)) {
      const isLate = lane === 'late'
      // On datagrams, ticks may overtake the answer to our join. They are repeated until acknowledged.
      if (state.name === 'seated') this.mover.takeTicks(bytes, isLate, timeMs)
      return
    }
    const message = decodeMessage(bytes)
    const isEnd = message.name === 'RelayClose' || message.name === 'RelayRefuse'
    if (!isEnd && this.mover.holds(bytes, timeMs)) return
    this.#handleMessage(message, channel, timeMs)
  }

  /** Handles a message other than ticks, received over the link that carries the session. */
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
        if (this.#handleLinkEnd(message.body.reason, timeMs)) return
        this.end(readEndReason(message.body.reason), message.body.message)
        return
      default:
        // Messages to members may overtake the one that lets us in.
        if (state.name === 'seated') this.#membership.handle(message, timeMs)
        else checkRelayMessage(message.name)
    }
  }

  /**
   * The relay closes this link. Returns false if the session ends with it, and not the link alone
   * because another one takes over or should have.
   */
  #handleLinkEnd(reason: string, timeMs: number): boolean {
    if (reason !== 'moved' && reason !== 'replaced') return false
    if (this.mover.isTakingOver) {
      if (reason === 'moved') this.mover.handleMoved()
      return true
    }
    // Another client replaced us, unless it was a link of our own that has died since.
    if (reason === 'replaced' && !this.mover.mayHaveTakenOver(timeMs)) return false
    this.#loseLink(timeMs)
    return true
  }

  /** Sends a sign of life if nothing else was sent for a while. */
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
