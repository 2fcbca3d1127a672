import { BitWriter } from '../../base/bit-writer.ts'
import type { EntryBody, RecordEntry } from '../../record/entries.ts'
import { entryTypes } from '../../record/entries.ts'
import type { Member } from '../../room/members.ts'
import { relaySeat, spectatorOf } from '../../sim/game/run/bundle.ts'
import { bundleEventsMax } from '../../wire/limits.ts'
import type { Match } from '../match/match.ts'
import type { Session } from '../match/session.ts'
import type { MatchNotes } from './match-notes.ts'

const scratch = new BitWriter(64)

/** A member as last written, and how often it had begun anew. */
type WrittenMember = { readonly body: EntryBody<'member'>; readonly startCount: number }

/** How a member behaved as last written: how many strikes it had, and until when a vote silences it. */
type WrittenConduct = { readonly strikes: number; readonly votedUntilMs: number }

/** What of a match was written down last, to be compared with what is. */
export class MatchRecorder {
  readonly #match: Match
  readonly #notes: MatchNotes
  #roomRevision = -1
  #eventsRevision = 0
  #kickedCount = 0
  #pastRevision = 0
  readonly #members = new Map<number, WrittenMember>()
  readonly #conduct = new Map<number, WrittenConduct>()

  constructor(match: Match, notes: MatchNotes) {
    this.#match = match
    this.#notes = notes
  }

  /** Whether nothing happened but ticks, as nearly always. */
  get isPlain(): boolean {
    const { fresh, refused, droppedSeats, said, isStruck } = this.#notes
    const { room, sealer } = this.#match
    return (
      room.revision + sealer.eventsRevision === this.#roomRevision &&
      (fresh.length === 0 || sealer.waitingOrders === 0) &&
      refused.length === 0 &&
      droppedSeats.length === 0 &&
      said.length === 0 &&
      !isStruck
    )
  }

  /** All that happened since it was last asked. */
  changes(nowMs: number): RecordEntry[] {
    const { bundles, refused, droppedSeats, said } = this.#notes
    const entries: RecordEntry[] = []
    // First: what is said of orders counts on from those that were sealed.
    for (const body of bundles) entries.push({ name: 'bundle', body })
    for (const body of refused) entries.push({ name: 'refused', body })
    for (const seat of droppedSeats) entries.push({ name: 'dropped', body: { seat } })
    for (const body of said) entries.push({ name: 'said', body })
    this.#addTaken(entries)
    this.#addRoom(entries, nowMs)
    this.#addConduct(entries, nowMs)
    this.#addEvents(entries)
    return entries
  }

  /** The whole match, for a file that does not have it yet. */
  everything(nowMs: number): RecordEntry[] {
    const match = this.#match
    const { identity, log, sealer } = match
    const { id, name, seed, config } = match
    const entries: RecordEntry[] = [
      { name: 'match', body: { id, name, seed, ...identity, config } },
      { name: 'line', body: match.line },
    ]
    const isWhole = log.firstTick === 1
    if (!isWhole && log.sealedTick > 0) {
      const inputs = [...sealer.inputs]
      const body = { firstTick: 1, lastTick: log.sealedTick, why: 'trimmed', inputs } as const
      entries.push({ name: 'gap', body })
    }
    for (let tick = log.firstTick; tick <= log.sealedTick; tick++) {
      entries.push({ name: isWhole ? 'bundle' : 'kept', body: log.at(tick) })
    }
    this.#forget()
    for (const order of sealer.waitingLine) {
      const number = this.#numberOf(order.seat, order.number)
      if (number !== undefined) {
        entries.push({ name: 'taken', body: { seat: order.seat, number, bytes: order.bytes } })
      }
    }
    this.#addRoom(entries, nowMs)
    this.#addConduct(entries, nowMs)
    this.#addRefusals(entries)
    this.#addEvents(entries)
    return entries
  }

  /**
   * All that another relay needs beside the ticks that follow, for who keeps it small: without ticks,
   * without orders that wait, and without what clients know themselves.
   */
  capsule(nowMs: number): RecordEntry[] {
    const match = this.#match
    const { id, name, seed, config, identity, log, sealer } = match
    this.#forget()
    const entries: RecordEntry[] = [
      { name: 'match', body: { id, name, seed, ...identity, config } },
      { name: 'line', body: match.line },
    ]
    if (log.sealedTick > 0) {
      const inputs = [...sealer.inputs]
      const body = { firstTick: 1, lastTick: log.sealedTick, why: 'trimmed', inputs } as const
      entries.push({ name: 'gap', body })
    }
    this.#addRoom(entries, nowMs)
    this.#addConduct(entries, nowMs)
    this.#addEvents(entries)
    return entries
  }

