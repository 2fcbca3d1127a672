import { UsageError } from '../../base/errors.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import type { Connection } from '../connection.ts'
import { makeBrowserPeer } from './browser-peer.ts'
import type { FingerprintProof } from './negotiation.ts'
import { negotiate } from './negotiation.ts'
import type { IceOptions, MakePeer, RtcPeer } from './peer.ts'
import type { SignallingPipe } from './signalling.ts'

/** How two peers are connected. */
export interface PeerOptions extends IceOptions {
  /** Who makes peers: the browser when left out. In Node, `await loadNativePeers()`. */
  readonly makePeer?: MakePeer
  /** Signs and checks certificates where the pipe is not to be trusted. */
  readonly proof?: FingerprintProof
  /** Defaults to 10 s. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Whom to name in errors and as the other end; `peer` when left out. */
  readonly remote?: string
}

/**
 * Connects two browsers, or whoever else can make peers, directly. Both call it with the two ends of
 * one pipe, one as `initiator` and one as `acceptor`. The pipe is closed at the end.
 *
 * Rejects with a `ConnectError`.
 */
export async function connectPeers(
  pipe: SignallingPipe,
  side: LinkSide,
  options: PeerOptions = {},
): Promise<Connection> {
  const { proof, timeoutMs, signal, remote = 'peer' } = options
  const peer = makePeerWith(options)
  return negotiate({ peer, pipe, side, remote, proof, timeoutMs, signal })
}

/**
 * A peer as the options want it.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` for options that can never lead to a connection.
 */
export function makePeerWith(options: PeerOptions): RtcPeer {
  const { makePeer = makeBrowserPeer, iceServers = [], relayOnly = false } = options
  if (relayOnly && !iceServers.some(({ url }) => /^turns?:/i.test(url))) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      'Cannot connect through TURN only: iceServers has no TURN server; it must have one',
    )
  }
  return makePeer({ iceServers, relayOnly })
}
