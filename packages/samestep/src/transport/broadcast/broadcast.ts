/**
 * Connections over a bus on which everybody hears everything.
 *
 *     dialer                              listener
 *     hello ─────────► everybody
 *           ◄──────── accept              (remembers the dialer)
 *     ping  ────────►                     gives the connection away
 *           ◄──────── pong                dial resolves
 *     packet, ping, pong, bye ◄──────────► …
 *
 * What is lost is said again by the dialer. Frames for others are told apart by their first bytes.
 *
 * In the clear, anybody on the bus can speak under another's id: right between tabs of one origin,
 * which can do anything to each other anyway. Sealed, which a chat needs, an id stands for a key; an
 * accept and all that follows can only come from its owner, once each, unread and unchanged by others
 * (T-95). Not defended either way: somebody who posts without end jams the bus for all, everybody
 * sees who talks to whom and how much, and a dial to nobody in particular may be taken by anybody who
 * knows the secret; give `to` where it matters who listens.
 */
import { ConnectError } from '../connect-error.ts'
import type { Accept, Connection, Dial, Listener } from '../connection.ts'
import { BroadcastConnection, pageLeftBody } from './broadcast-connection.ts'
import type { Bus } from './bus.ts'
import {
  bodyOf,
  everybody,
  idText,
  isFrom,
  joinFrame,
  kindFor,
  makeHead,
  senderOf,
} from './frame.ts'
import { ClearGuard, type FrameGuard, SealGuard } from './frame-guard.ts'
import {
  connectionsMax,
  derivingMax,
  dialMsMax,
  helloEveryMs,
  pendingMax,
  proofMsMax,
} from './limits.ts'
import { PeerKeys } from './peer-keys.ts'

/** What both ends of a bus must agree on. */
export interface BroadcastOptions {
  /**
   * Whether messages are encrypted and authenticated. Off by default, which is right for tabs of one
   * origin. Use it in a chat, or wherever others can listen.
   */
  readonly seal?: boolean
  /** With `seal`: a secret shared by all who may take part. By default anybody may. */
  readonly secret?: Uint8Array
}

/** Options for dialling on a bus. */
export interface BroadcastDialOptions extends BroadcastOptions {
  /** The id of the listener to dial. Defaults to the first that answers. */
  readonly to?: Uint8Array
  /** Defaults to 10 s. */
  readonly timeoutMs?: number
}

/** A listener on a bus. */
export interface BroadcastListener extends Listener {
  /** Its id, for dialling exactly this listener. */
  readonly id: Uint8Array
}

const noSecret = new Uint8Array(0)

/** Listens on a bus. The bus stays open when the listener is closed. */
export async function listenOnBus(
  bus: Bus,
  accept: Accept,
  options: BroadcastOptions = {},
): Promise<BroadcastListener> {
  const keys = await makeKeys(options)
  return new BusListener(bus, accept, keys, options.secret ?? noSecret)
}

/** Dials over a bus. Every dial has its own id. */
export function dialOnBus(bus: Bus, options: BroadcastDialOptions = {}): Dial {
  const url = `broadcast:${bus.name}`
  return async (signal) => {
    if (signal?.aborted) throw ConnectError.aborted(url, signal.reason)
    const keys = await makeKeys(options)
    return await new Promise<Connection>((resolve, reject) => {
      new BusDial({ bus, keys, url, options, signal }, resolve, reject).begin()
    })
  }
}

function makeKeys({ seal = false }: BroadcastOptions): Promise<PeerKeys> | PeerKeys {
  return seal ? PeerKeys.makeSealed() : PeerKeys.makeClear()
}

/** The guard for a connection, or undefined when the other end is not who it says. */
async function makeGuard(
  bus: Bus,
  keys: PeerKeys,
  other: { readonly id: Uint8Array; readonly key: Uint8Array },
  side: 'dialer' | 'listener',
  secret: Uint8Array,
): Promise<FrameGuard | undefined> {
  const ends = {
    own: keys.id,
    other: other.id,
    lastWord: pageLeftBody,
    post: (frame: Uint8Array) => bus.post(frame),
  }
  if (!keys.isSealed) return new ClearGuard(ends)
  const pair = await keys.derive(other.id, other.key, side, secret)
  return pair === undefined ? undefined : new SealGuard(ends, pair)
}

