import type { BitWriter } from '../../base/bit-writer.ts'
import type { Channel } from '../../link/channel.ts'
import type { EntryBody } from '../../record/entries.ts'
import type { Member, MemberSession } from '../../room/members.ts'
import type { PresenceWord } from '../../wire/codes.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { expectedMs, halfOpenMs } from '../../wire/patience.ts'
import type { SessionGuard } from '../guard/session-guard.ts'
import { WithheldHashes } from '../guard/withheld-hashes.ts'
import { StateWait } from '../join/state-wait.ts'
import type { PacketBudget } from '../links/packet-budget.ts'
import type { TurnOwner } from '../links/waiting-turns.ts'
import type { Batching } from '../pace/batching.ts'
import { ClientControl } from './client-control.ts'
import { DelayedViewer } from './delayed-viewer.ts'
import { Visitor } from './people/visitor.ts'
import type { BundleLog } from './ticks/bundle-log.ts'
import type { DelayedView } from './ticks/delayed-view.ts'
import { TickDatagrams } from './ticks/tick-datagrams.ts'
import type { TickCursor, TickPath } from './ticks/tick-path.ts'
import { TickStream } from './ticks/tick-stream.ts'

/** What a session and its match know about the link that carries it; the relay knows more. */
export interface Carrier extends TurnOwner {
  readonly isOpen: boolean
  /** How much may still arrive over it. */
  readonly budget: PacketBudget
  /** The session that it carries now: queued turns of any other do not count. */
  readonly session: Session | undefined
}

/**
 * One member's conversation with a match. It outlives its links: a client whose link died comes back
 * with its ticket and continues where it was.
 */
export class Session implements MemberSession, TickCursor {
  // Fields that every turn and tick reads come first, so that they are adjacent in memory.
  /** Who this is, and which seat it has. */
  readonly member: Member<Session>
  readonly guard: SessionGuard
  /** The wait for a state; `undefined` if the client has one. */
  stateWait: StateWait | undefined
  #control = new ClientControl()
  #channel: Channel | undefined
  /** How ticks are sent over that channel. */
  #path: TickPath | undefined
  /** Combines ticks in packets, where the match allows it. Without it, each is sent at once. */
  readonly batching: Batching | undefined
  /** The newest tick that the client has without a gap. */
  ackedTick = 0
  /** The newest tick that was sent over the current link; never less than {@link ackedTick}. */
  sentTick = 0
  /** The newest tick that was sent over earlier links, which may still be confirmed. */
  #sentBefore = 0
  /** The newest tick that the client says it executed. */
  executedTick = 0
  /** The newest tick for which this client sent an input: repeated inputs say nothing new. */
  newestInputTick = 0
  /** The next order number that is expected from the client. */
  nextOrder = 0
  /** The id of the link that carries it now, or -1; and that link. */
  link = -1
  carrier: Carrier | undefined
  readonly ticket: Uint8Array
  /** Proves that a client owns the session; without one, nobody can come back to it. */
  secret: Uint8Array | undefined
  /** Reports about ticks up to this one are about a state that was discarded. */
  voidUpToTick = -1
  /** Its throughput when it last downloaded a state; `undefined` if it never did. */
  downloadBytesPerSecond: number | undefined
  /** Until when turns also count that arrive over the link that it has left for a better one. */
  twoLinksUntilMs = 0
  /** The round trip as the client measured it. */
  rttMs: number | undefined
  /**
   * The last tick that its client certainly has in common with the match, if the match was rebuilt;
   * cleared by the client's next turn.
   */
  rewindTick: number | undefined
  /**
   * The tick after which a single player gave it the state; `undefined` if several agreed on it, or it
   * ran the match itself. About what was before, it only repeats what that player says.
   */
  givenTick: number | undefined
  /** How often it started over, and with it the count of its orders. */
  startCount = 0
  /** Orders that arrived again after they were taken: the price of repeating them against loss. */
  copiedOrders = 0
  readonly visitor = new Visitor()
  /** Whether it withholds the hashes of its state. */
  readonly withheld = new WithheldHashes()
  /** The tick from which on it has its seat, or none; 0 for the seat that it began with. */
  seatTick = 0
  /** When its player last acted; `undefined` before the first check. */
  actedAtMs: number | undefined
  /** A checksum of the newest input: if it changes, the player acted. */
  inputSum = 0
  /** What it may see, in a match that spectators see with a delay. */
  readonly #viewer: DelayedViewer | undefined
  /** Whether the word of a witness counts in its match. */
  readonly #hasReferee: boolean

  constructor(
    member: Member<Session>,
    ticket: Uint8Array,
    guard: SessionGuard,
    batching?: Batching,
    view?: DelayedView,
    hasReferee = false,
  ) {
    this.member = member
    this.ticket = ticket
    this.guard = guard
    this.batching = batching
    this.#viewer = view && new DelayedViewer(member, view)
    this.#hasReferee = hasReferee
  }

