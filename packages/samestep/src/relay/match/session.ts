import type { BitWriter } from '../../base/bit-writer.ts'
import type { Channel } from '../../link/channel.ts'
import type { EntryBody } from '../../record/entries.ts'
import type { Member, MemberSession } from '../../room/members.ts'
import type { PresenceWord } from '../../wire/codes.ts'
import { halfOpenMs } from '../../wire/patience.ts'
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

/** What a session and its match know of the link that carries it; the relay has more of it. */
export interface Carrier extends TurnOwner {
  readonly isOpen: boolean
  /** What may still come over it. */
  readonly budget: PacketBudget
  /** Whom it carries now: what waits of somebody else counts for nothing. */
  readonly session: Session | undefined
}

/**
 * One member's conversation with a match. It outlives its links: a client whose link died comes back
 * with its ticket and goes on where it was.
 */
export class Session implements MemberSession, TickCursor {
  // What every turn and every tick looks at comes first, so that it lies side by side in memory.
  /** Who this is, and where he sits. */
  readonly member: Member<Session>
  readonly guard: SessionGuard
  /** The state that the client waits for; `undefined` when it has one. */
  stateWait: StateWait | undefined
  #control = new ClientControl()
  #channel: Channel | undefined
  /** How ticks go over that channel. */
  #path: TickPath | undefined
  /** Whether ticks wait for each other, where the match allows it; each goes out at once without. */
  readonly batching: Batching | undefined
  /** The newest tick that the client has without a gap. */
  ackedTick = 0
  /** The newest tick that was sent over the current link. */
  sentTick = 0
  /** The newest that was sent over the link before it, which may still be confirmed. */
  #sentBefore = 0
  /** The newest tick that the client says it executed. */
  executedTick = 0
  /** The newest tick that an input of this client was ever for: what comes again tells nothing new. */
  newestInputTick = 0
  /** The next order number that is expected of the client. */
  nextOrder = 0
  /** The link that carries it now, or -1; and where the relay has more of it. */
  link = -1
  carrier: Carrier | undefined
  readonly ticket: Uint8Array
  /** What its client proves with that it is its own; without one, nobody can come back to it. */
  secret: Uint8Array | undefined
  /** Reports about ticks up to this one are of a state that was given up. */
  voidUpToTick = -1
  /** What its line carried when it last downloaded a state; `undefined` when it never did. */
  downloadBytesPerSecond: number | undefined
  /** Until when turns may also come over the link that it has left for a better one. */
  twoLinksUntilMs = 0
  /** The round trip as the client measured it. */
  rttMs: number | undefined
  /**
   * The last tick that its client surely has in common with the match, where that was rebuilt since;
   * until it is heard of again.
   */
  rewindTick: number | undefined
  /** How often it began anew, and with it the count of its orders. */
  startCount = 0
  /** Orders that came again after they were taken: what repeating costs, and loss would have. */
  copiedOrders = 0
  readonly visitor = new Visitor()
  /** Whether it says anything of its state. */
  readonly withheld = new WithheldHashes()
  /** When its player last did something; `undefined` before anybody looked. */
  actedAtMs: number | undefined
  /** The newest input, as a number: another one is something that its player did. */
  inputSum = 0
  /** What it may have, in a match that spectators see later than it happens. */
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

  /** Ticks that wait for each other in one packet: 1 unless the link is too narrow. */
  get ticksPerPacket(): number {
    return this.batching?.ticksPerPacket ?? 1
  }

  /** When what waits for company goes out all the same; `Infinity` when nothing does. */
  get flushAtMs(): number {
    return this.batching?.flushAtMs ?? Number.POSITIVE_INFINITY
  }

  /** What the client is told beside the ticks. */
  get control(): ClientControl {
    return this.#control
  }

  /** Whether it sees the match later than it happens. */
  get isDelayed(): boolean {
    return this.#viewer?.isDelayed === true
  }

  /** The newest tick that the client may have now; `Infinity` for whatever is sealed. */
  get visibleTick(): number {
    return this.#viewer === undefined ? Number.POSITIVE_INFINITY : this.#viewer.visibleTick
  }

  /** The newest tick that it can have executed: what it is measured against. */
  reachableTick(sealedTick: number): number {
    return Math.min(sealedTick, Math.max(this.visibleTick, this.executedTick))
  }

