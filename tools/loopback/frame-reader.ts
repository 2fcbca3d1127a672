import type { RawFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'

/** Takes a stream from a server apart: the head of its answer, then frames. */
export class FrameReader {
  /** The status of the answer; 0 before its head is complete. */
  status = 0
  #rest: Buffer = Buffer.alloc(0)

  /** Takes more bytes; gives the frames that are complete now. */
  push(chunk: Buffer): RawFrame[] {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk])
    if (this.status === 0) {
      const end = this.#rest.indexOf('\r\n\r\n')
      if (end < 0) return []
      this.status = Number(/^HTTP\/1\.1 (\d+)/.exec(this.#rest.toString('latin1', 0, end))?.[1])
      this.#rest = this.#rest.subarray(end + 4)
    }
    const frames: RawFrame[] = []
    for (let frame = this.#shift(); frame !== undefined; frame = this.#shift()) frames.push(frame)
    return frames
  }

  #shift(): RawFrame | undefined {
    const bytes = this.#rest
    if (this.status !== 101 || bytes.length < 2) return undefined
    const short = bytes[1]! & 0x7f
    const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
    if (bytes.length < headBytes) return undefined
    const size =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
    if (bytes.length < headBytes + size) return undefined
    this.#rest = bytes.subarray(headBytes + size)
    return { opcode: bytes[0]! & 15, payload: bytes.subarray(headBytes, headBytes + size) }
  }
}
