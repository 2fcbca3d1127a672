import type { TurnHash } from '../../../wire/ticks/turn-hash.ts'
import type { StrikeReason } from '../../guard/strikes.ts'
import type { StateMessage } from '../../join/state-message.ts'
import type { Fault } from '../match-types.ts'
import type { Session } from '../session.ts'
import type { BundleLog } from '../ticks/bundle-log.ts'
import type { DesyncWatch } from './desync-watch.ts'

type Strike = (session: Session, reason: StrikeReason, nowMs: number) => Fault | undefined

/** Handles the hashes of states, and strikes clients that withhold them or contradict themselves. */
export class HashIntake {
  readonly #log: BundleLog
  readonly #desync: DesyncWatch
  readonly #strike: Strike

  constructor(log: BundleLog, desync: DesyncWatch, strike: Strike) {
    this.#log = log
    this.#desync = desync
    this.#strike = strike
  }

  /** Handles the hash of a member's whole state; other messages about states are not handled here. */
  handleState(session: Session, { name, body }: StateMessage, nowMs: number): Fault | undefined {
    if (name !== 'ClientState' || this.#log.sealedTick === 0) return undefined
    if (session.isWaitingForState) return undefined
    if (this.#desync.handleStateHash(session, body.tick, body.hash, nowMs)) return undefined
    return this.#strike(session, 'two-hashes', nowMs)
  }

  /** Handles the chained hash of a turn. */
  handleHash(session: Session, hash: TurnHash, nowMs: number): Fault | undefined {
    // Before the first tick a launch may be cancelled, and the next one begins with another state.
    if (this.#log.sealedTick === 0) return undefined
    // Over datagrams, a turn from before a resync may arrive after it.
    if (hash.tick <= session.voidUpToTick) return undefined
    const isWithheld = session.withheld.note(session.executedTick, hash)
    if (hash.executedTick > session.executedTick) session.executedTick = hash.executedTick
    if (isWithheld) return this.#strike(session, 'hash-missing', nowMs)
    if (this.#desync.handleHash(session, hash, nowMs)) return undefined
    return this.#strike(session, 'two-hashes', nowMs)
  }
}