  get name(): string {
    return this.member.name
  }

  /** `undefined` for a spectator. */
  get seat(): number | undefined {
    return this.member.seat
  }

  get isConnected(): boolean {
    return this.link >= 0
  }

  get presence(): PresenceWord {
    const { presence, isAble } = this.guard.liveness
    const isComing = this.isWaitingForState && (isAble || presence === 'catching-up')
    if (!isComing) return presence
    return this.stateWait?.isFetching === true ? 'downloading' : 'authorised'
  }

  get channel(): Channel | undefined {
    return this.#channel
  }

  /** Ticks combined in one packet: 1 unless the link is too narrow. */
  get ticksPerPacket(): number {
    return this.batching?.ticksPerPacket ?? 1
  }

  /** When ticks that wait to be combined are sent at the latest; `Infinity` if none wait. */
  get flushAtMs(): number {
    return this.batching?.flushAtMs ?? Number.POSITIVE_INFINITY
  }

  /** What the client is told besides the ticks. */
  get control(): ClientControl {
    return this.#control
  }

  /** Whether it sees the match with a delay. */
  get isDelayed(): boolean {
    return this.#viewer?.isDelayed === true
  }

  /** The newest tick that the client may have now; `Infinity` for everything that is sealed. */
  get visibleTick(): number {
    return this.#viewer === undefined ? Number.POSITIVE_INFINITY : this.#viewer.visibleTick
  }

  /** The newest tick that it can have executed; its progress is measured against this. */
  reachableTick(sealedTick: number): number {
    return Math.min(sealedTick, Math.max(this.visibleTick, this.executedTick))
  }

