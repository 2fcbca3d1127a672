/** How a WebSocket is begun where the platform has its own: browsers, workers, Deno. */
import { ConnectError } from './connect-error.ts'

/** What of the standard WebSocket is used here. */
export interface ClientSocket {
  binaryType: string
  readonly bufferedAmount: number
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onerror: (() => void) | null
  onclose: ((event: { readonly code: number; readonly reason: string }) => void) | null
  send(packet: Uint8Array): void
  close(code?: number, reason?: string): void
}

/** What a platform is told when it begins a WebSocket. */
export interface OpeningOptions {
  readonly closeTimeoutMs: number
  readonly trustedCertificates?: string
}

/** A WebSocket that is about to open. */
export interface Opening {
  readonly socket: ClientSocket
  /** Why it closed before it opened. */
  failure(): ConnectError
}

/** Begins a WebSocket in one way or another. */
export type Opener = (url: string, options: OpeningOptions) => Opening

/** Begins a WebSocket of the platform. Throws a {@link ConnectError} when it refuses at once. */
export function openGlobalSocket(url: string): Opening {
  const { WebSocket } = globalThis as { WebSocket?: new (url: string) => unknown }
  if (WebSocket === undefined) {
    throw new ConnectError(
      'SS_CONNECT_FAILED',
      url,
      'this platform has no WebSocket, and the package ws is not installed',
    )
  }
  try {
    const socket = new WebSocket(url) as ClientSocket
    const failure = () =>
      new ConnectError('SS_CONNECT_FAILED', url, 'it closed before it opened; browsers hide why')
    return { socket, failure }
  } catch (cause) {
    // A page that came over https may open only wss. The URL itself was checked before.
    const what = 'the browser forbids it: a page that came encrypted may only dial wss://'
    throw new ConnectError('SS_CONNECT_INSECURE', url, what, { cause })
  }
}
