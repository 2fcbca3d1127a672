/** The text of a request for a WebSocket. */
export interface UpgradeOptions {
  readonly path?: string
  readonly protocol?: string
  /** Lines on top, each `Name: value`. */
  readonly lines?: readonly string[]
}

/** Writes a request for a WebSocket, with extra head lines if there are any. */
export function upgradeRequest({ path = '/', protocol, lines = [] }: UpgradeOptions = {}): string {
  const all = [
    `GET ${path} HTTP/1.1`,
    'Host: localhost',
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13',
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    ...lines,
  ]
  return `${all.join('\r\n')}\r\n\r\n`
}
