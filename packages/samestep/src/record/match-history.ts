import { BitReader } from '../base/bit-reader.ts'
import { WireError } from '../base/errors.ts'
import type { SystemEvent } from '../sim/game/run/bundle.ts'
import { toHex } from '../sim/hash/hex.ts'
import { logMs, speedPercentMax, ticksIn } from '../wire/limits.ts'
import type { BundleContent } from '../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../wire/ticks/bundle-codec.ts'
import type { EntryBody, RecordEntry } from './entries.ts'
import { kickedMarksMax, silencedMarksMax, strikeMsMax } from './limits.ts'
import { MemberHistory, type TakenOrder } from './member-history.ts'
import { agedVotes, paceAfter, putNewest } from './room-later.ts'

/** What was said of somebody at a tick: what it counts in ms is older by now. */
type Aging<T> = { readonly body: T; readonly tick: number }

const bits = new BitReader()

/**
 * What the entries of one match add up to: where it stood when the last of them was written. Enough for
 * a relay to go on from there.
 *
 * Entries are taken in sequence. It keeps what a relay keeps: all members, and the newest ticks of as
 * long a time as a relay's log.
 */
export class MatchHistory {
  readonly match: EntryBody<'match'>
  readonly #members: MemberHistory
  readonly #codec: BundleCodec
  readonly #slots: Uint32Array
  readonly #missing: Uint8Array
  #bundles: Uint8Array[] = []
  #sealedTick = 0
  #room: EntryBody<'room'> | undefined
  readonly #conduct = new Map<number, Aging<EntryBody<'conduct'>>>()
  readonly #kicked = new Map<string, Uint8Array>()
  readonly #silenced = new Map<string, Aging<EntryBody<'silenced'>>>()
  /** The tick after which the room was last written down. */
  #roomTick = 0
  #waiting: readonly SystemEvent[] = []
  #end: EntryBody<'end'> | undefined
  #hash: EntryBody<'hash'> | undefined
  #line: EntryBody<'line'> | undefined
  #rebuiltTick: number | undefined

