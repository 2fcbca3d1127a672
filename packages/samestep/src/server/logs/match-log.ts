import type { Logger } from 'pino'
import { culpritsOf } from '../../desync/verdict.ts'
import type { Match } from '../../relay/match/match.ts'
import type { MatchEvent } from '../../relay/match/match-types.ts'
import type { DesyncReports } from '../desync-reports.ts'
import { LogBudget } from './log-budget.ts'

/** What the log says about matches, however much strangers do in them. */
export class MatchLog {
  readonly #log: Logger
  readonly #desyncs: DesyncReports
  readonly #matches: () => ReadonlyMap<string, Match>
  readonly #lines = new LogBudget(performance.now())

  constructor(log: Logger, desyncs: DesyncReports, matches: () => ReadonlyMap<string, Match>) {
    this.#log = log
    this.#desyncs = desyncs
    this.#matches = matches
  }

  tell(match: string, event: MatchEvent): void {
    if (event.type === 'sealed') return
    const log = this.#log
    const nowMs = performance.now()
    switch (event.type) {
      case 'joined': {
        const { member, seat, software } = event
        this.#info(match, { member, seat, ...software }, 'player joined', nowMs)
        return
      }
      case 'phase':
        this.#info(match, { phase: event.phase }, 'match phase changed', nowMs)
        return
      case 'started':
        this.#info(match, { tick: event.tick }, 'match started', nowMs)
        return
      case 'rest':
        log.debug({ match, isResting: event.isResting }, 'match rest changed')
        return
      case 'hash-mismatch': {
        const reports = this.#lines.admitDisagreement(match, nowMs)
        const { tick, agreedTick, groups, verdict, spectator, witnesses } = event
        const culprits = culpritsOf(verdict)
        const software = this.#softwareIn(match)
        const who = { groups, culprits, spectator, witnesses, software }
        const about = { match, tick, agreedTick, ...who, reports }
        if (reports > 0) log.warn(about, 'machines disagree')
        return
      }
      case 'halted':
        this.#info(match, { tick: event.tick }, 'match halted', nowMs)
        return
      case 'resync': {
        const text = event.isDone ? 'player was resynced' : 'player resync started'
        this.#info(match, { member: event.member, seat: event.seat }, text, nowMs)
        return
      }
      case 'desync-found':
        this.#desyncs.tell(match, event)
        return
      case 'desync-report':
        this.#desyncs.keep(match, event.file)
        return
      case 'left': {
        const { seat, reason, told } = event
        this.#info(match, { seat, reason, told }, 'player left', nowMs)
        return
      }
      case 'presence':
        log.debug({ match, seat: event.seat, presence: event.event }, 'presence')
        return
      case 'afk':
        log.debug({ match, seat: event.seat, isAfk: event.isAfk }, 'player idle state changed')
        return
      case 'ended':
        this.#info(match, {}, 'match ended', nowMs)
        this.#lines.forget(match)
    }
  }

  /** What each seat of a match runs on: where machines disagree, the first thing to look at. */
  #softwareIn(match: string): { readonly [seat: number]: string } {
    const sessions = this.#matches().get(match)?.sessions ?? []
    const said = sessions.flatMap(({ seat, visitor }) => {
      const { library, engine, build } = visitor.software ?? {}
      const words = [engine, build, library].filter((word) => word !== undefined && word !== '')
      return seat === undefined ? [] : [[seat, words.join('; ')]]
    })
    return Object.fromEntries(said)
  }

  /** Writes a line about a match, unless strangers cause too many. */
  #info(match: string, about: object, text: string, nowMs: number): void {
    if (this.#lines.admit(match, nowMs)) this.#log.info({ match, ...about }, text)
    const skipped = this.#lines.takeSkipped(nowMs)
    if (skipped > 0) this.#log.warn({ skipped }, 'log lines about matches were left out')
  }
}
