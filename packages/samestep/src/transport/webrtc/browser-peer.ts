import { ConnectError } from '../connect-error.ts'
import type { IceOptions, RtcLane, RtcLaneHandler, RtcPeer, RtcPeerHandler } from './peer.ts'
import { reliableLane, tickLane } from './peer.ts'

/**
 * A peer of the browser.
 *
 * @throws ConnectError where there is no RTCPeerConnection: some people switch it off.
 */
export function makeBrowserPeer(options: IceOptions): RtcPeer {
  if (typeof RTCPeerConnection === 'undefined') {
    throw new ConnectError('SS_CONNECT_FAILED', 'a peer', 'there is no RTCPeerConnection here')
  }
  return new BrowserPeer(options)
}

class BrowserPeer implements RtcPeer {
  readonly ticks: BrowserLane
  readonly reliable: BrowserLane
  readonly remoteAddress = undefined
  readonly #connection: RTCPeerConnection
  #handler: RtcPeerHandler | undefined
  #isDescribed = false

  constructor({ iceServers = [], relayOnly = false }: IceOptions) {
    this.#connection = new RTCPeerConnection({
      iceServers: iceServers.map(({ url, username, credential }) => ({
        urls: url,
        ...(username === undefined ? {} : { username }),
        ...(credential === undefined ? {} : { credential }),
      })),
      iceTransportPolicy: relayOnly ? 'relay' : 'all',
    })
    const make = ({ label, init }: typeof tickLane | typeof reliableLane): BrowserLane =>
      new BrowserLane(this.#connection.createDataChannel(label, init))
    this.ticks = make(tickLane)
    this.reliable = make(reliableLane)
  }

  open(handler: RtcPeerHandler): void {
    this.#handler = handler
    const connection = this.#connection
    connection.onicecandidate = ({ candidate }) => {
      // The empty one and the missing one say that there are no more.
      if (candidate === null || candidate.candidate === '') return
      handler.handleCandidate(candidate.candidate, candidate.sdpMid ?? '0')
    }
    connection.onconnectionstatechange = () => {
      const state = connection.connectionState
      // `disconnected` may heal; who is silent for too long is noticed by the channel above.
      if (state === 'failed' || state === 'closed') handler.handleBroken(`connection ${state}`)
    }
    // A tab that is closed or leaves would just fall silent, and be missed only after half a minute.
    globalThis.addEventListener?.('pagehide', this.#handlePageHide)
    // Nobody may open lanes of their own.
    connection.ondatachannel = ({ channel }) => channel.close()
  }

  offer(): void {
    this.#try(() => this.#describe('offer'))
  }

  answer(offerSdp: string): void {
    this.#try(async () => {
      await this.#connection.setRemoteDescription({ type: 'offer', sdp: offerSdp })
      await this.#describe('answer')
    })
  }

  acceptAnswer(sdp: string): void {
    this.#try(() => this.#connection.setRemoteDescription({ type: 'answer', sdp }))
  }

  addCandidate(candidate: string, mid: string): void {
    // One that the browser does not like is one way less, not the end.
    this.#connection.addIceCandidate({ candidate, sdpMid: mid }).catch(() => {})
  }

  close(): void {
    this.#handler = undefined
    globalThis.removeEventListener?.('pagehide', this.#handlePageHide)
    this.#connection.onicecandidate = null
    this.#connection.onconnectionstatechange = null
    this.#connection.close()
    this.ticks.detach()
    this.reliable.detach()
  }

  readonly #handlePageHide = (): void => {
    // A page that is kept and shown again finds a broken connection, and dials anew.
    const handler = this.#handler
    this.close()
    handler?.handleBroken('page left')
  }

  async #describe(kind: 'offer' | 'answer'): Promise<void> {
    const connection = this.#connection
    const description =
      kind === 'offer' ? await connection.createOffer() : await connection.createAnswer()
    if (this.#handler === undefined) return
    // Told before it is set, because candidates may come as soon as it is.
    if (!this.#isDescribed) this.#handler.handleDescription(kind, description.sdp ?? '')
    this.#isDescribed = true
    await connection.setLocalDescription(description)
  }

  #try(action: () => Promise<void>): void {
    action().catch((error: unknown) => {
      this.#handler?.handleBroken(error instanceof Error ? error.message : String(error))
    })
  }
}

class BrowserLane implements RtcLane {
  readonly #channel: RTCDataChannel

  constructor(channel: RTCDataChannel) {
    this.#channel = channel
    channel.binaryType = 'arraybuffer'
  }

  get bufferedBytes(): number {
    return this.#channel.readyState === 'open' ? this.#channel.bufferedAmount : 0
  }

  open(handler: RtcLaneHandler): void {
    const channel = this.#channel
    channel.onopen = () => handler.handleOpen()
    channel.onclose = () => handler.handleClosed()
    channel.onmessage = ({ data }: MessageEvent<ArrayBuffer | string>) => {
      if (typeof data === 'string') handler.handleText(data)
      else handler.handleBytes(new Uint8Array(data))
    }
  }

  sendBytes(bytes: Uint8Array): boolean {
    return this.#trySend(bytes as Uint8Array<ArrayBuffer>)
  }

  sendText(text: string): boolean {
    return this.#trySend(text)
  }

  /** Forgets the handler: what a closed peer still has on its way concerns nobody. */
  detach(): void {
    this.#channel.onopen = null
    this.#channel.onclose = null
    this.#channel.onmessage = null
  }

  #trySend(data: Uint8Array<ArrayBuffer> | string): boolean {
    if (this.#channel.readyState !== 'open') return false
    try {
      // The types know only one form at a time; the browser takes both.
      this.#channel.send(data as string)
      return true
    } catch {
      // Its buffer is full.
      return false
    }
  }
}
