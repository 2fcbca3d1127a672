import type { TurnHash } from '../../../wire/ticks/turn-hash.ts'
import type { StrikeReason } from '../../guard/strikes.ts'
import type { StateMessage } from '../../join/state-message.ts'
import type { Fault } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { BundleLog } from '../ticks/bundle-log.ts'
import type { DesyncWatch } from './desync-watch.ts'

type Strike = (session: Session, reason: StrikeReason, nowMs: number) => Fault | undefined

/** Takes in what states hash to, and strikes who withholds it or says two things. */
export class HashIntake {
  readonly #log: BundleLog
  readonly #desync: DesyncWatch
  readonly #strike: Strike

  constructor(log: BundleLog, desync: DesyncWatch, strike: Strike) {
    this.#log = log
    this.#desync = desync
    this.#strike = strike
  }

  /** Takes in what the whole state of a member hashes to; what else is said of states is not for here. */
  handleState(session: Session, { name, body }: StateMessage, nowMs: number): Fault | undefined {
    if (name !== 'ClientState' || this.#log.sealedTick === 0) return undefined
    if (session.isWaitingForState) return undefined
    if (this.#desync.handleStateHash(session, body.tick, body.hash, nowMs)) return undefined
    return this.#strike(session, 'two-hashes', nowMs)
  }

  /** Takes in the chain of hashes that a turn has. */
  handleHash(session: Session, hash: TurnHash, nowMs: number): Fault | undefined {
    // Before the first tick a launch may be called off, and the next one begins with another state.
    if (this.#log.sealedTick === 0) return undefined
    // On datagrams a turn of before a resync may come after it.
    if (hash.tick <= session.voidUpToTick) return undefined
    const isWithheld = session.withheld.note(session.executedTick, hash)
    if (hash.executedTick > session.executedTick) session.executedTick = hash.executedTick
    if (isWithheld) return this.#strike(session, 'hash-missing', nowMs)
    if (this.#desync.handleHash(session, hash, nowMs)) return undefined
    return this.#strike(session, 'two-hashes', nowMs)
  }
}