  /**
   * Sends a message beside the ticks, where there is a link. `isAboutPlay` says that it tells something
   * about the game that is played: whoever sees that later hears it later.
   */
  send(bytes: Uint8Array, nowMs: number, isAboutPlay = false): void {
    if (isAboutPlay && this.#viewer?.hold(bytes, nowMs) === true) return
    this.#channel?.sendControl(bytes, nowMs)
  }

  /** Sends what was held for it and is old enough now. */
  sendHeld(nowMs: number): void {
    const viewer = this.#viewer
    if (viewer === undefined) return
    for (let bytes = viewer.takeHeld(nowMs); bytes; bytes = viewer.takeHeld(nowMs)) {
      this.#channel?.sendControl(bytes, nowMs)
    }
  }

  /** The client sets the match up anew, and counts its orders from 0: nothing of before is left. */
  startOver(): void {
    this.nextOrder = 0
    this.startCount += 1
    this.#control = new ClientControl()
    this.#control.restart()
  }

  /** Goes on where another relay was: the client has everything before `firstTick`, or needs nothing. */
  restore(
    { nextOrder, secret, isNewcomer, rewindTick }: EntryBody<'member'>,
    firstTick: number,
    sealedTick: number,
    nowMs: number,
  ): void {
    this.guard.restore(nowMs)
    this.nextOrder = nextOrder
    this.secret = secret
    this.rewindTick = rewindTick
    if (isNewcomer) this.awaitState(true)
    this.ackedTick = firstTick - 1
    this.sentTick = firstTick - 1
    // As far as anybody could be: what it did before is not told again, and no fault of its own.
    this.executedTick = sealedTick
    this.newestInputTick = sealedTick
  }

  /** Gives a new token to who sent the last one back, not more often than is due. */
  renewToken(randomWord: () => number, nowMs: number): void {
    if (!this.guard.liveness.isTokenDue(nowMs)) return
    // 0 is what a client is told that has none.
    const token = randomWord() || 1
    this.guard.liveness.setToken(token, nowMs)
    this.#control.setToken(token)
  }

  /**
   * Takes up the conversation on a link, from the tick after the newest that the client has. What was
   * sent over the link before may still come there: one that seemed dead may have woken meanwhile.
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

  /** The newest tick that the client can have got. */
  get sentableTick(): number {
    return Math.max(this.sentTick, this.#sentBefore)
  }

  get isWaitingForState(): boolean {
    return this.stateWait !== undefined
  }

  /** The client has no state to go on from, or one from long ago. */
  awaitState(isNewcomer: boolean): void {
    this.stateWait ??= new StateWait(isNewcomer ? 'newcomer' : 'returning')
  }

  /** Whether it plays and is there, so that it can say what the state of the match is. */
  canVote(nowMs: number): boolean {
    return (this.member.seat !== undefined || this.isReferee) && this.#isThere(nowMs)
  }

  /** Whether it has the state of the match, though its word does not count. */
  canHelp(nowMs: number): boolean {
    return this.isWitness && !this.isReferee && this.#isThere(nowMs)
  }

  #isThere(nowMs: number): boolean {
    if (this.link < 0 || this.isWaitingForState) return false
    const { presence } = this
    // A hidden page may be silent for long, and then it may as well be asleep.
    if (presence === 'hidden') return nowMs < this.guard.liveness.heardAtMs + halfOpenMs
    return presence === 'active' || presence === 'lagging'
  }

  get isWitness(): boolean {
    return this.member.role === 'witness'
  }

  /** Whether it is a witness, in a match where that decides. */
  get isReferee(): boolean {
    return this.#hasReferee && this.isWitness
  }

  /** So many bytes are asked of the client: sending them is not held against it. */
  grant(bytes: number): void {
    this.carrier?.budget.grant(bytes)
  }

  /** Whether it has another state than most, and waits for theirs. */
  get isResyncing(): boolean {
    return this.stateWait?.isResyncing === true
  }

  /** Its state is another than that of most: what it says of ticks up to this one is void. */
  awaitResync(sealedTick: number): void {
    this.stateWait = new StateWait('resync')
    this.voidUpToTick = sealedTick
    // Ticks that wait for company are of no use to it any more.
    this.batching?.clear()
  }

  /** The client has the state after a tick, which was so many bytes. */
  beginAt(tick: number, bytes: number, nowMs: number): void {
    this.downloadBytesPerSecond =
      this.stateWait?.bytesPerSecond(bytes, nowMs) ?? this.downloadBytesPerSecond
    this.stateWait = undefined
    this.ackedTick = tick
    this.sentTick = tick
    this.executedTick = tick
  }

  /** The link is lost. */
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
    this.control.see(controlSeen)
  }

  /**
   * A tick was sealed, and the next one comes after `intervalMs`: sends what the client should have of
   * the log, or lets it wait for company.
   */
  noteSealed(log: BundleLog, writer: BitWriter, nowMs: number, intervalMs: number): void {
    if (this.#channel === undefined || this.isWaitingForState) return
    const { batching } = this
    if (batching?.addTick(this.#channel.stats, nowMs, intervalMs) === true) return
    this.sendTicks(log, writer, nowMs)
  }

  /** Sends what the client should have of the log, now. */
  sendTicks(log: BundleLog, writer: BitWriter, nowMs: number): void {
    if (this.#path === undefined || this.isWaitingForState) return
    this.batching?.clear()
    this.control.refresh(this.nextOrder)
    this.#path.send(log, writer, nowMs)
  }
}
