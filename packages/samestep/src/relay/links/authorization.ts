import { utf8Length } from '../../base/utf8.ts'
import type { Role } from '../../room/lobby-types.ts'
import type { Place } from '../../room/members.ts'
import { seatsMax } from '../../sim/limits.ts'
import { roles } from '../../wire/codes.ts'
import { identityBytesMax } from '../../wire/limits.ts'
import type { Software } from '../../wire/messages/software.ts'
import { checkName } from '../../wire/text-form.ts'
import type { MatchCaps } from './match-caps.ts'

/**
 * Who may come in, decided by somebody else. The relay asks once for each join without a known ticket,
 * and goes on with everybody else meanwhile:
 *
 *     ClientJoin ──► output 'authorize' ──► (a hook, a database, a signature) ──► handleAuthorized
 *
 * Who comes back with the ticket of a session that exists is not asked for: the ticket proves it, tokens
 * may have expired since, and whoever decides may be out of reach.
 */

/** Somebody who wants in. */
export interface AuthorizationRequest {
  /** What it gave as proof; `undefined` when it gave nothing. A stranger's text. */
  readonly token: string | undefined
  readonly match: string
  /** Whether no such match exists: to let this one in would make it. */
  readonly isNew: boolean
  readonly role: Role
  readonly name: string
  readonly gameId: string
  /** What its client says that it runs on, so that a build can be refused. A stranger's texts. */
  readonly software: Software | undefined
}

/** Lets somebody in. What is left out is as it was asked for. */
export interface Admittance extends Place {
  /** Who it is, for one place per match and for kicks: an account, say. At most 128 bytes. */
  readonly identity?: string
  readonly name?: string
  /** `witness` has to be said here, where witnesses need leave: asking for it is not enough. */
  readonly role?: Role
  /** Whether it may make the match, if there is none. */
  readonly mayCreate?: boolean
  /** What it may choose for a match that it makes, where that is not what the relay allows everybody. */
  readonly limits?: Partial<MatchCaps>
}

/** What somebody is told: let in, or why not, in a sentence for the player. */
export type AuthorizationAnswer = Admittance | { readonly refused: string }

/** How long an answer may take: shorter than a client waits for the relay. */
export const authorizeMsMax = 4_000

/** Questions that may be open at once. Who comes meanwhile is let go, and tries again. */
export const authorizationsMax = 1_024

/** What is wrong with an answer; `undefined` when nothing is. */
export function admittanceFault(answer: Admittance): string | undefined {
  const { identity, name, role, seat, team } = answer
  if (identity !== undefined && (identity === '' || utf8Length(identity) > identityBytesMax)) {
    return `an identity of ${utf8Length(identity)} bytes; it must have 1 to ${identityBytesMax}`
  }
  const nameFault = name === undefined ? undefined : checkName(name)
  if (nameFault !== undefined) return `a name that no player may have (${nameFault})`
  if (role !== undefined && !roles.includes(role)) {
    return `the role ${String(role)}; it must be ${roles.join(', ')}`
  }
  for (const [what, value] of Object.entries({ seat, team })) {
    const isSeat = value === undefined || (Number.isInteger(value) && value >= 0)
    if (!isSeat || (value ?? 0) >= seatsMax)
      return `the ${what} ${value}; it must be 0 to ${seatsMax - 1}`
  }
  return undefined
}
