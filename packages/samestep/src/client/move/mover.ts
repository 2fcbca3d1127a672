import { copyBytes } from '../../base/copy-bytes.ts'
import type { Channel, ChannelFactory, ChannelMessage } from '../../link/channel.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import { closeCodes } from '../../wire/codes.ts'
import type { Doors } from '../../wire/messages/doors.ts'
import type { Message, MessageBody } from '../../wire/messages/messages.ts'
import { decodeMessage, encodeMessage } from '../../wire/messages/messages.ts'
import { isRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { ClientEvent } from '../events.ts'
import type { Membership } from '../membership/membership.ts'
import type { PlanSource } from './move-plan.ts'
import { MovePlan } from './move-plan.ts'
import type { Knocking, MoveDoor, MoveState } from './move-state.ts'

/** What moving needs of the client around it. */
export interface MoverParts<G extends GameShape, R> extends PlanSource {
  readonly conversation: Conversation
  readonly membership: Membership<G, R>
  /** The first words over every link. */
  readonly hello: Uint8Array
  emit(event: ClientEvent): void
  /** Takes in what a relay says to those who are in. */
  handleMessage(message: Message, timeMs: number): void
  /** Does something with a relay's bytes; whatever is wrong with them ends the session. */
  guard(action: () => void, timeMs: number): void
  /** The link that carries the session is of no use any more. */
  loseLink(timeMs: number): void
}

/**
 * A second link beside the one that carries the session, so that it can be moved without a pause: to a
 * better door when the relay has one, and home when the better line dies (make before break).
 *
 *     resting ──► dialling ──► greeting ──► joining ──► proving ──► draining ──► resting
 *        ▲  pause    │             │           │           │           │ out of time
 *        └───────────┴─────────────┴───────────┴───────────┘           └──► the link counts as lost
 *
 * Until the relay says `RelaySeated` over the new link, nothing has changed. From then on turns go
 * there, and ticks of both links count. What else comes over the new one waits for the end of the old
 * one, which says `moved`, so that everything is heard once and in its sequence.
 */
export class Mover<G extends GameShape, R> {
  readonly #parts: MoverParts<G, R>
  readonly #plan: MovePlan
  #state: MoveState = resting
  /** Whether the relay has said its last over the old link before the first over the new one came. */
  #isOldDone = false
  /** Until when a second link that is gone may have been the one that the relay took. */
  #overtakenUntilMs = Number.NEGATIVE_INFINITY
  /** The tick that comes next over the old link: its numbers are cut, and near that. */
  #oldNear = 0

  constructor(parts: MoverParts<G, R>) {
    this.#parts = parts
    this.#plan = new MovePlan(parts)
  }

  /** What speaks over the second link. */
  get channel(): Channel | undefined {
    return 'channel' in this.#state ? this.#state.channel : undefined
  }

  /** The number of the second link. */
  get link(): number | undefined {
    return 'link' in this.#state ? this.#state.link : undefined
  }

  /** The session was let in, or in again, over its own link. */
  handleSeated(timeMs: number): void {
    this.abandon()
    this.#overtakenUntilMs = Number.NEGATIVE_INFINITY
    this.#plan.start(this.#parts.conversation.channel?.kind !== 'stream', timeMs)
  }

  /** The relay says which doors it has. */
  handleDoors(doors: Doors, timeMs: number): void {
    this.#plan.noteDoors(doors, timeMs)
  }

  /** A link is up. False when it is not the one that was asked for here. */
  open(link: number, makeChannel: ChannelFactory, timeMs: number): boolean {
    const state = this.#state
    if (state.name !== 'dialling' || state.link !== link) return false
    const channel = makeChannel(timeMs)
    this.#state = { ...state, name: 'greeting', channel }
    channel.sendControl(this.#parts.hello, timeMs)
    return true
  }

  handlePacket(bytes: Uint8Array, timeMs: number): void {
    this.channel?.handlePacket(bytes, timeMs)
    this.takeMessages(timeMs)
  }

  /** The second link came to nothing: it was lost, could not be made, or took too long. */
  handleLinkClosed(timeMs: number): void {
    // What the old link still had may be lost: only coming back tells us all of it.
    const isPartial = this.#state.name === 'draining'
    if (this.isTakingOver) this.#overtakenUntilMs = timeMs + overtakenMs
    this.abandon()
    this.#plan.noteFailed(timeMs)
    if (isPartial) this.#parts.loseLink(timeMs)
  }

  /**
   * The link that carries the session is lost. Gives a second link that can carry it instead; one that
   * may never open is no help, nor is one that only has the rest of the story.
   */
  handleMainLost(): Knocking | { readonly link: number } | undefined {
    const state = this.#state
    const isShut = state.name === 'dialling' && state.door !== 'home'
    // The relay may have handed over already, and what it said before over the old link is lost.
    const isPartial = state.name === 'proving' && state.isMove
    if (state.name === 'resting' || state.name === 'draining' || isShut || isPartial) {
      this.abandon()
      return undefined
    }
    this.#state = resting
    return state
  }

  /** Whether what came over the main link has to wait for the end of the old one. Keeps it then. */
  holds(bytes: Uint8Array, timeMs: number): boolean {
    const state = this.#state
    if (state.name !== 'draining') return false
    state.held.push(copyBytes(bytes))
    if (state.held.length > heldMax) this.handleLinkClosed(timeMs)
    return true
  }

  /** The relay said its last over the main link, because another takes over. */
  handleMoved(): void {
    this.#isOldDone = true
  }

  /** Whether another link is about to take over, so that the end of this one is no end. */
  get isTakingOver(): boolean {
    return this.#state.name === 'proving'
  }

  /**
   * Whether a link was lost a short while ago that the relay may have let in: what it then says over
   * the main link, that this has ended, is on its way still.
   */
  mayHaveTakenOver(timeMs: number): boolean {
    return timeMs < this.#overtakenUntilMs
  }

  /**
   * Tries a door now, whenever it would have been tried; `home` where the session is at a better one.
   * False where there is nothing to try, or something is tried already.
   */
  want(door: MoveDoor, timeMs: number): boolean {
    const isIn = this.#parts.conversation.seatedChannel !== undefined
    if (!isIn || this.#state.name !== 'resting' || !this.#plan.isOpen(door)) return false
    this.#dial(door, true, timeMs)
    return true
  }

  /** Ticks that came over the main link, while another one takes over or not. */
  takeTicks(bytes: Uint8Array, isLate: boolean, timeMs: number): void {
    if (this.#state.name === 'proving') this.#takeOldTicks(bytes, isLate, timeMs)
    else this.#parts.membership.running?.handleBundles(bytes, isLate, timeMs)
  }

  handleTime(timeMs: number): void {
    const state = this.#state
    if (state.name === 'resting') {
      if (this.#parts.conversation.seatedChannel === undefined) return
      const move = this.#plan.due(timeMs)
      if (move !== undefined) this.#dial(move.door, move.isMove, timeMs)
      return
    }
    if (timeMs >= state.untilMs) {
      this.handleLinkClosed(timeMs)
      return
    }
    const { channel } = this
    if (channel === undefined || channel.wakeAtMs() > timeMs) return
    channel.handleTime(timeMs)
    this.takeMessages(timeMs)
  }

  wakeAtMs(): number {
    const state = this.#state
    if (this.#parts.conversation.seatedChannel === undefined) return never
    if (state.name === 'resting') return this.#plan.dueAtMs
    return Math.min(state.untilMs, this.channel?.wakeAtMs() ?? never)
  }

  /** Takes in what came over the second link. */
  takeMessages(timeMs: number): void {
    const { channel } = this
    if (channel === undefined) return
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      const message = next
      this.#parts.guard(() => this.#take(message, timeMs), timeMs)
      // It may be the main one now, or over; what it says further is not for here.
      if (this.channel !== channel) return
    }
    if (channel.state.name === 'closed') this.handleLinkClosed(timeMs)
  }

  /** Gives up the second link, where there is one. */
  abandon(): void {
    const { link } = this
    if (link !== undefined) this.#parts.emit({ type: 'drop-link', link, last: [] })
    this.#state = resting
  }

  #dial(door: MoveDoor, isMove: boolean, timeMs: number): void {
    const link = this.#parts.conversation.takeLink()
    this.#state = { name: 'dialling', link, door, isMove, untilMs: timeMs + knockMsMax }
    this.#parts.emit({ type: 'want-move', link, door, doors: this.#plan.relayDoors })
  }

  #take({ bytes, lane }: ChannelMessage, timeMs: number): void {
    const state = this.#state
    const isLate = lane === 'late'
    if (isRelayBundles(bytes)) {
      if (state.name === 'draining') this.#takeOldTicks(bytes, isLate, timeMs)
      // The relay sends them here as soon as we are let in; the word for it may come later.
      else if (state.name === 'proving' && state.isMove) {
        this.#parts.membership.running?.handleBundles(bytes, isLate, timeMs)
      }
      return
    }
    const message = decodeMessage(bytes)
    if (state.name !== 'draining') this.#takeWords(message, timeMs)
    else if (message.name === 'RelayClose' && message.body.reason === 'moved') {
      this.#finishDraining(timeMs)
    } else this.#parts.handleMessage(message, timeMs)
  }

  #takeWords(message: Message, timeMs: number): void {
    const { membership } = this.#parts
    const state = this.#state
    if (!('channel' in state) || state.name === 'draining') return
    const { channel, isMove } = state
    if (message.name === 'RelayWelcome' && state.name === 'greeting') {
      this.#state = { ...state, name: 'joining' }
      channel.sendControl(encodeMessage('ClientJoin', membership.joinBody()), timeMs)
    } else if (message.name === 'RelayChallenge' && state.name === 'joining') {
      this.#isOldDone = false
      this.#oldNear = (membership.running?.inbox.receivedTick ?? 0) + 1
      this.#state = { ...state, name: 'proving' }
      const proof = membership.proofBody(message.body, isMove)
      channel.sendControl(encodeMessage('ClientProof', proof), timeMs)
    } else if (message.name === 'RelaySeated' && state.name === 'proving') {
      this.#takeOver(state, message.body, timeMs)
    } else if (message.name === 'RelayRefuse' || message.name === 'RelayClose') {
      this.handleLinkClosed(timeMs)
    }
  }

  /** The relay has let us in over the second link: it is the one that carries the session now. */
  #takeOver(state: Knocking, body: MessageBody<'RelaySeated'>, timeMs: number): void {
    const { conversation, membership, emit } = this.#parts
    const { running } = membership
    const [link, channel] = [conversation.link, conversation.channel]
    conversation.adopt(state.link, state.channel, timeMs)
    this.#plan.noteMoved(state.door, timeMs)
    const untilMs = timeMs + drainMsMax
    const canDrain = state.isMove && channel !== undefined
    this.#state = canDrain ? { name: 'draining', link, channel, untilMs, held: [] } : resting
    emit({ type: 'moved', link: state.link, door: state.door })
    if (canDrain) {
      running?.orders.restart(body.orderNumber)
      running?.turns.restart()
      if (this.#isOldDone) this.#finishDraining(timeMs)
    } else {
      emit({ type: 'drop-link', link, last: [] })
      membership.sit(body, timeMs)
    }
  }

  #takeOldTicks(bytes: Uint8Array, isLate: boolean, timeMs: number): void {
    const { running } = this.#parts.membership
    const next = running?.handleBundles(bytes, isLate, timeMs, this.#oldNear) ?? 0
    if (!isLate && next > this.#oldNear) this.#oldNear = next
  }

  /** Everything of the old link is here: what waited for it comes now. */
  #finishDraining(timeMs: number): void {
    const state = this.#state
    if (state.name !== 'draining') return
    const { emit, membership, guard, handleMessage } = this.#parts
    emit({ type: 'drop-link', link: state.link, last: goodbye(state.channel, timeMs) })
    this.#state = resting
    // Chunks of a state are behind everything else, and may have been left there.
    membership.running?.states.joiner?.restart(timeMs)
    for (const bytes of state.held) {
      guard(() => handleMessage(decodeMessage(bytes), timeMs), timeMs)
    }
  }
}

const never = Number.POSITIVE_INFINITY

const resting: MoveState = { name: 'resting' }

/** The last packets of a link: what its channel still has to say, and that it is over. */
function goodbye(channel: Channel, timeMs: number): Uint8Array[] {
  channel.close(closeCodes.moved, timeMs)
  const packets: Uint8Array[] = []
  for (let packet = channel.pollPacket(); packet; packet = channel.pollPacket()) {
    packets.push(packet)
    if (packets.length >= goodbyePacketsMax) break
  }
  return packets
}

/** More than anybody has to say at the end. */
const goodbyePacketsMax = 64

/** How long all of dialling and joining may take; a door that is shut is known sooner. */
const knockMsMax = 10_000

/** How long the relay's last word over the main link may take: that line is alive, and in sequence. */
const overtakenMs = 10_000

/** How long the rest of the old link may take: some repetitions of a line that was worth leaving. */
const drainMsMax = 3_000

/** Messages beside ticks that wait for it: more than a relay says in that time. */
const heldMax = 1_024
