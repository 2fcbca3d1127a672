import { toHex } from '../sim/hash/hex.ts'
import type { MessageBody } from '../wire/messages.ts'
import { Deadlines } from './deadlines.ts'
import type { Refusal } from './door.ts'
import { checkConfig, isReturning, refusal } from './door.ts'
import type { Link } from './link-state.ts'
import { Match } from './match.ts'
import type { GameIdentity, MatchEvent } from './match-types.ts'
import type { RelayOptions } from './relay-output.ts'
import type { WaitingTurns } from './waiting-turns.ts'

/** The matches of a relay: by name, and by when each has to be served next. */
export class MatchTable {
  readonly #options: Required<RelayOptions>
  readonly #turns: WaitingTurns<Link> | undefined
  readonly #emit: (match: string, event: MatchEvent) => void
  readonly #matches = new Map<string, Match>()
  readonly #deadlines = new Deadlines<Match>()
  readonly #due: Match[] = []

  constructor(
    options: Required<RelayOptions>,
    turns: WaitingTurns<Link>,
    emit: (match: string, event: MatchEvent) => void,
  ) {
    this.#options = options
    this.#turns = options.deferTurns ? turns : undefined
    this.#emit = emit
  }

  get byName(): ReadonlyMap<string, Match> {
    return this.#matches
  }

  /** The match of that name, or a new one as whoever asks for it wants it, or why there is none. */
  find(identity: GameIdentity, join: MessageBody<'ClientJoin'>, nowMs: number): Match | Refusal {
    return this.#matches.get(join.match) ?? this.#create(identity, join, nowMs)
  }

  /** Notes when a match wants to be served next: whatever it was told may have moved it. */
  schedule(match: Match): void {
    if (this.#matches.get(match.name) === match) this.#deadlines.set(match, match.wakeAtMs())
  }

  /**
   * The matches whose time has come, each once: one that wants to be served again at once waits for
   * the next call, so that no mistake in a match can keep the others waiting. Valid until then.
   */
  takeDue(nowMs: number): readonly Match[] {
    this.#due.length = 0
    for (let match = this.#deadlines.due(nowMs); match; match = this.#deadlines.due(nowMs)) {
      this.#due.push(match)
    }
    return this.#due
  }

  soonestMs(): number {
    return this.#deadlines.soonestMs()
  }

  /** Time in which this process stood still counts against nobody. */
  excuse(lostMs: number, nowMs: number): void {
    if (lostMs === 0) return
    for (const match of this.#matches.values()) match.excuse(lostMs, nowMs)
  }

  delete(match: Match): void {
    this.#matches.delete(match.name)
    this.#deadlines.delete(match)
  }

  #create(identity: GameIdentity, join: MessageBody<'ClientJoin'>, nowMs: number): Match | Refusal {
    const { match: name, config } = join
    if (isReturning(join)) return refusal('no-match', 'match', name, 'none of that name')
    const { matchesMax, randomBytes } = this.#options
    if (!this.#options.mayCreate(name)) {
      return refusal('no-match', 'match', name, 'one that exists: none can be made here')
    }
    if (this.#matches.size >= matchesMax) {
      return refusal('match-full', 'matches', String(this.#matches.size), 'the limit')
    }
    const problem = checkConfig(config)
    if (problem !== undefined) return problem
    const match = new Match({
      id: toHex(randomBytes(8)),
      seed: toHex(randomBytes(16)),
      name,
      config,
      identity,
      nowMs,
      waitingMax: this.#options.waitingOrdersMax,
      tellSealed: this.#options.tellSealed,
      // A tick that waits for inputs is moved by each of them.
      waitingTurns: config.missing.kind === 'wait' ? undefined : this.#turns,
      randomWord: () => {
        const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
        return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
      },
      emit: (event) => this.#emit(name, event),
    })
    this.#matches.set(name, match)
    // Should whoever asked for it not get in, it closes like any other that is empty.
    this.schedule(match)
    return match
  }
}