  constructor(match: EntryBody<'match'>) {
    this.match = match
    const { seats, inputSlots } = match.config
    this.#members = new MemberHistory(seats)
    this.#codec = new BundleCodec(seats, inputSlots)
    const { slotTotal, delta } = this.#codec
    this.#slots = new Uint32Array(slotTotal)
    for (let seat = 0; seat < seats; seat++) delta.writeInitial(this.#slots, seat * delta.slotCount)
    this.#missing = new Uint8Array(seats)
  }

  /** The newest sealed tick; 0 before the first. */
  get sealedTick(): number {
    return this.#sealedTick
  }

  /** The oldest tick whose bundle is kept; one more than {@link sealedTick} when none is. */
  get firstTick(): number {
    return this.#sealedTick - this.#bundles.length + 1
  }

  /** The bundles that are kept, from {@link firstTick} on. */
  get bundles(): readonly Uint8Array[] {
    return this.#bundles
  }

  /** The inputs of all seats in the newest sealed tick, seat by seat. */
  get inputs(): Uint32Array {
    return this.#slots
  }

  /** Those who are in the match, by their numbers. */
  get members(): ReadonlyMap<number, EntryBody<'member'>> {
    return this.#members.byId
  }

  /** Where the match stands; `undefined` before it was said. */
  get room(): EntryBody<'room'> | undefined {
    const room = this.#room
    if (room?.vote === undefined && (room?.proposals.length ?? 0) === 0) return room
    return room && agedVotes(room, this.#agoMs(this.#roomTick))
  }

  /** What a member broke the rules with lately, and how long a vote still silences it. */
  conductOf(member: number): Pick<EntryBody<'conduct'>, 'strikes' | 'muteMs'> {
    const said = this.#conduct.get(member)
    if (said === undefined) return { strikes: [], muteMs: 0 }
    const agoMs = this.#agoMs(said.tick)
    const strikes = said.body.strikes.map((ms) => ms + agoMs).filter((ms) => ms < strikeMsMax)
    return { strikes, muteMs: Math.max(said.body.muteMs - agoMs, 0) }
  }

  /** The marks of those who were removed, the oldest first. */
  get kicked(): readonly Uint8Array[] {
    return [...this.#kicked.values()]
  }

  /** Those who left and were silenced, the oldest first. */
  get silenced(): readonly EntryBody<'silenced'>[] {
    return [...this.#silenced.values()].map(({ body, tick }) => {
      return { ...body, muteMs: Math.max(body.muteMs - this.#agoMs(tick), 0) }
    })
  }

  /** Which line of history this is; `undefined` where nobody said. */
  get line(): EntryBody<'line'> | undefined {
    return this.#line
  }

  /**
   * The last tick of a history that was put together from what clients had: whoever has ticks behind it
   * has others. `undefined` for one that is whole.
   */
  get rebuiltTick(): number | undefined {
    return this.#rebuiltTick
  }

  /** It ends here, and may have gone on otherwise: nobody can tell any more. */
  endRebuilt(): void {
    this.#rebuiltTick = this.#sealedTick
  }

  /** Orders that were taken and are not sealed, in sequence. */
  get taken(): readonly TakenOrder[] {
    return this.#members.taken
  }

  /** Orders of a member that were refused, the newest: nobody knows whether it heard of them. */
  refusalsOf(member: number): readonly EntryBody<'refused'>[] {
    return this.#members.refusalsOf(member)
  }

  /** Events that are not sealed, in sequence. */
  get waitingEvents(): readonly SystemEvent[] {
    return this.#waiting
  }

  /** Whether the newest sealed tick is one of a pause. */
  get isPaused(): boolean {
    // What was granted is in the room at once, and in a tick only when its event is.
    const next = this.#waiting.find(({ type }) => type === 'pause' || type === 'resume')
    return next === undefined ? this.#room?.pause !== undefined : next.type === 'resume'
  }

  /** How the match ended; `undefined` while it goes on. */
  get end(): EntryBody<'end'> | undefined {
    return this.#end
  }

  /** The newest hash that was agreed on. */
  get hash(): EntryBody<'hash'> | undefined {
    return this.#hash
  }

  /**
   * Takes in the next entry about this match.
   *
   * @throws WireError for what cannot be said of it: a bundle that is none, a seat that it has not.
   */
  apply(entry: RecordEntry): void {
    switch (entry.name) {
      case 'bundle':
        this.#seal(entry.body)
        return
      case 'gap':
        this.#skip(entry.body)
        return
      case 'kept':
        this.#keep(entry.body)
        return
      case 'member':
        this.#members.set(entry.body)
        return
      case 'gone':
        this.#members.remove(entry.body.member)
        this.#conduct.delete(entry.body.member)
        return
      case 'room':
        this.#room = entry.body
        this.#roomTick = this.#sealedTick
        return
      case 'kicked':
        putNewest(this.#kicked, toHex(entry.body.mark), entry.body.mark, kickedMarksMax)
        return
      case 'conduct':
        this.#setConduct(entry.body)
        return
      case 'silenced': {
        const { mark } = entry.body
        const said = { body: entry.body, tick: this.#sealedTick }
        putNewest(this.#silenced, toHex(mark), said, 2 * silencedMarksMax)
        return
      }
      case 'taken':
        this.#members.take(entry.body)
        return
      case 'refused':
        this.#members.refuse(entry.body)
        return
      case 'dropped':
        this.#members.drop(entry.body.seat)
        return
      case 'waiting':
        this.#waiting = this.#decode(entry.body, this.#slots.slice()).events
        return
      case 'hash':
        this.#hash = entry.body
        return
      case 'end':
        this.#end = entry.body
        return
      case 'match':
        throw new WireError('SS_WIRE_MISMATCH', 0, 'Cannot take in the beginning of another match')
      case 'line':
        this.#line = entry.body
        return
      case 'said':
      case 'snapshot':
        // Nothing that a relay would go on from.
        return
      default:
        entry satisfies never
    }
  }

  #seal(bundle: Uint8Array): void {
    const { orders, events } = this.#decode(bundle, this.#slots)
    this.#sealedTick += 1
    this.#bundles.push(bundle)
    // In halves, so that a long match is not moved in memory with every tick.
    const kept = this.#ticksOf(Math.max(this.#room?.effectivePercent ?? 100, 100))
    if (this.#bundles.length >= 2 * kept) this.#bundles = this.#bundles.slice(-kept)
    for (const order of orders) this.#members.noteSealed(order)
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.slice(events.length)
    if (this.#room === undefined) return
    if (this.#room.pause !== undefined) this.#room = this.#usePause(this.#room)
    if (events.length > 0) this.#room = paceAfter(this.#room, events, this.#waiting)
  }

  /** Ticks that a relay keeps at this speed. */
  #ticksOf(percent: number): number {
    return ticksIn(logMs, (this.match.config.tickRate * percent) / 100)
  }

  /** A pause was written down when it began: what is left of it shows by the ticks since. */
  #usePause(room: EntryBody<'room'>): EntryBody<'room'> {
    const { pause } = room
    if (pause?.remainingMs === undefined) return room
    const remainingMs = Math.max(Math.floor(pause.remainingMs - this.#tickMs), 0)
    return { ...room, pause: { ...pause, remainingMs } }
  }

  #skip({ lastTick, inputs }: EntryBody<'gap'>): void {
    if (inputs.length !== this.#slots.length) {
      throw new WireError('SS_WIRE_MISMATCH', 0, 'Cannot go on from the inputs of another game')
    }
    this.#slots.set(inputs)
    this.#sealedTick = lastTick
    this.#bundles = []
  }

  /** Nobody here can read its inputs, which build on those of ticks that are gone. */
  #keep(bundle: Uint8Array): void {
    if (this.#bundles.length >= Math.min(this.#sealedTick, this.#ticksOf(speedPercentMax))) {
      throw new WireError('SS_WIRE_OUT_OF_RANGE', 0, 'Cannot keep more ticks than there were')
    }
    this.#bundles.push(bundle)
  }

  #setConduct(body: EntryBody<'conduct'>): void {
    if (!this.members.has(body.member)) {
      throw new WireError(
        'SS_WIRE_UNKNOWN',
        0,
        `Cannot judge member ${body.member}, who is not here`,
      )
    }
    this.#conduct.set(body.member, { body, tick: this.#sealedTick })
  }

  /** How long ago a tick was, in whole ms. A match that stands still does not age. */
  #agoMs(tick: number): number {
    return Math.floor((this.#sealedTick - tick) * this.#tickMs)
  }

  /** How long a tick takes at the speed of now. */
  get #tickMs(): number {
    const { effectivePercent = 100 } = this.#room ?? {}
    return 100_000 / (this.match.config.tickRate * Math.max(effectivePercent, 1))
  }

  #decode(bundle: Uint8Array, slots: Uint32Array): BundleContent {
    bits.reset(bundle)
    const content = this.#codec.decode(bits, slots, this.#missing)
    bits.end()
    return content
  }
}
