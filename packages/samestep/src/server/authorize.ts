/** Who may join, decided by whoever runs the relay. */
import type {
  Admittance,
  AuthorizationAnswer,
  AuthorizationRequest,
} from '../relay/links/authorization.ts'
import { admittanceFault } from '../relay/links/authorization.ts'
import type { Connection } from '../transport/connection.ts'
import { withoutPort } from '../transport/node/address-block.ts'

/** A request to join, with everything known about the client. */
export interface JoinRequest extends AuthorizationRequest {
  /** The address of the client, without a port; behind a trusted proxy, the one that the proxy reports. */
  readonly address: string
  /** `websocket`, `udp` or `webrtc`. */
  readonly transport: string
  /** The data of its UDP connect ticket; empty on other transports, or if no ticket is required. */
  readonly ticketData: Uint8Array
}

/** Admits a client, or says why not: `{ refused: 'your subscription has ended' }`. */
export type JoinDecision = AuthorizationAnswer

/** What an admitted client gets. */
export type JoinAdmittance = Admittance

/**
 * Decides about a join, within 4 s: after that the client is disconnected, and tries again. If it throws,
 * the error is counted as a fault and the player is refused.
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
