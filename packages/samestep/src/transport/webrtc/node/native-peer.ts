/**
 * A peer of Node, by way of `node-datachannel`, which is an optional dependency: nothing of it is
 * loaded before somebody asks for it.
 */
import type { DataChannel, PeerConnection, RtcConfig } from 'node-datachannel'
import { UsageError } from '../../../base/errors.ts'
import { guardEntrance } from '../../entrance.ts'
import { isPlainAddress } from '../description.ts'
import { messageBytesMax } from '../limits.ts'
import type {
  IceOptions,
  IceServer,
  MakePeer,
  RtcLane,
  RtcLaneHandler,
  RtcPeer,
  RtcPeerHandler,
} from '../peer.ts'
import { reliableLane, tickLane } from '../peer.ts'

/** What only Node can be told. */
export interface NativePeerOptions {
  /** The address of this machine to use; all of them when left out. */
  readonly bindAddress?: string
  /** One UDP port for all peers of this process; one for each, chosen by the system, when left out. */
  readonly udpPort?: number
}

type Library = typeof import('node-datachannel')

/**
 * Bytes that SCTP itself keeps until they are acknowledged. Its default is a megabyte, of which the
 * buffered bytes of a lane say nothing: bulk would pile up in front of ticks unnoticed. This is 5
 * Mbit/s at 200 ms.
 */
const sendBufferBytes = 131_072

/** The version of the library that this package is tested with. */
export const libraryVersion = '0.33.4'

/** The library, once somebody asked for it. */
let loading: Promise<Library> | undefined

/**
 * Loads the native library.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` where it is not installed, or not made for this machine.
 */
