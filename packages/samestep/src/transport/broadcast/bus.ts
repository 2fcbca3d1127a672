/**
 * Where everybody hears everything: tabs of one origin by `BroadcastChannel`, or the members of a chat
 * by the realtime channel of WebXDC. Both lose nothing on purpose and promise nothing.
 */

/** Carries bytes from one member to all others. */
export interface Bus {
  /** For people and URLs. */
  readonly name: string
  /** Sends to all others, never to the sender. The bus owns the bytes. Never throws. */
  post(bytes: Uint8Array): void
  /** Listens to what others post, until the returned function is called. Never called inside `post`. */
  listen(handler: (bytes: Uint8Array) => void): () => void
  /** Leaves the bus. */
  close(): void
}

/** A bus between the tabs and workers of one origin; in Node, between the threads of one process. */
export function openBroadcastBus(name: string): Bus {
  const channel = new BroadcastChannel(name)
  const handlers = new Set<(bytes: Uint8Array) => void>()
  let isOpen = true
  channel.onmessage = ({ data }: { readonly data: unknown }) => {
    // Other code of the same origin may use the same name for anything.
    if (!(data instanceof Uint8Array)) return
    for (const handler of [...handlers]) handler(data)
  }
  return {
    name,
    post(bytes) {
      if (isOpen) channel.postMessage(bytes)
    },
    listen(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    close() {
      isOpen = false
      handlers.clear()
      channel.close()
    },
  }
}

/** The used part of WebXDC's realtime channel: `window.webxdc.joinRealtimeChannel()`. */
export interface RealtimeChannel {
  send(data: Uint8Array): void
  setListener(listener: (data: Uint8Array) => void): void
  leave(): void
}

/** A bus between the members of a chat. It takes the only listener that the channel allows. */
export function openWebxdcBus(channel: RealtimeChannel): Bus {
  const handlers = new Set<(bytes: Uint8Array) => void>()
  let isOpen = true
  channel.setListener((data) => {
    for (const handler of [...handlers]) handler(data)
  })
  return {
    name: 'webxdc',
    post(bytes) {
      try {
        if (isOpen) channel.send(bytes)
      } catch {
        // The chat may end at any time; silence is noticed by the connections.
      }
    },
    listen(handler) {
      handlers.add(handler)
      return () => handlers.delete(handler)
    },
    close() {
      isOpen = false
      handlers.clear()
      channel.leave()
    },
  }
}
