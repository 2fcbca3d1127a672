/** Signalling at `/rtc` by somebody who keeps no rule. */
import type { Socket } from 'node:net'
import { makeClientFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'
import {
  signallingPath,
  signallingProtocol,
} from '../../packages/samestep/src/transport/webrtc/web-socket-pipe.ts'
import { FrameReader } from './frame-reader.ts'
import { closedWithin, connectFrom } from './sockets.ts'
import { upgradeRequest } from './upgrade.ts'

/** An open pipe. */
export class RawSignalling {
  readonly socket: Socket
  /** Messages that came. */
  heard = 0

  private constructor(socket: Socket, frames: FrameReader) {
    this.socket = socket
    socket.on('data', (chunk) => {
      this.heard += frames.push(chunk).filter(({ opcode }) => opcode === 2).length
    })
  }

  /** Opens one, or gives `undefined` when it is refused. */
  static async open(port: number, localAddress: string): Promise<RawSignalling | undefined> {
    const socket = await connectFrom(localAddress, port)
    if (socket === undefined) return undefined
    socket.write(upgradeRequest({ path: signallingPath, protocol: signallingProtocol }))
    const frames = new FrameReader()
    const answered = new Promise<boolean>((resolve) => {
      socket.once('data', (chunk) => {
        frames.push(chunk)
        resolve(frames.status === 101)
      })
    })
    const isOpen = await Promise.race([answered, closedWithin(socket, 5_000).then(() => false)])
    if (isOpen) return new RawSignalling(socket, frames)
    socket.destroy()
    return undefined
  }

  send(message: Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(makeClientFrame(2, message))
  }
}
