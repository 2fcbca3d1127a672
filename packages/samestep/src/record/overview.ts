import { WireError } from '../base/errors.ts'
import { toHex } from '../sim/hash/hex.ts'
import type { EntryName, RecordEntry } from './entries.ts'
import { MatchHistories } from './match-histories.ts'
import type { RecordItem } from './reader.ts'
import { scanRecord } from './scan.ts'

/** One match of a record, for a reader. */
export interface MatchOverview {
  readonly id: string
  readonly name: string
  readonly game: { readonly id: string; readonly version: number; readonly fingerprint: string }
  /** The files that it was played with: their SHA-256, by name. */
  readonly content: { readonly [name: string]: string }
  readonly tickRate: number
  readonly seats: number
  readonly phase: string | undefined
  /** The first and the newest tick that is here; missing ones between them are in `gaps`. */
  readonly firstTick: number
  readonly lastTick: number
  readonly gaps: readonly {
    readonly firstTick: number
    readonly lastTick: number
    readonly why: string
  }[]
  readonly members: readonly {
    readonly id: number
    readonly name: string
    readonly role: string
    readonly seat: number | undefined
    readonly nextOrder: number
  }[]
  /** Orders and events that were taken and are not sealed. */
  readonly waitingOrders: number
  readonly waitingEvents: number
  /** How many entries of each kind there are. */
  readonly entries: Readonly<Partial<Record<EntryName, number>>>
  /** Why it ended; `undefined` when the record ends before the match did. */
  readonly end: string | undefined
}

/** What a record holds. */
export interface RecordOverview {
  readonly matches: readonly MatchOverview[]
  readonly bytes: number
  /** Bytes that belong to whole entries. */
  readonly wholeBytes: number
  /** Where and why reading stopped; `undefined` when everything could be read. */
  readonly torn:
    | {
        readonly at: number
        readonly bytes: number
        readonly code: string
        readonly message: string
      }
    | undefined
}

type Gap = MatchOverview['gaps'][number]

/** Counts that the history of a match does not keep. */
class Counts {
  readonly entries: Partial<Record<EntryName, number>> = {}
  gaps: Gap[] = []
  firstTick = 0

  note({ entry, tick }: RecordItem): void {
    this.entries[entry.name] = (this.entries[entry.name] ?? 0) + 1
    if (entry.name === 'match') {
      this.gaps = []
      this.firstTick = 0
    }
    if (entry.name === 'gap') this.#noteGap(entry)
    if (entry.name === 'bundle' && this.firstTick === 0) this.firstTick = tick
  }

  #noteGap({ body }: Extract<RecordEntry, { name: 'gap' }>): void {
    const { firstTick, lastTick, why } = body
    this.gaps.push({ firstTick, lastTick, why })
  }
}

/** Reads a record and says what it holds. Nothing that is in the bytes throws. */
export function overviewOf(pieces: Iterable<Uint8Array>): RecordOverview {
  const histories = new MatchHistories()
  const counts = new Map<number, Counts>()
  const ids = new Map<number, string>()
  let refused: { readonly at: number; readonly error: WireError } | undefined
  const end = scanRecord(pieces, (item) => {
    if (refused !== undefined) return
    if (item.entry.name === 'match') ids.set(item.match, item.entry.body.id)
    const count = counts.get(item.match) ?? new Counts()
    counts.set(item.match, count)
    count.note(item)
    try {
      histories.add(item)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      refused = { at: item.offset, error }
    }
  })
  const bytes = end.wholeBytes + end.lostBytes
  const wholeBytes = refused?.at ?? end.wholeBytes
  const error = refused?.error ?? end.error
  const matches = [...ids].flatMap(([match, id]) => {
    const history = histories.byId.get(id)
    return history === undefined ? [] : [matchOverview(history, counts.get(match) as Counts)]
  })
  const torn = error && {
    at: wholeBytes,
    bytes: bytes - wholeBytes,
    code: error.code,
    message: error.message,
  }
  return { matches, bytes, wholeBytes, torn }
}

function matchOverview(
  history: MatchHistories['byId'] extends ReadonlyMap<string, infer H> ? H : never,
  { entries, gaps, firstTick }: Counts,
): MatchOverview {
  const { match, room, members, sealedTick, taken, waitingEvents, end } = history
  return {
    id: match.id,
    name: match.name,
    game: {
      id: match.gameId,
      version: match.gameVersion,
      fingerprint: toHex(match.fingerprint),
    },
    content: Object.fromEntries(match.config.content.map(({ name, hash }) => [name, toHex(hash)])),
    tickRate: match.config.tickRate,
    seats: match.config.seats,
    phase: room?.phase,
    firstTick,
    lastTick: sealedTick,
    gaps,
    // Without tickets: whoever has one can take the seat.
    members: [...members.values()].map(({ id, name, role, seat, nextOrder }) => {
      return { id, name, role, seat, nextOrder }
    }),
    waitingOrders: taken.length,
    waitingEvents: waitingEvents.length,
    entries,
    end: end?.reason,
  }
}
