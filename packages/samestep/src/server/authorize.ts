/** Who may join, decided by whoever runs the relay. */
import type {
  Admittance,
  AuthorizationAnswer,
  AuthorizationRequest,
} from '../relay/links/authorization.ts'
import { admittanceFault } from '../relay/links/authorization.ts'
import type { Connection } from '../transport/connection.ts'
import { withoutPort } from '../transport/node/address-block.ts'

/** Somebody who wants in, with all that is known about it. */
export interface JoinRequest extends AuthorizationRequest {
  /** Where it comes from, without a port; what a trusted proxy says, if there is one. */
  readonly address: string
  /** `websocket`, `udp` or `webrtc`. */
  readonly transport: string
  /** What its UDP connect ticket says; empty on other transports, or where none is asked for. */
  readonly ticketData: Uint8Array
}

/** Lets somebody in, or says why not: `{ refused: 'your subscription has ended' }`. */
export type JoinDecision = AuthorizationAnswer

/** What somebody who is let in gets. */
export type JoinAdmittance = Admittance

/**
 * Decides about a join. It has 4 s: after that the client is let go, and tries again. What it throws is
 * counted as a fault, and the player is refused.
 */
export type Authorize = (request: JoinRequest) => JoinDecision | Promise<JoinDecision>

/** What is asked about somebody over a connection. */
export function requestOf(request: AuthorizationRequest, connection: Connection): JoinRequest {
  const { transport, remote, ticketData = nothing } = connection
  return { ...request, address: withoutPort(remote), transport, ticketData }
}

/** Asks, and checks the answer: it comes from a program that somebody else wrote. */
export async function decide(
  authorize: Authorize,
  request: JoinRequest,
  onFault: (error: unknown) => void,
): Promise<JoinDecision> {
  try {
    const answer = await authorize(request)
    if (typeof answer !== 'object' || answer === null) {
      throw new TypeError(`authorize answered ${String(answer)}; it must be an object`)
    }
    if ('refused' in answer) return { refused: String(answer.refused) }
    const fault = admittanceFault(answer)
    if (fault !== undefined) throw new TypeError(`authorize answered with ${fault}`)
    return answer
  } catch (error) {
    onFault(error)
    return { refused: 'the relay could not find out whether you may join; try again later' }
  }
}

const nothing = new Uint8Array(0)
