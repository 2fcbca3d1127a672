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

/** The parts of the client that a move needs. */
export interface MoverParts<G extends GameShape, R> extends PlanSource {
  readonly conversation: Conversation
  readonly membership: Membership<G, R>
  /** The greeting: the first message over every link. */
  readonly hello: Uint8Array
  emit(event: ClientEvent): void
  /** Handles a relay's message to a member, as if it came over the main link. */
  handleMessage(message: Message, timeMs: number): void
  /** Runs an action on a relay's bytes; invalid bytes end the session. */
  guard(action: () => void, timeMs: number): void
  /** Gives up the link that carries the session. */
  loseLink(timeMs: number): void
}

/**
 * Manages a second link beside the main one, which carries the session, so that the session can move
 * without a pause: to a better door if the relay has one, and home when the better connection dies
 * (make before break).
 *
 *     resting ──► dialling ──► greeting ──► joining ──► proving ──► draining ──► resting
 *        ▲  pause    │             │           │           │           │ out of time
 *        └───────────┴─────────────┴───────────┴───────────┘           └──► the link counts as lost
 *
 * Nothing changes until the relay sends `RelaySeated` over the new link. From then on, turns are sent
 * there, and ticks of both links count. Other messages of the new link are queued until the old one
 * ends with `moved`, so that every message is handled once and in sequence.
 */
export class Mover<G extends GameShape, R> {
  readonly #parts: MoverParts<G, R>
  readonly #plan: MovePlan
  #state: MoveState = resting
  /** Whether the old link's last message came before the first one of the new link. */
  #isOldDone = false
  /** Whether the relay has spoken over the new link: from then on it carries the session. */
  #hasMoved = false
  /** Until when the relay may still turn out to have let in a second link that is gone. */
  #overtakenUntilMs = Number.NEGATIVE_INFINITY
  /** The next tick expected over the old link, near which its truncated tick numbers are expanded. */
  #oldNear = 0

  constructor(parts: MoverParts<G, R>) {
    this.#parts = parts
    this.#plan = new MovePlan(parts)
  }

  /** The channel of the second link. */
  get channel(): Channel | undefined {
    return 'channel' in this.#state ? this.#state.channel : undefined
  }

  /** The number of the second link. */
  get link(): number | undefined {
    return 'link' in this.#state ? this.#state.link : undefined
  }

  /** The relay let the session in, for the first time or again, over its main link. */
  handleSeated(timeMs: number): void {
    this.abandon()
    this.#overtakenUntilMs = Number.NEGATIVE_INFINITY
    this.#plan.start(this.#parts.conversation.channel?.kind !== 'stream', timeMs)
  }

  /** The relay announces its doors. */
  handleDoors(doors: Doors, timeMs: number): void {
    this.#plan.noteDoors(doors, timeMs)
  }

  /** A link is up. Returns false if it is not the one requested here. */
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

  /** The second link failed: it was lost, could not be opened, or took too long. */
  handleLinkClosed(timeMs: number): void {
    // Messages on the old link may be lost; only joining again makes up for them.
    const isPartial = this.#state.name === 'draining'
    if (this.isTakingOver) this.#overtakenUntilMs = timeMs + overtakenMs
    this.abandon()
    this.#plan.noteFailed(timeMs)
    if (isPartial) this.#parts.loseLink(timeMs)
  }

  /**
   * The link that carries the session is lost. Returns a second link that can replace it. One that may
   * never open cannot, nor can one that lacks some of the messages.
   */
  handleMainLost(): Knocking | { readonly link: number } | undefined {
    const state = this.#state
    const isShut = state.name === 'dialling' && state.door !== 'home'
    // The relay may have handed over already; what it sent before over the old link is lost.
    const isPartial = state.name === 'proving' && state.isMove
    if (state.name === 'resting' || state.name === 'draining' || isShut || isPartial) {
      this.abandon()
      return undefined
    }
    this.#state = resting
    return state
  }

  /** Whether a message of the main link must wait until the old link ends. If so, it is queued. */
  holds(bytes: Uint8Array, timeMs: number): boolean {
    const state = this.#state
    if (state.name !== 'draining') return false
    state.held.push(copyBytes(bytes))
    if (state.held.length > heldMax) this.handleLinkClosed(timeMs)
    return true
  }

  /** The relay sent its last message over the main link, because another one takes over. */
  handleMoved(): void {
    this.#isOldDone = true
  }

  /** Whether another link is about to take over, so that the end of this one is not the session's. */
  get isTakingOver(): boolean {
    return this.#state.name === 'proving'
  }

  /**
   * Whether a second link that the relay may have let in was lost a short while ago. The relay's
   * message that ends the main link may then still be in flight.
   */
  mayHaveTakenOver(timeMs: number): boolean {
    return timeMs < this.#overtakenUntilMs
  }

