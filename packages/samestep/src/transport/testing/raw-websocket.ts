/** A WebSocket client that keeps no rule: for tests of what a listener does with such clients. */
import { connect, type Socket } from 'node:net'
import { until } from './recorder.ts'

/** A frame from the server. */
export interface RawFrame {
  readonly opcode: number
  readonly payload: Buffer
}

/** One connection whose every byte the test decides. */
export class RawClient {
  readonly socket: Socket
  isClosed = false
  /** What came, joined only when somebody looks: a flood comes in thousands of pieces. */
  #chunks: Buffer[] = []

  /** `localAddress` is where it comes from: another loopback address counts as somebody else. */
  constructor(port: number, host = '127.0.0.1', localAddress?: string) {
    this.socket = connect({ port, host, ...(localAddress === undefined ? {} : { localAddress }) })
    this.socket.on('data', (chunk) => {
      this.#chunks.push(chunk)
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
  }

  /** All bytes that came. */
  get bytes(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks[0]!
  }

  /** The status of the answer, or 0. */
  get status(): number {
    return Number(/^HTTP\/1\.1 (\d+)/.exec(this.bytes.toString('latin1'))?.[1] ?? 0)
  }

  /** The head of the answer, as text. */
  get head(): string {
    const text = this.bytes.toString('latin1')
    return text.slice(0, Math.max(0, text.indexOf('\r\n\r\n')))
  }

  /** Frames behind the answer, as far as they are complete. */
  get frames(): RawFrame[] {
    const { bytes } = this
    const frames: RawFrame[] = []
    let at = bytes.indexOf('\r\n\r\n') + 4
    if (at < 4) return []
    while (at + 2 <= bytes.length) {
      const short = bytes[at + 1]! & 0x7f
      const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
      if (at + headBytes > bytes.length) break
      const size =
        short < 126
          ? short
          : short === 126
            ? bytes.readUInt16BE(at + 2)
            : Number(bytes.readBigUInt64BE(at + 2))
      if (at + headBytes + size > bytes.length) break
      const payload = bytes.subarray(at + headBytes, at + headBytes + size)
      frames.push({ opcode: bytes[at]! & 15, payload })
      at += headBytes + size
    }
    return frames
  }

  /** The code of the server's close frame, or 0. */
  get closeCode(): number {
    const frame = this.frames.find(({ opcode }) => opcode === 8)
    return frame === undefined || frame.payload.length < 2 ? 0 : frame.payload.readUInt16BE(0)
  }

  /** Asks for an upgrade, with more or other lines. A line of `undefined` is left out. */
  upgrade(lines: Readonly<Record<string, string | undefined>> = {}, path = '/'): this {
    const head: Record<string, string | undefined> = {
      Host: 'localhost',
      Upgrade: 'websocket',
      Connection: 'Upgrade',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
      ...lines,
    }
    const text = Object.entries(head).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}: ${value}\r\n`,
    )
    this.socket.write(`GET ${path} HTTP/1.1\r\n${text.join('')}\r\n`)
    return this
  }

  /** Waits for the answer, and gives its status. */
  async answered(): Promise<number> {
    await until(() => this.head !== '' || this.isClosed, 'an answer')
    return this.status
  }

  /** Writes a frame as a client does, masked. */
  write(opcode: number, payload: Uint8Array, isFinal = true): this {
    this.socket.write(makeClientFrame(opcode, payload, isFinal))
    return this
  }

  /** Waits for the server's close frame, and gives its code. */
  async closed(): Promise<number> {
    await until(() => this.closeCode !== 0 || this.isClosed, 'a close frame')
    return this.closeCode
  }

  destroy(): void {
    this.socket.destroy()
  }
}

/** A frame with the mask of a client. */
export function makeClientFrame(opcode: number, payload: Uint8Array, isFinal = true): Buffer {
  const size = payload.length
  const headBytes = size < 126 ? 2 : size < 65_536 ? 4 : 10
  const frame = Buffer.alloc(headBytes + 4 + size)
  frame[0] = (isFinal ? 0x80 : 0) | opcode
  frame[1] = 0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127)
  if (headBytes === 4) frame.writeUInt16BE(size, 2)
  if (headBytes === 10) frame.writeBigUInt64BE(BigInt(size), 2)
  const mask = [0x12, 0x34, 0x56, 0x78]
  frame.set(mask, headBytes)
  for (let at = 0; at < size; at++) frame[headBytes + 4 + at] = payload[at]! ^ mask[at & 3]!
  return frame
}
