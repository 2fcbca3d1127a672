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
 * Lets the operator's code decide who may join. The relay asks once for each join without a known
 * ticket, and serves everyone else meanwhile:
 *
 *     ClientJoin ──► output 'authorize' ──► (a hook, a database, a signature) ──► handleAuthorized
 *
 * It does not ask about a client that returns with the ticket of an existing session: that client has
 * to prove that the session is its own, its token may have expired since, and the deciding service
 * may be unreachable.
 */

/** A client that wants to join. */
export interface AuthorizationRequest {
  /** The token that it sent; `undefined` for none. Untrusted text. */
  readonly token: string | undefined
  readonly match: string
  /** Whether no such match exists yet: admitting this client would create it. */
  readonly isNew: boolean
  readonly role: Role
  readonly name: string
  readonly gameId: string
  /** What the client says it runs on, so that a build can be refused. Untrusted text. */
  readonly software: Software | undefined
}

/** Admits a client. What is left out stays as the client asked for it. */
export interface Admittance extends Place {
  /**
   * Who the player is, such as an account: for one place per match and for kicks. At most 128 bytes.
   */
  readonly identity?: string
  readonly name?: string
  /** Where witnesses need permission, `witness` must be granted here: asking for it is not enough. */
  readonly role?: Role
  /** Whether it may create the match if there is none. */
  readonly mayCreate?: boolean
  /** Limits for a match that it creates, where they differ from what the relay allows everyone. */
  readonly limits?: Partial<MatchCaps>
}

/** The decision: admitted, or refused with a sentence for the player. */
export type AuthorizationAnswer = Admittance | { readonly refused: string }

/** How long an answer may take: shorter than a client waits for the relay. */
export const authorizeMsMax = 4_000

/** Requests that may be open at once. Beyond that, links are closed and their clients try again. */
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
