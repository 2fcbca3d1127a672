import type { Channel, ChannelFactory } from '../../link/channel.ts'
import { closeCodes } from '../../wire/codes.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { notReached, sessionOver } from '../membership/require-seat.ts'
import type { Knocking } from '../move/move-state.ts'
import type { EndReason } from './end-reason.ts'
import { LinkPatience } from './link-patience.ts'
import { LinkRates } from './link-rates.ts'

/** The state of a conversation. */
export type ConversationState =
  /** No link; the next one is requested at `retryAtMs`. */
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

/** What a conversation wants its client to pass on. */
export type LinkNeed = 'want-link' | 'link-lost' | undefined

/** The conversation with a relay, over one link after another, until it is closed. */
export class Conversation {
  readonly patience: LinkPatience
  readonly rates = new LinkRates()
  #state: ConversationState = { name: 'linkless', retryAtMs: 0, isAsked: false }
  /** Requested links are numbered; this is the one that carries the conversation, or will. */
  #link = 0
  #links = 0

  /**
   * The wait before the first new link, and the seed that randomises waits: see {@link LinkPatience}.
   */
  constructor(retryMs: number, retrySeed?: number) {
    this.patience = new LinkPatience(retryMs, retrySeed)
  }

  get state(): ConversationState {
    return this.#state
  }

  get isClosed(): boolean {
    return this.#state.name === 'closed'
  }

  /** The number of the link that carries the conversation, or was requested to carry it. */
  get link(): number {
    return this.#link
  }

  /** Returns the number of a new link. */
  takeLink(): number {
    this.#links += 1
    return this.#links
  }

  /** The channel of the link; after the end, the one that still sends the farewell. */
  get channel(): Channel | undefined {
    return this.#state.name === 'linkless' ? undefined : this.#state.channel
  }

  /** Whether silence means that the link is dead. */
  get isListening(): boolean {
    return this.#state.name !== 'linkless' && this.#state.name !== 'closed'
  }

  /** The channel, if the relay has let us in over it. */
  get seatedChannel(): Channel | undefined {
    return this.#state.name === 'seated' ? this.#state.channel : undefined
  }

  /**
   * Like {@link seatedChannel}, but throws if there is none.
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

  /** A link is up: sends the greeting. */
  open(makeChannel: ChannelFactory, hello: Uint8Array, timeMs: number): void {
    if (this.isClosed) return
    const channel = makeChannel(timeMs)
    this.patience.noteOpened(timeMs)
    this.rates.restart()
    this.#state = { name: 'greeting', channel }
    channel.sendControl(hello, timeMs)
  }

  /** The relay answered the greeting: requests to join. */
  join(channel: Channel, request: Uint8Array, timeMs: number): void {
    this.#state = { name: 'joining', channel }
    channel.sendControl(request, timeMs)
  }

  /** The relay let us in. */
  sit(channel: Channel): void {
    this.#state = { name: 'seated', channel }
    this.patience.noteSeated()
  }

  /** Another link carries the conversation from now on, and the relay has let us in over it. */
  adopt(link: number, channel: Channel, timeMs: number): void {
    this.#link = link
    this.patience.noteOpened(timeMs)
    this.rates.restart()
    this.sit(channel)
  }

  /** The link is lost, and one that was already requested or opened takes its place. */
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

  /** Handles a packet of the link that carries the conversation. */
  take(bytes: Uint8Array, timeMs: number): void {
    const { channel } = this
    if (channel === undefined) return
    const { packetsDropped } = channel.stats
    channel.handlePacket(bytes, timeMs)
    // A packet that the channel dropped is not a sign of life: it may not come from our relay.
    if (channel.stats.packetsDropped === packetsDropped) this.patience.noteHeard(timeMs)
    this.rates.note(channel.stats, timeMs)
  }

  /** Requests a link when it is time, gives up a silent one, and drives the channel. */
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

  /** Lost links are expected: another one is requested, after a longer wait each time. */
  loseLink(timeMs: number): LinkNeed {
    const state = this.#state
    if (state.name === 'closed') {
      // Without a link nothing can be sent, so the channel needs no wake-ups.
      this.#state = { ...state, channel: undefined }
      return undefined
    }
    // No link is open or requested: this is old news of a link that was given up before.
    if (state.name === 'linkless' && !state.isAsked) return undefined
    const retryAtMs = this.patience.noteLost(timeMs)
    this.rates.restart()
    this.#state = { name: 'linkless', retryAtMs, isAsked: false }
    return state.name === 'linkless' ? undefined : 'link-lost'
  }

  /** Sends a message other than a turn. */
  say(channel: Channel, message: Uint8Array, timeMs: number): void {
    channel.sendControl(message, timeMs)
    this.patience.noteSaid(timeMs)
  }

  /** Tells the relay that we leave, even if a join is unanswered: otherwise it would keep the seat. */
  leave(timeMs: number): void {
    const state = this.#state
    if (state.name === 'seated' || state.name === 'joining') {
      state.channel.sendControl(encodeMessage('ClientLeave', { reason: '' }), timeMs)
    }
    this.hangUp(timeMs)
  }

  /** Closes the link without a message. */
  hangUp(timeMs: number): void {
    this.channel?.close(closeCodes.left, timeMs)
  }

  /** Ends the conversation; queued packets are still sent. */
  end(reason: EndReason, message: string): void {
    this.#state = { name: 'closed', channel: this.channel, reason, message }
  }
}
