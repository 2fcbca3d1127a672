import type { MatchConfig } from '../wire/messages/match-config.ts'
import type { MessageBody } from '../wire/messages/messages.ts'
import type { DesyncCause, DesyncCauseId } from './doctor/live-cause.ts'
import type { DesyncVerdict } from './verdict.ts'
import { verdictOf } from './verdict.ts'

/** Where in the state machines differ. */
export interface DesyncPlace {
  /** The table, or another part of the state. */
  readonly part: string
  /** `undefined` where there are no rows, or where it could not be found out. */
  readonly row: number | undefined
  /** The field, or the path inside a plain value. */
  readonly field: string
  /**
   * What the groups have there, as JSON, after {@link tick}. Empty unless the relay shows values: in a
   * match that goes on they are for whoever runs the relay.
   */
  readonly values: readonly { readonly seats: readonly number[]; readonly value: string }[]
  /** The bad tick, or a later one where a machine could only show that. */
  readonly tick: number
  /** How many leaves of the state differ, at the least. */
  readonly leafCount: number
}

/** A write that machines did not make alike, on one side. */
export interface DesyncWrite {
  /** Whose machines made it. */
  readonly seats: readonly number[]
  /** What it did, as in a trace: `set`, `add`, `draw` and so on. */
  readonly kind: string
  /** The system, order or other function of the game that made it. */
  readonly system: string
  readonly part: string
  readonly row: number | undefined
  readonly field: string
  /** What was written, as JSON; empty unless the relay shows values. */
  readonly value: string
  /** The function and the line; `undefined` where the engine does not tell. Without folders, unless the relay shows values. */
  readonly site:
    | {
        readonly functionName: string
        readonly file: string
        readonly line: number
        readonly column: number
      }
    | undefined
}

/**
 * What is known about a desync. It is reported in stages, each with everything known by then:
 *
 *     detected   which tick, who agrees with whom, whom counting blames
 *     located    where in the state they differ
 *     traced     which line wrote it, and what speaks for which cause
 */
export interface DesyncReport {
  readonly stage: 'detected' | 'located' | 'traced'
  /**
   * The tick that this desync was first reported with, the same at every stage. A second desync may be
   * reported before the first one is explained: this tells their reports apart.
   */
  readonly toldTick: number
  /** The first tick on which machines are known to differ. */
  readonly tick: number
  /**
   * The newest earlier tick on which all listed seats agreed, if known. If it is the one before `tick`,
   * then `tick` is certainly the first bad one.
   */
  readonly agreedTick: number | undefined
  /** Seats grouped by what they reported, each at most once. Seats that are not listed did not report. */
  readonly groups: readonly (readonly number[])[]
  readonly verdict: DesyncVerdict
  /**
   * What happens next, by the policy of the match: nothing; everybody stops; or the seats blamed by the
   * verdict get the state of the others, as soon as the desync is explained.
   */
  readonly reaction: 'none' | 'halt' | 'resync'
  /** The receiver is a spectator that differs from all groups. Nobody else is told. */
  readonly isSpectator: boolean
  readonly place: DesyncPlace | undefined
  /** The first write that differs, once per side that made it. Empty while unknown. */
  readonly writes: readonly DesyncWrite[]
  readonly cause: DesyncCause | undefined
}

/** What a relay says when it has found a desync, in a match of that policy. */
export function detectedReport(
  body: MessageBody<'RelayDesync'>,
  policy: MatchConfig['desync'] = 'warn',
): DesyncReport {
  const { tick, agreedTick, groups, culprits, isSpectator } = body
  const isNothing = isSpectator || policy === 'warn' || (policy === 'resync' && !culprits.length)
  return {
    stage: 'detected',
    toldTick: tick,
    tick,
    agreedTick,
    groups,
    verdict: verdictOf(culprits),
    reaction: isNothing ? 'none' : policy,
    isSpectator,
    place: undefined,
    writes: [],
    cause: undefined,
  }
}

/** The same, with what was found out since. */
export function foundReport(
  report: DesyncReport,
  { stage, tick, isExact, place, writes, cause }: MessageBody<'RelayFinding'>,
): DesyncReport {
  return {
    ...report,
    stage,
    tick,
    agreedTick: isExact && tick > 0 ? tick - 1 : report.agreedTick,
    place,
    writes,
    cause: cause && { ...cause, id: cause.id as DesyncCauseId },
  }
}