  /** Nothing is written yet. */
  #forget(): void {
    this.#members.clear()
    this.#conduct.clear()
    this.#kickedCount = 0
    this.#pastRevision = 0
    this.#roomRevision = -1
    this.#eventsRevision = 0
  }

  /** Refusals that clients have not confirmed: they are told again. */
  #addRefusals(entries: RecordEntry[]): void {
    for (const { session, id } of this.#match.members.list) {
      const { nextOrder, control } = session
      for (const { number: low, reason } of control.refusals) {
        const number = nextOrder - 1 - ((nextOrder - 1 - low) & 0xffff)
        if (number >= 0) entries.push({ name: 'refused', body: { member: id, number, reason } })
      }
    }
  }

  /** Orders that were taken, of which the sender may hear, and that are in no bundle. */
  #addTaken(entries: RecordEntry[]): void {
    const { fresh } = this.#notes
    if (fresh.length === 0) return
    const waiting = new Set(this.#match.sealer.waitingLine.map(({ bytes }) => bytes))
    for (const order of fresh) {
      if (waiting.has(order.bytes)) entries.push({ name: 'taken', body: { ...order } })
    }
  }

  #addRoom(entries: RecordEntry[], nowMs: number): void {
    const { room, members, sealer } = this.#match
    // Whoever begins to play is sealed as joining.
    const revision = room.revision + sealer.eventsRevision
    if (revision === this.#roomRevision) return
    this.#roomRevision = revision
    for (const id of this.#members.keys()) {
      if (members.get(id) !== undefined) continue
      this.#members.delete(id)
      this.#conduct.delete(id)
      entries.push({ name: 'gone', body: { member: id } })
    }
    for (const member of members.list) {
      const { id, session } = member
      const body = memberBody(member)
      const before = this.#members.get(id)
      if (before !== undefined && isSame(before, body, session.startCount)) continue
      this.#members.set(id, { body, startCount: session.startCount })
      entries.push({ name: 'member', body })
    }
    entries.push({ name: 'room', body: this.#room(nowMs) })
  }

  /** What is held against somebody, here or gone. */
  #addConduct(entries: RecordEntry[], nowMs: number): void {
    const { kicked, pastSpeech, members } = this.#match
    for (const mark of kicked.newest(kicked.count - this.#kickedCount)) {
      entries.push({ name: 'kicked', body: { mark } })
    }
    this.#kickedCount = kicked.count
    if (pastSpeech.revision !== this.#pastRevision) {
      this.#pastRevision = pastSpeech.revision
      for (const body of pastSpeech.silenced(nowMs)) entries.push({ name: 'silenced', body })
    }
    for (const { id, session, speech } of members.list) {
      const { strikes } = session.guard
      const { votedUntilMs } = speech
      const before = this.#conduct.get(id) ?? blameless
      if (before.strikes === strikes.total && before.votedUntilMs === votedUntilMs) continue
      this.#conduct.set(id, { strikes: strikes.total, votedUntilMs })
      const muteMs = speech.voteMuteMs(nowMs)
      entries.push({
        name: 'conduct',
        body: { member: id, strikes: strikes.agesMs(nowMs), muteMs },
      })
    }
  }

  #room(nowMs: number): EntryBody<'room'> {
    const match = this.#match
    const { room, members } = match
    const { phase, remainingMs, optionsRevision, options, visibility, lateJoin, lockedSeats } =
      room.lobby.view(nowMs)
    return {
      phase,
      remainingMs,
      optionsRevision,
      options,
      visibility,
      lateJoin,
      lockedSeats: [...lockedSeats],
      owner: members.owner?.id,
      memberCount: match.maker.count,
      inputDelay: match.inputDelay,
      requestedPercent: room.pace.requestedPercent,
      effectivePercent: room.pace.effectivePercent,
      pause: room.pace.pauseView(nowMs),
      pauses: room.pace.pausesView(),
      bots: room.bots.view(),
      ...room.votes.state(nowMs),
    }
  }

  /** Events that wait for the next tick, as that would have them. */
  #addEvents(entries: RecordEntry[]): void {
    const { sealer } = this.#match
    if (sealer.eventsRevision === this.#eventsRevision) return
    this.#eventsRevision = sealer.eventsRevision
    const events = sealer.waitingEvents.slice(0, bundleEventsMax)
    scratch.reset()
    sealer.codec.encode(
      scratch,
      { orders: [], events },
      sealer.inputs,
      sealer.inputs,
      nobody(sealer.codec.seatCount),
    )
    entries.push({ name: 'waiting', body: scratch.finish() })
  }

  /** The whole number of an order of which the low bits are known: one of the last of its seat. */
  #numberOf(seat: number, low: number): number | undefined {
    const { members } = this.#match
    // Nobody asks the relay for the numbers of its own.
    if (seat === relaySeat) return low
    const spectator = spectatorOf(seat)
    const member = spectator === undefined ? members.seats[seat] : members.get(spectator)
    const nextOrder = member?.session.nextOrder
    if (nextOrder === undefined) return undefined
    const number = nextOrder - 1 - ((nextOrder - 1 - low) & 0xff)
    return number < 0 ? undefined : number
  }
}

function memberBody({ session, speech, ...member }: Member<Session>): EntryBody<'member'> {
  const { id, name, role, seat, team, isReady, loadProgress, claim } = member
  const { ticket, secret, nextOrder, stateWait, visitor, rewindTick, givenTick } = session
  const { identity } = visitor
  const isMuted = speech.isMutedByOwner
  const place = { role, seat, team, isReady, loadProgress }
  return {
    id,
    name,
    ticket,
    secret,
    ...place,
    nextOrder,
    isMuted,
    isNewcomer: stateWait?.isNewcomer === true,
    claim,
    identity,
    rewindTick,
    givenTick,
  }
}

/** Orders count by themselves, until their count begins anew. */
function isSame(before: WrittenMember, body: EntryBody<'member'>, startCount: number): boolean {
  if (startCount !== before.startCount) return false
  const { nextOrder } = before.body
  return entryTypes.member.fields.equals({ ...body, nextOrder }, before.body)
}

const blameless: WrittenConduct = { strikes: 0, votedUntilMs: Number.NEGATIVE_INFINITY }

function nobody(seats: number): Uint8Array {
  return new Uint8Array(seats)
}
