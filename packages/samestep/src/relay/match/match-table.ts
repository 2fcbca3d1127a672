import { Deadlines } from '../../base/deadlines.ts'
import { lineBytes } from '../../record/limits.ts'
import type { MatchHistory } from '../../record/match-history.ts'
import type { RoomLimits } from '../../room/room.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import type { MessageBody } from '../../wire/messages/messages.ts'
import type { Refusal } from '../links/door.ts'
import { checkConfig, isReturning, noMatch, refusal } from '../links/door.ts'
import type { MatchCaps } from '../links/match-caps.ts'
import { checkCaps, speedCap } from '../links/match-caps.ts'
import type { WaitingTurns } from '../links/waiting-turns.ts'
import type { Recorder } from '../record/recorder.ts'
import type { CapsuleCipher } from '../recovery/capsule-cipher.ts'
import { MatchTags } from '../recovery/match-tags.ts'
import type { Recoveries } from '../recovery/recoveries.ts'
import type { RelayOptions } from '../relay-options.ts'
import { Match } from './match.ts'
import type { GameIdentity, MatchEvent, MatchSpec } from './match-types.ts'
import { firstLine } from './match-types.ts'
import { Makers } from './people/makers.ts'
import type { Carrier } from './session.ts'

/** The client that asks for a match that does not exist yet, and what it may do. */
export interface MatchMaker {
  readonly address: string | undefined
  /** The driver's time: a relay that nobody visits is not woken, and time passes there too. */
  readonly driverMs: number
  /** Whether authorization lets it create a match; `undefined` if it did not say. */
  readonly permission?: boolean | undefined
  /** What it may choose, where that differs from what everyone may. */
  readonly limits?: Partial<MatchCaps> | undefined
}

/** The matches of a relay, by name and by when each must be served next. */
export class MatchTable {
  readonly #options: Required<RelayOptions>
  readonly #meterMs: () => number
  readonly #turns: WaitingTurns<Carrier> | undefined
  readonly #emit: (match: string, event: MatchEvent) => void
  readonly #recorder: Recorder | undefined
  readonly #cipher: CapsuleCipher | undefined
  readonly #recoveries: Recoveries | undefined
  readonly #matches = new Map<string, Match>()
  readonly #deadlines = new Deadlines<Match>()
  /** What members are given to keep, in case this relay is lost. */
  readonly #tags = new Map<Match, MatchTags>()
  readonly #makers: Makers<Match>

  constructor(
    options: Required<RelayOptions>,
    turns: WaitingTurns<Carrier>,
    emit: (match: string, event: MatchEvent) => void,
    recorder?: Recorder,
    cipher?: CapsuleCipher,
    recoveries?: Recoveries,
  ) {
    this.#recoveries = recoveries

    this.#recorder = recorder
    this.#cipher = cipher
    this.#options = options
    this.#meterMs = options.meterMs.bind(options)
    this.#turns = options.deferTurns ? turns : undefined
    this.#emit = emit
    this.#makers = options.makers ?? new Makers(options.matchesPerMinute)
  }

  get byName(): ReadonlyMap<string, Match> {
    return this.#matches
  }

  /** The match of that name, or a new one with the config of the join, or why there is none. */
  find(
    identity: GameIdentity,
    join: MessageBody<'ClientJoin'>,
    maker: MatchMaker,
    nowMs: number,
  ): Match | Refusal {
    return this.#matches.get(join.match) ?? this.#make(identity, join, maker, nowMs)
  }