class BusListener implements BroadcastListener {
  readonly url: string
  readonly #bus: Bus
  readonly #accept: Accept
  readonly #keys: PeerKeys
  readonly #secret: Uint8Array
  /** By the id of the other end; undefined while its keys are made. */
  readonly #connections = new Map<string, BroadcastConnection | undefined>()
  #pendingCount = 0
  #isOpen = true
  readonly #leave: () => void

  constructor(bus: Bus, accept: Accept, keys: PeerKeys, secret: Uint8Array) {
    this.#bus = bus
    this.#accept = accept
    this.#keys = keys
    this.#secret = secret
    this.url = `broadcast:${bus.name}#${idText(keys.id)}`
    this.#leave = bus.listen((frame) => this.#handleFrame(frame))
  }

  get id(): Uint8Array {
    return this.#keys.id.slice()
  }

  async close(): Promise<void> {
    this.#isOpen = false
    this.#leaveIfIdle()
  }

  #handleFrame(frame: Uint8Array): void {
    const { id, isSealed } = this.#keys
    const kind = kindFor(frame, id, isSealed) ?? kindFor(frame, everybody, isSealed)
    if (kind === undefined) return
    if (kind !== 'hello') {
      this.#connections.get(idText(senderOf(frame)))?.handleFrame(kind, frame)
      return
    }
    if (this.#isOpen) void this.#handleHello(senderOf(frame), bodyOf(frame).slice())
  }

  async #handleHello(from: Uint8Array, key: Uint8Array): Promise<void> {
    const name = idText(from)
    if (this.#connections.has(name)) {
      // It has not heard the answer.
      if (this.#connections.get(name) !== undefined) this.#postAccept(from)
      return
    }
    const openCount = this.#connections.size - this.#pendingCount
    if (this.#pendingCount >= pendingMax || openCount >= connectionsMax) return
    this.#pendingCount += 1
    this.#connections.set(name, undefined)
    const other = { id: from, key }
    const guard = await makeGuard(this.#bus, this.#keys, other, 'listener', this.#secret)
    if (guard === undefined || !this.#isOpen) {
      this.#pendingCount -= 1
      this.#connections.delete(name)
      this.#leaveIfIdle()
      return
    }
    this.#connections.set(name, this.#makeConnection(guard, name))
    this.#postAccept(from)
  }

  #makeConnection(guard: FrameGuard, name: string): BroadcastConnection {
    let isPending = true
    const settle = (): void => {
      if (isPending) this.#pendingCount -= 1
      isPending = false
    }
    const timer = setTimeout(() => connection.abandon('never confirmed'), dialMsMax)
    const connection: BroadcastConnection = new BroadcastConnection(guard, name, {
      handleConfirmed: () => {
        clearTimeout(timer)
        settle()
        this.#accept(connection)
      },
      handleOver: () => {
        clearTimeout(timer)
        settle()
        this.#connections.delete(name)
        this.#leaveIfIdle()
      },
    })
    return connection
  }

  #postAccept(to: Uint8Array): void {
    const { id, publicKey, isSealed } = this.#keys
    this.#bus.post(joinFrame(makeHead('accept', to, id, isSealed), publicKey))
  }

  #leaveIfIdle(): void {
    if (!this.#isOpen && this.#connections.size === 0) this.#leave()
  }
}

/** What a dial needs. */
interface DialTask {
  readonly bus: Bus
  readonly keys: PeerKeys
  readonly url: string
  readonly options: BroadcastDialOptions
  readonly signal: AbortSignal | undefined
}

class BusDial {
  readonly #task: DialTask
  readonly #resolve: (connection: Connection) => void
  readonly #reject: (error: ConnectError) => void
  #leave: () => void = () => {}
  #timers: ReturnType<typeof setInterval>[] = []
  /** Who accepted, and is being asked to prove it. */
  #listener: Uint8Array | undefined
  #listenerAtMs = 0
  #connection: BroadcastConnection | undefined
  #derivingCount = 0
  /** Listeners that accepted and never proved it. */
  readonly #distrusted = new Set<string>()
  #isSettled = false

