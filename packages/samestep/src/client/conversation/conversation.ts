import type { Channel, ChannelFactory } from '../../link/channel.ts'
import { closeCodes } from '../../wire/codes.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { notReached, sessionOver } from '../membership/require-seat.ts'
import type { Knocking } from '../move/move-state.ts'
import type { EndReason } from './end-reason.ts'
import { LinkPatience } from './link-patience.ts'
import { LinkRates } from './link-rates.ts'

/** Where the conversation stands. */
export type ConversationState =
  /** No link; one is wanted from `retryAtMs` on. */
  | { readonly name: 'linkless'; readonly retryAtMs: number; readonly isAsked: boolean }
  | { readonly name: 'greeting'; readonly channel: Channel }
  | { readonly name: 'joining'; readonly channel: Channel }
  | { readonly name: 'seated'; readonly channel: Channel }
  | {
      readonly name: 'closed'
      readonly channel: Channel | undefined
      readonly reason: EndReason
      readonly message: string
    }

/** What a conversation needs from its client when time passes. */
export type LinkNeed = 'want-link' | 'link-lost' | undefined

/** The conversation with a relay: over one link after the other, until it is closed. */
export class Conversation {
  readonly patience: LinkPatience
  readonly rates = new LinkRates()
  #state: ConversationState = { name: 'linkless', retryAtMs: 0, isAsked: false }
  /** The links that were asked for are numbered; this is the one that carries, or will carry, the talk. */
  #link = 0
  #links = 0

  /** How long to wait before the first new link, and what that is spread by: see {@link LinkPatience}. */
  constructor(retryMs: number, retrySeed?: number) {
    this.patience = new LinkPatience(retryMs, retrySeed)
  }

  get state(): ConversationState {
    return this.#state
  }

  get isClosed(): boolean {
    return this.#state.name === 'closed'
  }

  /** The number of the link that carries it, or was asked for to. */
  get link(): number {
    return this.#link
  }

  /** Gives another link its number. */
  takeLink(): number {
    this.#links += 1
    return this.#links
  }

  /** What speaks over the link; after the end, what still says so. */
  get channel(): Channel | undefined {
    return this.#state.name === 'linkless' ? undefined : this.#state.channel
  }

  /** Whether silence means that the link is dead. */
  get isListening(): boolean {
    return this.#state.name !== 'linkless' && this.#state.name !== 'closed'
  }

  /** The channel of a client that is in; `undefined` otherwise. */
  get seatedChannel(): Channel | undefined {
    return this.#state.name === 'seated' ? this.#state.channel : undefined
  }

  /**
   * The channel of a client that is in.
   *
   * @throws UsageError `SS_CLOSED` when the session is over, `SS_NOT_SEATED` before there is one.
   */
  requireSeated(what: string): Channel {
    if (this.#state.name === 'seated') return this.#state.channel
    this.requireOpen(what)
    throw notReached(what)
  }

  /** @throws UsageError `SS_CLOSED` when the session is over. */
  requireOpen(what: string): void {
    if (this.isClosed) throw sessionOver(what)
  }

  /** A link is up, and somebody is to be greeted over it. */
  open(makeChannel: ChannelFactory, hello: Uint8Array, timeMs: number): void {
    if (this.isClosed) return
    const channel = makeChannel(timeMs)
    this.patience.noteOpened(timeMs)
    this.rates.restart()
    this.#state = { name: 'greeting', channel }
    channel.sendControl(hello, timeMs)
  }

  /** The relay answered: a place is asked for. */
  join(channel: Channel, request: Uint8Array, timeMs: number): void {
    this.#state = { name: 'joining', channel }
    channel.sendControl(request, timeMs)
  }

  /** The relay let us in. */
  sit(channel: Channel): void {
    this.#state = { name: 'seated', channel }
    this.patience.noteSeated()
  }

  /** Another link carries the talk from here on, and the relay has let us in over it. */
  adopt(link: number, channel: Channel, timeMs: number): void {
    this.#link = link
    this.patience.noteOpened(timeMs)
    this.rates.restart()
    this.sit(channel)
  }

  /** The link is lost, and another one is on its way already. */
  inherit(other: { readonly link: number } | Knocking, timeMs: number): void {
    this.#link = other.link
    this.patience.noteOpened(timeMs)
    this.rates.restart()
    if (!('channel' in other)) {
      this.#state = { name: 'linkless', retryAtMs: timeMs, isAsked: true }
      return
    }
    const { name, channel } = other
    this.#state = { name: name === 'greeting' ? 'greeting' : 'joining', channel }
  }

  /** Takes in a packet of the link that carries it. */
  take(bytes: Uint8Array, timeMs: number): void {
    const { channel } = this
    if (channel === undefined) return
    const { packetsDropped } = channel.stats
    channel.handlePacket(bytes, timeMs)
    // What is none of this conversation is no sign of life of the relay that we talk to.
    if (channel.stats.packetsDropped === packetsDropped) this.patience.noteHeard(timeMs)
    this.rates.note(channel.stats, timeMs)
  }

  /** Asks for a link when it is time for one, gives up a silent one, and lets the channel work. */
  handleTime(timeMs: number): LinkNeed {
    const state = this.#state
    if (state.name === 'linkless') {
      if (state.isAsked || timeMs < state.retryAtMs) return undefined
      this.#state = { ...state, isAsked: true }
      this.#link = this.takeLink()
      return 'want-link'
    }
    const { channel } = state
    if (channel === undefined) return undefined
    this.rates.note(channel.stats, timeMs)
    if (this.isListening && timeMs >= this.patience.silentAtMs) {
      channel.close(closeCodes.left, timeMs)
      return this.loseLink(timeMs)
    }
    if (channel.wakeAtMs() <= timeMs) channel.handleTime(timeMs)
    return undefined
  }

  /** A lost link is weather: another one is asked for, later each time. */
  loseLink(timeMs: number): LinkNeed {
    const state = this.#state
    if (state.name === 'closed') {
      // Over no link nothing can be said, so nothing of it has to wake anybody.
      this.#state = { ...state, channel: undefined }
      return undefined
    }
    // Linkless and not asking: this is old news of a link that was given up before.
    if (state.name === 'linkless' && !state.isAsked) return undefined
    const retryAtMs = this.patience.noteLost(timeMs)
    this.rates.restart()
    this.#state = { name: 'linkless', retryAtMs, isAsked: false }
    return state.name === 'linkless' ? undefined : 'link-lost'
  }

  /** Says something beside turns. */
  say(channel: Channel, message: Uint8Array, timeMs: number): void {
    channel.sendControl(message, timeMs)
    this.patience.noteSaid(timeMs)
  }

  /** Says that this is the end, behind a join without an answer too, or its seat would be kept. */
  leave(timeMs: number): void {
    const state = this.#state
    if (state.name === 'seated' || state.name === 'joining') {
      state.channel.sendControl(encodeMessage('ClientLeave', { reason: '' }), timeMs)
    }
    this.hangUp(timeMs)
  }

  /** Closes the link, without a word. */
  hangUp(timeMs: number): void {
    this.channel?.close(closeCodes.left, timeMs)
  }

  /** It is over; what was said is still sent. */
  end(reason: EndReason, message: string): void {
    this.#state = { name: 'closed', channel: this.channel, reason, message }
  }
}