export async function loadNativeRtc(): Promise<Library> {
  loading ??= import('node-datachannel').then((library) => {
    library.setSctpSettings({ sendBufferSize: sendBufferBytes })
    return library
  })
  try {
    return await loading
  } catch (cause) {
    loading = undefined
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot use WebRTC in Node: the optional package node-datachannel is missing or not built for this machine; run npm install node-datachannel@${libraryVersion}, or use WebSocket`,
      { cause },
    )
  }
}

/** Loads the native library, and gives what makes its peers. */
export async function loadNativePeers(options: NativePeerOptions = {}): Promise<MakePeer> {
  const library = await loadNativeRtc()
  return (ice) => new NativePeer(library, { ...options, ...ice })
}

let peerCount = 0

/** What is used of the library: all that a test has to imitate. */
export type NativeLibrary = Pick<Library, 'PeerConnection'>

/**
 * One peer of the library. All its callbacks are entrances from native code: what they throw ends this
 * peer and goes to the handler's `handleFault`.
 */
export class NativePeer implements RtcPeer {
  readonly ticks: NativeLane
  readonly reliable: NativeLane
  readonly #connection: PeerConnection
  #handler: RtcPeerHandler | undefined
  #remoteAddress: string | undefined
  #isClosed = false

  constructor(library: NativeLibrary, options: NativePeerOptions & IceOptions) {
    this.#connection = new library.PeerConnection(`peer ${++peerCount}`, configOf(options))
    const make = ({ label, init }: typeof tickLane | typeof reliableLane): NativeLane => {
      const { ordered, ...rest } = init
      return new NativeLane(
        this.#connection.createDataChannel(label, { ...rest, unordered: !ordered }),
        (error) => this.#handleFault(error),
      )
    }
    this.ticks = make(tickLane)
    this.reliable = make(reliableLane)
  }

  get remoteAddress(): string | undefined {
    if (this.#remoteAddress === undefined && !this.#isClosed) {
      const remote = this.#connection.getSelectedCandidatePair()?.remote
      if (remote !== undefined) this.#remoteAddress = hostAndPort(remote.address, remote.port)
    }
    return this.#remoteAddress
  }

  open(handler: RtcPeerHandler): void {
    this.#handler = handler
    const connection = this.#connection
    connection.onLocalDescription(
      this.#guard((sdp, type) => {
        if (type === 'offer' || type === 'answer') this.#handler?.handleDescription(type, sdp)
      }),
    )
    connection.onLocalCandidate(
      this.#guard((candidate, mid) => {
        this.#handler?.handleCandidate(candidate.replace(/^a=/, ''), mid)
      }),
    )
    connection.onStateChange(
      this.#guard((state) => {
        // `disconnected` may heal; who is silent for too long is noticed by the channel above.
        if (state !== 'failed' && state !== 'closed') return
        this.#handler?.handleBroken(`connection ${state}`)
      }),
    )
    connection.onIceStateChange(
      this.#guard((state) => {
        if (state === 'connected' || state === 'completed') this.#handler?.handleReached()
      }),
    )
    // Nobody may open lanes of their own.
    connection.onDataChannel(this.#guard((channel) => channel.close()))
  }

  offer(): void {
    this.#try(() => this.#connection.setLocalDescription('offer'))
  }

  answer(offerSdp: string): void {
    this.#try(() => {
      this.#connection.setRemoteDescription(offerSdp, 'offer')
      this.#connection.setLocalDescription('answer')
    })
  }

  acceptAnswer(sdp: string): void {
    this.#try(() => this.#connection.setRemoteDescription(sdp, 'answer'))
  }

  addCandidate(candidate: string, mid: string): void {
    // Hidden addresses of browsers are names here, and would be looked up. The browser finds us.
    const address = candidate.split(' ')[4] ?? ''
    if (this.#isClosed || !isPlainAddress(address)) return
    try {
      this.#connection.addRemoteCandidate(candidate, mid)
    } catch {
      // One that the library does not like is one way less, not the end.
    }
  }

  close(): void {
    if (this.#isClosed) return
    void this.remoteAddress
    this.#isClosed = true
    this.#handler = undefined
    this.ticks.detach()
    this.reliable.detach()
    this.#connection.close()
  }

  #guard<Args extends readonly unknown[]>(callback: (...args: Args) => void) {
    return guardEntrance(callback, (error) => this.#handleFault(error))
  }

  #handleFault(error: unknown): void {
    this.#handler?.handleFault(error)
  }

  #try(action: () => void): void {
    try {
      action()
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      queueMicrotask(this.#guard(() => this.#handler?.handleBroken(reason)))
    }
  }
}

class NativeLane implements RtcLane {
  readonly #channel: DataChannel
  readonly #onFault: (error: unknown) => void
  #handler: RtcLaneHandler | undefined

  constructor(channel: DataChannel, onFault: (error: unknown) => void) {
    this.#channel = channel
    this.#onFault = onFault
  }

  get bufferedBytes(): number {
    return this.#handler === undefined ? 0 : this.#channel.bufferedAmount()
  }

  open(handler: RtcLaneHandler): void {
    this.#handler = handler
    const channel = this.#channel
    channel.onOpen(guardEntrance(() => this.#handler?.handleOpen(), this.#onFault))
    channel.onClosed(guardEntrance(() => this.#handler?.handleClosed(), this.#onFault))
    channel.onMessage(guardEntrance((message) => this.#handleMessage(message), this.#onFault))
  }

  sendBytes(bytes: Uint8Array): boolean {
    return this.#trySend(() => this.#channel.sendMessageBinary(bytes))
  }

  sendText(text: string): boolean {
    return this.#trySend(() => this.#channel.sendMessage(text))
  }

  /** Forgets the handler: what a closed peer still has on its way concerns nobody. */
  detach(): void {
    this.#handler = undefined
  }

  #handleMessage(message: string | Uint8Array | ArrayBuffer): void {
    if (typeof message === 'string') this.#handler?.handleText(message)
    else if (message instanceof Uint8Array) this.#handler?.handleBytes(message)
    else this.#handler?.handleBytes(new Uint8Array(message))
  }

  #trySend(send: () => boolean): boolean {
    if (this.#handler === undefined || !this.#channel.isOpen()) return false
    try {
      // False means that it was taken and waits, which the buffered bytes tell as well.
      send()
      return true
    } catch {
      return false
    }
  }
}

function configOf(options: NativePeerOptions & IceOptions): RtcConfig {
  const { iceServers = [], relayOnly = false, bindAddress, udpPort } = options
  return {
    iceServers: iceServers.map(serverOf),
    // The offer is made when it is asked for, not as a side effect of the first lane.
    disableAutoNegotiation: true,
    maxMessageSize: messageBytesMax,
    iceTransportPolicy: relayOnly ? 'relay' : 'all',
    ...(bindAddress === undefined ? {} : { bindAddress }),
    ...(udpPort === undefined
      ? {}
      : { enableIceUdpMux: true, portRangeBegin: udpPort, portRangeEnd: udpPort }),
  }
}

type NativeServer = RtcConfig['iceServers'][number]

const serverForm =
  /^(stun|turns?):(\[[\da-f:.]+\]|[\w.-]+)(?::(\d{1,5}))?(?:\?transport=(udp|tcp))?$/i

function serverOf({ url, username, credential }: IceServer): NativeServer {
  const [, scheme, host, port, transport] = serverForm.exec(url) ?? []
  if (scheme === undefined || host === undefined) {
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot use the ICE server ${url}: it must look like stun:name:3478 or turn:name:3478?transport=udp`,
    )
  }
  const kind = scheme.toLowerCase()
  const isTls = kind === 'turns'
  const relayType = isTls ? 'TurnTls' : transport === 'tcp' ? 'TurnTcp' : 'TurnUdp'
  return {
    hostname: host.replace(/^\[|\]$/g, ''),
    port: port === undefined ? (isTls ? 5349 : 3478) : Number(port),
    ...(kind === 'stun' ? {} : { relayType }),
    ...(username === undefined ? {} : { username }),
    ...(credential === undefined ? {} : { password: credential }),
  }
}

function hostAndPort(address: string, port: number): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