  /**
   * Tries a door now instead of when it is due; `home` only while the session is at a better one.
   * Returns false if there is nothing to try, or a move is already under way.
   */
  want(door: MoveDoor, timeMs: number): boolean {
    const isIn = this.#parts.conversation.seatedChannel !== undefined
    if (!isIn || this.#state.name !== 'resting' || !this.#plan.isOpen(door)) return false
    this.#dial(door, true, timeMs)
    return true
  }

  /** Handles ticks of the main link, whether or not another one takes over. */
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

  /** Handles the messages of the second link. */
  takeMessages(timeMs: number): void {
    const { channel } = this
    if (channel === undefined) return
    for (let next = channel.pollMessage(); next; next = channel.pollMessage()) {
      const message = next
      this.#parts.guard(() => this.#take(message, timeMs), timeMs)
      // It may be the main link now, or closed; its further messages are not handled here.
      if (this.channel !== channel) return
    }
    if (channel.state.name === 'closed') this.handleLinkClosed(timeMs)
  }

  /** Gives up the second link, if there is one. */
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
      // The relay sends ticks here as soon as it has let us in; `RelaySeated` may arrive later.
      else if (state.name === 'proving' && state.isMove) {
        this.#hasMoved = true
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
      this.#hasMoved = false
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

  /** The relay has let us in over the second link, which carries the session from now on. */
  #takeOver(state: Knocking, body: MessageBody<'RelaySeated'>, timeMs: number): void {
    const { conversation, membership, emit } = this.#parts
    const { running } = membership
    const [link, channel] = [conversation.link, conversation.channel]
    this.#hasMoved = true
    conversation.adopt(state.link, state.channel, timeMs)
    this.#plan.noteMoved(state.door, timeMs)
    const untilMs = timeMs + drainMsMax
    const canDrain = state.isMove && channel !== undefined
    this.#state = canDrain ? { name: 'draining', link, channel, untilMs, held: [] } : resting
    emit({ type: 'moved', link: state.link, door: state.door })
    if (canDrain) {
      running?.orders.restart(body.orderNumber)
      running?.turns.restart()
      if (body.isStateComing) running?.states.joiner?.sayAgain()
      running?.hearSeat(body)
      if (this.#isOldDone) this.#finishDraining(timeMs)
    } else {
      emit({ type: 'drop-link', link, last: [] })
      membership.sit(body, timeMs)
    }
  }

  /**
   * Ticks of the old link complete those of the new one. What it says besides them counts only until the
   * relay speaks over the new link: a stalled stream may deliver it seconds later.
   */
  #takeOldTicks(bytes: Uint8Array, isLate: boolean, timeMs: number): void {
    const { running } = this.#parts.membership
    const isOutdated = isLate || this.#hasMoved
    const next = running?.handleBundles(bytes, isLate, timeMs, this.#oldNear, isOutdated) ?? 0
    if (!isLate && next > this.#oldNear) this.#oldNear = next
  }

  /** Everything of the old link has arrived: handles the messages that waited for it. */
  #finishDraining(timeMs: number): void {
    const state = this.#state
    if (state.name !== 'draining') return
    const { emit, membership, guard, handleMessage } = this.#parts
    emit({ type: 'drop-link', link: state.link, last: goodbye(state.channel, timeMs) })
    this.#state = resting
    // Chunks of a state are sent after everything else, and may have been left on the old link.
    membership.running?.states.joiner?.restart(timeMs)
    for (const bytes of state.held) {
      guard(() => handleMessage(decodeMessage(bytes), timeMs), timeMs)
    }
  }
}

const never = Number.POSITIVE_INFINITY

const resting: MoveState = { name: 'resting' }

/** The last packets of a link: what its channel still has to send, and its close. */
function goodbye(channel: Channel, timeMs: number): Uint8Array[] {
  channel.close(closeCodes.moved, timeMs)
  const packets: Uint8Array[] = []
  for (let packet = channel.pollPacket(); packet; packet = channel.pollPacket()) {
    packets.push(packet)
    if (packets.length >= goodbyePacketsMax) break
  }
  return packets
}

/** More than any channel has to send at the end. */
const goodbyePacketsMax = 64

/** How long dialling and joining may take together; a closed door fails sooner. */
const knockMsMax = 10_000

/** How long the relay's last message over the main link may take. That link works, in sequence. */
const overtakenMs = 10_000

/** How long draining the old link may take: a few retransmissions on a connection worth leaving. */
const drainMsMax = 3_000

/** Messages other than ticks that are queued while draining: more than a relay sends in that time. */
const heldMax = 1_024