  /** Creates a match for the operator, who may choose whatever the protocol allows. */
  create(
    name: string,
    identity: GameIdentity,
    config: MatchConfig,
    keptMs: number,
    nowMs: number,
  ): Match | Refusal {
    const why = `there is a match '${name}' already`
    const taken = refusal('no-match', 'match', name, 'a name that is free', why)
    const fault =
      (this.#matches.has(name) ? taken : undefined) ?? this.#fullness() ?? checkConfig(config)
    if (fault === undefined) return this.#add(name, identity, config, { keptMs }, nowMs)
    // The operator did not ask to be let in.
    return { ...fault, message: fault.message.replace('let you in', 'create the match') }
  }

  /** A link of a match came or went: the match is written down, and scheduled. */
  noteMoved(match: Match, nowMs: number): void {
    this.#tags.get(match)?.noteAttached()
    this.#recorder?.touch(match, nowMs)
    this.schedule(match)
  }

  /** A match was served: its members are given what they are to keep, if it is time. */
  serveTags(match: Match, nowMs: number): void {
    if (this.#tags.size > 0) this.#tags.get(match)?.serve(match, nowMs)
  }

  /** Notes when a match must be served next. Call it after anything that may have changed that. */
  schedule(match: Match): void {
    // A match on its own takes no time from others.
    const readyAtMs = this.#matches.size > 1 ? match.share.readyAtMs : Number.NEGATIVE_INFINITY
    this.#deadlines.move(match, Math.max(match.wakeAtMs(), readyAtMs))
  }

  /** A match was served since `fromMs` of the meter: counts the cost, and schedules the match. */
  noteServed(match: Match, fromMs: number, nowMs: number): void {
    match.share.spend(this.#meterMs() - fromMs, nowMs)
    this.schedule(match)
  }

  /** The match that was due first. It has no deadline then, until it is scheduled again. */
  takeDue(nowMs: number): Match | undefined {
    return this.#deadlines.due(nowMs)
  }

  soonestMs(): number {
    return this.#deadlines.soonestMs()
  }

  /** The match that must be served next. */
  soonest(): Match | undefined {
    return this.#deadlines.soonest()
  }

  /** Continues a match that another relay wrote down; `undefined` if that is not possible. */
  restore(history: MatchHistory, nowMs: number): Match | undefined {
    const { id, name, seed, config, gameId, gameVersion, fingerprint } = history.match
    const isOpen = history.room !== undefined && history.end === undefined
    const isFree = !this.#matches.has(name) && this.#matches.size < this.#options.matchesMax
    if (!isOpen || !isFree || checkConfig(config) !== undefined) return undefined
    const identity = { gameId, gameVersion, fingerprint }
    const generation = (history.line?.generation ?? 0) + 1
    const match = this.#build({ id, seed, name, config, identity, nowMs }, generation)
    match.restore(history, nowMs)
    this.#list(name, match)
    this.schedule(match)
    return match
  }

  delete(match: Match): void {
    if (this.#matches.get(match.name) === match) this.#matches.delete(match.name)
    this.#deadlines.delete(match)
    this.#tags.delete(match)
    this.#recoveries?.noteEnded(match.id)
    this.#makers.forget(match)
  }

  #make(
    identity: GameIdentity,
    join: MessageBody<'ClientJoin'>,
    { address, driverMs, permission, limits }: MatchMaker,
    nowMs: number,
  ): Match | Refusal {
    const { match: name } = join
    if (isReturning(join)) return noMatch(name)
    if (!this.#options.mayCreate(name, permission)) {
      const why = `there is no match '${name}', and you may not create it`
      return refusal('no-match', 'match', name, 'one that is here', why)
    }
    const caps = { ...this.#options.caps, ...limits }
    const fault = this.#fullness() ?? this.#haste(address, driverMs) ?? checkCaps(join.config, caps)
    const problem = fault ?? checkConfig(join.config)
    if (problem !== undefined) return problem
    const config = withSpectators(join.config, caps)
    const { optionsBytesMax } = caps
    const speedPercentMax = speedCap(config.tickRate, caps)
    const match = this.#add(name, identity, config, { optionsBytesMax, speedPercentMax }, nowMs)
    this.#makers.note(match, address, driverMs)
    return match
  }

  #fullness(): Refusal | undefined {
    const { size } = this.#matches
    if (size < this.#options.matchesMax) return undefined
    const why = `the relay has ${size} matches already, and takes no more`
    return refusal('match-full', 'matches', String(size), 'fewer', why)
  }

  /** Whether an address has too many matches, or created too many lately. */
  #haste(address: string | undefined, nowMs: number): Refusal | undefined {
    const { matchesPerAddress, matchesPerMinute } = this.#options
    const own = this.#makers.countOf(address)
    if (own >= matchesPerAddress) {
      const most = `at most ${matchesPerAddress}`
      const why = `your address has as many matches as it may make: ${matchesPerAddress}`
      return refusal('match-full', 'matches of your address', String(own), most, why)
    }
    if (!this.#makers.isHasty(address, nowMs)) return undefined
    return {
      reason: 'rate',
      item: 'matches per minute',
      theirs: 'more',
      ours: `at most ${matchesPerMinute}`,
      message: `Cannot create the match: your address makes more than ${matchesPerMinute} in a minute; try again later`,
    }
  }

  #add(
    name: string,
    identity: GameIdentity,
    config: MatchConfig,
    limits: RoomLimits,
    nowMs: number,
  ): Match {
    const { randomBytes } = this.#options
    const match = this.#build({
      id: toHex(randomBytes(8)),
      seed: toHex(randomBytes(16)),
      name,
      config,
      identity,
      nowMs,
      limits,
    })
    this.#list(name, match)
    // If the client that asked for it does not get in, it closes like any other empty match.
    this.schedule(match)
    return match
  }

  /** Lists a match, so that it can be scheduled. A deleted match cannot. */
  #list(name: string, match: Match): void {
    this.#matches.set(name, match)
    this.#deadlines.set(match, Number.POSITIVE_INFINITY)
  }

  #build(
    what: Pick<MatchSpec, 'id' | 'seed' | 'name' | 'config' | 'identity' | 'nowMs' | 'limits'>,
    generation = 0,
  ): Match {
    const { randomBytes, kicksAddresses, makeUpMs } = this.#options
    const notes = this.#recorder?.makeNotes()
    const cipher = this.#cipher
    const tags = cipher && new MatchTags(cipher, randomBytes)
    const lineId = cipher === undefined ? firstLine.id : randomBytes(lineBytes)
    const match = new Match({
      ...what,
      kicksAddresses,
      makeUpMs,
      waitingMax: this.#options.waitingOrdersMax,
      keepsStates: this.#options.keepStates,
      showsDesyncValues: this.#options.showsDesyncValues,
      collectsDesyncStates: this.#options.collectsDesyncStates,
      resyncsMax: this.#options.caps.resyncsMax,
      // Where ticks wait for inputs, each input may move a tick, so turns are not queued.
      waitingTurns: what.config.missing.kind === 'wait' ? undefined : this.#turns,
      notes,
      line: { generation, id: lineId },
      randomWord: () => {
        const [a = 0, b = 0, c = 0, d = 0] = randomBytes(4)
        return (a | (b << 8) | (c << 16) | (d << 24)) >>> 0
      },
      emit: (event) => {
        if (event.type === 'sealed') {
          notes?.bundles.push(event.bundle)
          tags?.noteSealed(event.tick, event.bundle)
        }
        this.#emit(what.name, event)
      },
    })
    if (tags !== undefined) this.#tags.set(match, tags)
    return match
  }
}

/** A match never takes more spectators than the relay allows, however many its config asks for. */
function withSpectators(config: MatchConfig, { spectatorsMax }: MatchCaps): MatchConfig {
  if (config.lobby.spectatorsMax <= spectatorsMax) return config
  return { ...config, lobby: { ...config.lobby, spectatorsMax } }
}
