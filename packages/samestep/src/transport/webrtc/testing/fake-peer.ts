import type { RtcLane, RtcLaneHandler, RtcPeer, RtcPeerHandler } from '../peer.ts'
import type { SignallingHandler, SignallingPipe } from '../signalling.ts'
import { chromiumOffer, nativeAnswer } from './descriptions.ts'

/** A lane that goes nowhere. */
export class FakeLane implements RtcLane {
  bufferedBytes = 0
  isOpen = false
  handler: RtcLaneHandler | undefined
  readonly sent: (Uint8Array | string)[] = []

  open(handler: RtcLaneHandler): void {
    this.handler = handler
  }

  sendBytes(bytes: Uint8Array): boolean {
    if (this.isOpen) this.sent.push(bytes)
    return this.isOpen
  }

  sendText(text: string): boolean {
    if (this.isOpen) this.sent.push(text)
    return this.isOpen
  }
}

/** A peer that writes down what it is told and does what the test says. */
export class FakePeer implements RtcPeer {
  readonly ticks = new FakeLane()
  readonly reliable = new FakeLane()
  remoteAddress: string | undefined
  handler: RtcPeerHandler | undefined
  readonly calls: string[] = []
  isClosed = false

  open(handler: RtcPeerHandler): void {
    this.handler = handler
  }

  offer(): void {
    this.calls.push('offer')
    queueMicrotask(() => {
      this.handler?.handleDescription('offer', chromiumOffer)
      this.handler?.handleCandidate('candidate:1 1 udp 1 10.0.0.1 1 typ host', '0')
    })
  }

  answer(offerSdp: string): void {
    this.calls.push(`answer ${offerSdp.length}`)
    queueMicrotask(() => this.handler?.handleDescription('answer', nativeAnswer))
  }

  acceptAnswer(sdp: string): void {
    this.calls.push(`accept ${sdp.length}`)
  }

  addCandidate(candidate: string, mid: string): void {
    this.calls.push(`${candidate} of ${mid}`)
  }

  close(): void {
    this.isClosed = true
  }

  /** Opens both lanes. */
  openLanes(): void {
    for (const lane of [this.ticks, this.reliable]) {
      lane.isOpen = true
      lane.handler?.handleOpen()
    }
  }
}

/** A pipe whose other end is the test. */
export class FakePipe implements SignallingPipe {
  readonly sent: Uint8Array[] = []
  handler: SignallingHandler | undefined
  isClosed = false

  open(handler: SignallingHandler): void {
    this.handler = handler
  }

  send(message: Uint8Array): void {
    this.sent.push(message)
  }

  close(): void {
    this.isClosed = true
  }
}
