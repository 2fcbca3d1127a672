import { ConnectError } from '../connect-error.ts'
import type { Dial } from '../connection.ts'
import type { PeerOptions } from './connect-peers.ts'
import { makePeerWith } from './connect-peers.ts'
import { negotiate } from './negotiation.ts'
import type { MakeSocket, PlainSocket } from './web-socket-pipe.ts'
import { signallingProtocol, signallingUrl, WebSocketPipe } from './web-socket-pipe.ts'

/** Options for dialling a relay over WebRTC. */
export interface DialWebrtcOptions extends Omit<PeerOptions, 'signal' | 'remote'> {
  /** Opens the WebSocket for signalling. Defaults to that of the platform. */
  readonly makeSocket?: MakeSocket
}

/**
 * Dials a relay over WebRTC. `url` is that of the relay (`wss://relay.example.org`); signalling uses a
 * WebSocket at `/rtc` below it, which is closed as soon as the lanes are open. With TLS, the relay's
 * certificate thereby vouches for that of DTLS (T-102).
 *
 * Rejects with a {@link ConnectError}. Combine it with a fallback: see `dialBest`.
 */
export function dialWebrtc(url: string, options: DialWebrtcOptions = {}): Dial {
  const target = signallingUrl(url)
  const { proof, timeoutMs, makeSocket = makePlatformSocket } = options
  return async (signal) => {
    if (signal?.aborted) throw ConnectError.aborted(target, signal.reason)
    const peer = makePeerWith(options)
    let socket: PlainSocket
    try {
      socket = makeSocket(target, signallingProtocol)
    } catch (cause) {
      peer.close()
      throw new ConnectError('SS_CONNECT_FAILED', target, 'no WebSocket could be made', { cause })
    }
    const pipe = new WebSocketPipe(socket)
    const remote = new URL(target).host
    return negotiate({ peer, pipe, side: 'initiator', remote, proof, timeoutMs, signal })
  }
}

function makePlatformSocket(url: string, protocol: string): PlainSocket {
  return new WebSocket(url, protocol) as PlainSocket
}