  constructor(
    task: DialTask,
    resolve: (connection: Connection) => void,
    reject: (error: ConnectError) => void,
  ) {
    this.#task = task
    this.#resolve = resolve
    this.#reject = reject
  }

  begin(): void {
    const { bus, signal, url, options } = this.#task
    const { timeoutMs = dialMsMax } = options
    if (signal?.aborted) {
      this.#reject(ConnectError.aborted(url, signal.reason))
      return
    }
    signal?.addEventListener('abort', this.#handleAbort)
    this.#leave = bus.listen((frame) => this.#handleFrame(frame))
    this.#timers = [
      setInterval(() => this.#ask(), helloEveryMs),
      setTimeout(() => this.#fail(ConnectError.timedOut(url, timeoutMs)), timeoutMs),
    ]
    this.#ask()
  }

  readonly #handleAbort = (): void => {
    this.#fail(ConnectError.aborted(this.#task.url, this.#task.signal?.reason))
  }

  /** Says again what was not answered. */
  #ask(): void {
    if (this.#connection !== undefined && performance.now() - this.#listenerAtMs < proofMsMax) {
      this.#connection.ping()
      return
    }
    if (this.#connection !== undefined) this.#distrust()
    const { id, publicKey, isSealed } = this.#task.keys
    const to = this.#task.options.to ?? everybody
    this.#task.bus.post(joinFrame(makeHead('hello', to, id, isSealed), publicKey))
  }

  /** Whoever accepted does not answer: somebody else may. */
  #distrust(): void {
    if (this.#listener !== undefined && this.#task.options.to === undefined) {
      this.#distrusted.add(idText(this.#listener))
    }
    const connection = this.#connection
    this.#connection = undefined
    this.#listener = undefined
    connection?.abandon('no answer')
  }

  #handleFrame(frame: Uint8Array): void {
    const { id, isSealed } = this.#task.keys
    const kind = kindFor(frame, id, isSealed)
    if (kind === undefined) return
    if (this.#listener !== undefined) {
      if (isFrom(frame, this.#listener)) this.#connection?.handleFrame(kind, frame)
    } else if (kind === 'accept') {
      void this.#handleAccept(senderOf(frame), bodyOf(frame).slice())
    }
  }

  async #handleAccept(from: Uint8Array, key: Uint8Array): Promise<void> {
    const { bus, keys, options } = this.#task
    const isMeant = options.to === undefined || options.to.every((byte, at) => byte === from[at])
    if (!isMeant || this.#distrusted.has(idText(from))) return
    if (this.#derivingCount >= derivingMax) return
    this.#derivingCount += 1
    const secret = options.secret ?? noSecret
    const guard = await makeGuard(bus, keys, { id: from, key }, 'dialer', secret)
    this.#derivingCount -= 1
    // Without a guard, it is not who it says; and somebody else may have been faster.
    if (guard === undefined || this.#isSettled || this.#listener !== undefined) return
    this.#listener = from
    const connection = new BroadcastConnection(guard, idText(from), {
      handleConfirmed: () => this.#succeed(connection),
      handleOver: () => this.#handleOver(connection),
    })
    this.#connection = connection
    this.#listenerAtMs = performance.now()
    connection.ping()
  }

  #handleOver(connection: BroadcastConnection): void {
    if (connection !== this.#connection) return
    if (this.#isSettled) this.#leave()
    else this.#distrust()
  }

  #succeed(connection: BroadcastConnection): void {
    if (connection !== this.#connection) return
    this.#settle()
    this.#resolve(connection)
  }

  #fail(error: ConnectError): void {
    if (this.#isSettled) return
    this.#settle()
    const connection = this.#connection
    this.#connection = undefined
    connection?.close(1000, 'gave up')
    this.#leave()
    this.#reject(error)
  }

  #settle(): void {
    this.#isSettled = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#task.signal?.removeEventListener('abort', this.#handleAbort)
  }
}