  /**
   * Sends a message besides the ticks, if there is a link. `isAboutPlay` says that it reveals
   * something about the running game: a member with a delay gets it later.
   */
  send(bytes: Uint8Array, nowMs: number, isAboutPlay = false): void {
    if (isAboutPlay && this.#viewer?.hold(bytes, nowMs) === true) return
    this.#channel?.sendControl(bytes, nowMs)
  }

  /** Sends the held messages that are old enough now. */
  sendHeld(nowMs: number): void {
    const viewer = this.#viewer
    if (viewer === undefined) return
    for (let bytes = viewer.takeHeld(nowMs); bytes; bytes = viewer.takeHeld(nowMs)) {
      this.#channel?.sendControl(bytes, nowMs)
    }
  }

  /** The client sets the match up again and counts its orders from 0: nothing from before is kept. */
  startOver(): void {
    this.nextOrder = 0
    this.startCount += 1
    this.#control = new ClientControl()
    this.#control.restart()
  }

  /** Continues where another relay stopped. The client does not need ticks before `firstTick`. */
  restore(
    { nextOrder, secret, isNewcomer, rewindTick, givenTick }: EntryBody<'member'>,
    firstTick: number,
    sealedTick: number,
    nowMs: number,
  ): void {
    this.guard.restore(nowMs)
    this.nextOrder = nextOrder
    this.secret = secret
    this.rewindTick = rewindTick
    this.givenTick = givenTick
    if (isNewcomer) this.awaitState('newcomer')
    // Which of the ticks gave it the seat is not written down: all up to this one have run.
    this.seatTick = sealedTick
    this.ackedTick = firstTick - 1
    this.sentTick = firstTick - 1
    // As far as anyone can be: what it did before is not repeated, and that is not its fault.
    this.executedTick = sealedTick
    this.newestInputTick = sealedTick
  }

  /** Gives the client a new token if one is due: after it sent the last one back. */
  renewToken(randomWord: () => number, nowMs: number): void {
    if (!this.guard.liveness.isTokenDue(nowMs)) return
    // 0 means that there is no token.
    const token = randomWord() || 1
    this.guard.liveness.setToken(token, nowMs)
    this.#control.setToken(token)
  }

  /**
   * Continues the conversation over a link, from the tick after `haveTick`. What was sent over the
   * previous link may still arrive: a link that seemed dead may have recovered.
   */
  attach(link: number, channel: Channel, haveTick: number, carrier?: Carrier): void {
    const { sentableTick } = this
    this.link = link
    this.carrier = carrier
    this.#channel = channel
    const isStream = channel.kind === 'stream'
    this.#path = isStream
      ? new TickStream(this, channel)
      : new TickDatagrams(this, channel, this.batching)
    this.stateWait?.handleAttached()
    this.ackedTick = haveTick
    this.sentTick = haveTick
    this.#sentBefore = sentableTick
    this.control.restart()
    this.batching?.restart()
  }

  /** The newest tick that the client can have received. */
  get sentableTick(): number {
    return Math.max(this.sentTick, this.#sentBefore)
  }

  get isWaitingForState(): boolean {
    return this.stateWait !== undefined
  }

  /** The client has no state to continue from, or one from long ago, after `haveTick`. */
  awaitState(need: 'newcomer' | 'returning', haveTick = 0): void {
    this.stateWait ??= new StateWait(need, haveTick)
  }

  /** The newest tick that a client which waits for a state may have run; 0 for one that does not. */
  get haveTick(): number {
    return this.stateWait?.haveTick ?? 0
  }

  /**
   * Whether it plays or is a referee, and is there, so that it can vouch for the state of the match.
   */
  canVote(nowMs: number): boolean {
    return (this.member.seat !== undefined || this.isReferee) && this.#isThere(nowMs)
  }

  /** Whether it is a player that just lost its link; after a crash of the relay, every player has. */
  isExpected(nowMs: number): boolean {
    if (this.link >= 0 || this.isWaitingForState || this.presence === 'gone') return false
    if (this.member.seat === undefined && !this.isReferee) return false
    return nowMs < this.guard.liveness.heardAtMs + expectedMs
  }

  /** Whether it is there and has the state of the match, though its word does not count. */
  canHelp(nowMs: number): boolean {
    return this.isWitness && !this.isReferee && this.#isThere(nowMs)
  }

  #isThere(nowMs: number): boolean {
    if (this.link < 0 || this.isWaitingForState) return false
    const { presence } = this
    // A hidden page may be silent for long, and may then be asleep.
    if (presence === 'hidden') return nowMs < this.guard.liveness.heardAtMs + halfOpenMs
    return presence === 'active' || presence === 'lagging'
  }

  get isWitness(): boolean {
    return this.member.role === 'witness'
  }

  /** Whether it is a witness in a match where witnesses decide. */
  get isReferee(): boolean {
    return this.#hasReferee && this.isWitness
  }

  /** The client is asked for `bytes` bytes: sending them does not count against it. */
  grant(bytes: number): void {
    this.carrier?.budget.grant(bytes)
  }

  /** Whether its state differs from that of the majority, and it waits for theirs. */
  get isResyncing(): boolean {
    return this.stateWait?.isResyncing === true
  }

  /**
   * Its state differs from that of the majority: its reports about ticks up to `sealedTick` are void.
   */
  awaitResync(sealedTick: number): void {
    this.stateWait = new StateWait('resync', this.sentableTick)
    this.voidUpToTick = sealedTick
    // Ticks that wait to be combined are of no use to it any more.
    this.batching?.clear()
  }

  /**
   * It has another seat from a tick on, or none. Its client hears of that in the tick, unless it is to
   * load a state from after it, or was told already which seat it has from that tick on.
   */
  noteSeatChange(seatTick: number, nowMs: number): void {
    const isTold = this.isWaitingForState || this.seatTick === seatTick
    this.seatTick = seatTick
    if (isTold) this.send(encodeMessage('RelaySeat', { seat: this.seat, seatTick }), nowMs)
  }

  /** The client has the state after `tick`, which is `bytes` bytes long. */
  beginAt(tick: number, bytes: number, nowMs: number): void {
    this.downloadBytesPerSecond =
      this.stateWait?.bytesPerSecond(bytes, nowMs) ?? this.downloadBytesPerSecond
    this.stateWait = undefined
    this.ackedTick = tick
    this.sentTick = tick
    this.executedTick = tick
  }

  /** The link was lost. */
  detach(): void {
    this.link = -1
    this.carrier = undefined
    this.#channel = undefined
    this.#path = undefined
    this.batching?.clear()
  }

  /** Notes that the client has everything up to a tick. */
  acknowledge(tick: number, controlSeen: number): void {
    if (tick > this.ackedTick) this.ackedTick = tick
    // It may have come over the previous link. The log drops what everyone has confirmed, so it must
    // not be sent over this one any more.
    if (tick > this.sentTick) this.sentTick = tick
    this.control.see(controlSeen)
  }

  /**
   * A tick was sealed, and the next one comes after `intervalMs`: sends what the client should have
   * from the log, or waits to combine it with later ticks.
   */
  noteSealed(log: BundleLog, writer: BitWriter, nowMs: number, intervalMs: number): void {
    if (this.#channel === undefined || this.isWaitingForState) return
    const { batching } = this
    if (batching?.addTick(this.#channel.stats, nowMs, intervalMs) === true) return
    this.sendTicks(log, writer, nowMs)
  }

  /** Sends what the client should have from the log now. */
  sendTicks(log: BundleLog, writer: BitWriter, nowMs: number): void {
    if (this.#path === undefined || this.isWaitingForState) return
    this.batching?.clear()
    this.control.refresh(this.nextOrder)
    this.#path.send(log, writer, nowMs)
  }
}
