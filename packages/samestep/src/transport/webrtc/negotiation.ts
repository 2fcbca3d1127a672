/**
 * How two peers come to a connection, over any pipe:
 *
 *     initiator                         acceptor
 *     offer      ─────────────────────►
 *                ◄─────────────────────  answer
 *     candidate… ◄────────────────────► candidate…     (each side only after its description)
 *                ═════ lanes open ═════
 *     done       ◄────────────────────► done
 *
 * Whoever sends something else, or too much, or takes too long, gets no connection. The certificate
 * of either side is named in its description, and DTLS holds it to that; so the connection is as
 * genuine as the pipe. Where the pipe belongs to somebody who is not trusted, both sides give a
 * {@link FingerprintProof}, and the descriptions carry what it makes (T-102).
 *
 * Strangers choose what runs here and when. An error of ours therefore ends this one negotiation, or
 * the connection that came of it, and is told to `onFault`; it never reaches the pipe, a timer or the
 * library. What the library makes of a stranger's offer is checked like a stranger's own words.
 */
import { WireError } from '../../base/errors.ts'
import type { LinkSide } from '../../link/datagram/packet-format.ts'
import { ConnectError } from '../connect-error.ts'
import { guardEntrance } from '../entrance.ts'
import type { CheckedDescription } from './description.ts'
import { checkCandidate, checkDescription, checkMid } from './description.ts'
import { candidatesMax, negotiationMsMax } from './limits.ts'
import type { DescriptionKind, RtcPeer } from './peer.ts'
import { RtcConnection } from './rtc-connection.ts'
import type { SignallingMessage, SignallingPipe } from './signalling.ts'
import { decodeSignalling, encodeSignalling } from './signalling.ts'

/** Signs what names this side's certificate, and checks what names the other's. */
export interface FingerprintProof {
  /** A signature over `side` and `fingerprint` (`sha-256 AB:CD:…`), at most 1 024 bytes. */
  sign(fingerprint: string, side: LinkSide): Promise<Uint8Array>
  /** Whether `proof` was made by whom this side means to talk to. */
  verify(fingerprint: string, side: LinkSide, proof: Uint8Array): Promise<boolean>
}

/** What a negotiation needs. */
export interface NegotiationOptions {
  readonly peer: RtcPeer
  readonly pipe: SignallingPipe
  readonly side: LinkSide
  /** Whom to name in errors and as the other end. */
  readonly remote: string
  readonly proof?: FingerprintProof | undefined
  /** Defaults to 10 s. */
  readonly timeoutMs?: number | undefined
  /** How long to look for a way once this side has told its description; no less time when left out. */
  readonly reachMsMax?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Called when the connection is over, once it was given away. */
  readonly onOver?: () => void
  /** Hears of errors of ours. When left out they are uncaught: right for a client, never for a server. */
  readonly onFault?: ((error: unknown) => void) | undefined
}

/**
 * Brings one negotiation to its end. The pipe is closed either way.
 *
 * Rejects with a {@link ConnectError}; the peer is closed then.
 */
export function negotiate(options: NegotiationOptions): Promise<RtcConnection> {
  return new Promise((resolve, reject) => {
    try {
      new Negotiation(options, resolve, reject).begin()
    } catch (error) {
      options.peer.close()
      options.pipe.close()
      throw error
    }
  })
}

/** What a connection ends with that an error of ours befell. */
const ownFault = 'this side met an error of its own'

/** An error that nobody listens for must be seen nevertheless. */
function throwLater(error: unknown): void {
  queueMicrotask(() => {
    throw error
  })
}

class Negotiation {
  readonly #options: NegotiationOptions
  readonly #resolve: (connection: RtcConnection) => void
  readonly #reject: (error: ConnectError) => void
  readonly #connection: RtcConnection
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Runs from the own description until a way was found. */
  #reachTimer: ReturnType<typeof setTimeout> | undefined
  #isSettled = false
  #isGivenAway = false
  /** Whether the own description was sent, so that candidates may follow. */
  #isDescribed = false
  readonly #heldBack: SignallingMessage[] = []
  /** How far the other side's description got. */
  #remoteDescription: 'missing' | 'checking' | 'taken' = 'missing'
  readonly #early: { readonly candidate: string; readonly mid: string }[] = []
  #candidates = 0
  #isDone = false

  constructor(
    options: NegotiationOptions,
    resolve: (connection: RtcConnection) => void,
    reject: (error: ConnectError) => void,
  ) {
    this.#options = options
    this.#resolve = resolve
    this.#reject = reject
    this.#connection = new RtcConnection(options.peer, options.remote, {
      handleReady: () => this.#succeed(),
      handleOver: ({ reason }) => {
        if (this.#isGivenAway) options.onOver?.()
        else this.#failBroken(reason)
      },
      handleFault: (error) => this.#handleFault(error),
    })
  }

  begin(): void {
    const { peer, pipe, remote, signal, side, timeoutMs = negotiationMsMax } = this.#options
    if (signal?.aborted) {
      this.#fail(ConnectError.aborted(remote, signal.reason))
      return
    }
    signal?.addEventListener('abort', this.#handleAbort)
    const handleTimeout = (): void => this.#fail(ConnectError.timedOut(remote, timeoutMs))
    this.#timer = setTimeout(this.#guard(handleTimeout), timeoutMs)
    peer.open({
      handleDescription: this.#guard((kind, sdp) => this.#handleDescription(kind, sdp)),
      handleCandidate: this.#guard((candidate, mid) => this.#handleCandidate(candidate, mid)),
      handleReached: () => clearTimeout(this.#reachTimer),
      handleBroken: this.#guard((reason) => this.#connection.handleBroken(reason)),
      handleFault: (error) => this.#handleFault(error),
    })
    pipe.open({
      handleMessage: this.#guard((bytes) => this.#handleMessage(bytes)),
      handleClosed: this.#guard((reason) => this.#handlePipeClosed(reason)),
    })
    if (side === 'initiator') peer.offer()
  }

  #guard<Args extends readonly unknown[]>(callback: (...args: Args) => void) {
    return guardEntrance(callback, (error) => this.#handleFault(error))
  }

  #handleFault(error: unknown): void {
    const { onFault = throwLater } = this.#options
    onFault(error)
    if (this.#isGivenAway) this.#connection.handleBroken(ownFault)
    else this.#failBroken(ownFault, error)
  }

  readonly #handleAbort = guardEntrance(
    () => {
      const { remote, signal } = this.#options
      this.#fail(ConnectError.aborted(remote, signal?.reason))
    },
    (error) => this.#handleFault(error),
  )

  #handlePipeClosed(reason: string): void {
    // Who is done has nothing more to say; the lanes of this side open a moment later.
    if (this.#isDone) return
    this.#fail(new ConnectError('SS_CONNECT_REJECTED', this.#options.remote, reason))
  }

  #handleDescription(kind: DescriptionKind, sdp: string): void {
    this.#checkOwn(() => {
      const own = checkDescription(sdp)
      const { proof } = this.#options
      if (proof === undefined) this.#sendDescription(kind, own.sdp, new Uint8Array(0))
      else void this.#sign(proof, kind, own)
    })
  }

  #handleCandidate(candidate: string, mid: string): void {
    this.#checkOwn(() => {
      checkCandidate(candidate)
      checkMid(mid)
      const message: SignallingMessage = { type: 'candidate', candidate, mid }
      if (this.#isDescribed) this.#send(message)
      else if (this.#heldBack.length < candidatesMax) this.#heldBack.push(message)
    })
  }

  /** What the library made cannot be sent if it is bad; that is the end of this negotiation only. */
  #checkOwn(action: () => void): void {
    try {
      action()
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#failBroken('the library of this side made what cannot be sent', error)
    }
  }

  async #sign(
    proof: FingerprintProof,
    kind: DescriptionKind,
    { sdp, fingerprint }: CheckedDescription,
  ): Promise<void> {
    let made: Uint8Array
    try {
      made = await proof.sign(fingerprint, this.#options.side)
    } catch (cause) {
      this.#guard(() => this.#failInsecure('this side could not sign its fingerprint', cause))()
      return
    }
    this.#guard(() => this.#sendDescription(kind, sdp, made))()
  }

  #sendDescription(kind: DescriptionKind, sdp: string, proof: Uint8Array): void {
    const { reachMsMax, remote } = this.#options
    this.#isDescribed = true
    this.#send({ type: kind, sdp, proof })
    if (reachMsMax !== undefined && !this.#isSettled) {
      const handleTimeout = (): void => this.#fail(ConnectError.timedOut(remote, reachMsMax))
      this.#reachTimer = setTimeout(this.#guard(handleTimeout), reachMsMax)
    }
    for (const message of this.#heldBack) this.#send(message)
  }

  #send(message: SignallingMessage): void {
    if (!this.#isSettled) this.#options.pipe.send(encodeSignalling(message))
  }

  #handleMessage(bytes: Uint8Array): void {
    if (this.#isSettled) return
    try {
      this.#take(decodeSignalling(bytes))
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      this.#failRejected(error.message, error)
    }
  }

  #take(message: SignallingMessage): void {
    switch (message.type) {
      case 'offer':
      case 'answer':
        this.#takeDescription(message.type, message.sdp, message.proof)
        return
      case 'candidate':
        this.#takeCandidate(message.candidate, message.mid)
        return
      case 'done':
        if (this.#isDone) this.#failRejected('the other side was done twice')
        this.#isDone = true
    }
  }

  #takeDescription(kind: DescriptionKind, sdp: string, proof: Uint8Array): void {
    const { side, proof: check } = this.#options
    const isExpected = kind === (side === 'initiator' ? 'answer' : 'offer')
    if (!isExpected || this.#remoteDescription !== 'missing') {
      this.#failRejected(`the other side sent an ${kind} out of turn`)
      return
    }
    const checked = checkDescription(sdp)
    this.#remoteDescription = 'checking'
    if (check === undefined) this.#useDescription(kind, checked.sdp)
    else void this.#verify(check, kind, checked, proof)
  }

  async #verify(
    check: FingerprintProof,
    kind: DescriptionKind,
    { sdp, fingerprint }: CheckedDescription,
    proof: Uint8Array,
  ): Promise<void> {
    const other: LinkSide = this.#options.side === 'initiator' ? 'acceptor' : 'initiator'
    let isProven: boolean
    try {
      isProven = await check.verify(fingerprint, other, proof)
    } catch (cause) {
      this.#guard(() => this.#failInsecure('the fingerprint could not be checked', cause))()
      return
    }
    this.#guard(() => {
      if (isProven) this.#useDescription(kind, sdp)
      else this.#failInsecure('the other side cannot prove that the fingerprint is its own')
    })()
  }

  #useDescription(kind: DescriptionKind, sdp: string): void {
    if (this.#isSettled) return
    const { peer } = this.#options
    if (kind === 'offer') peer.answer(sdp)
    else peer.acceptAnswer(sdp)
    this.#remoteDescription = 'taken'
    for (const { candidate, mid } of this.#early) peer.addCandidate(candidate, mid)
    this.#early.length = 0
  }

  #takeCandidate(text: string, mid: string): void {
    this.#candidates += 1
    if (this.#candidates > candidatesMax) {
      this.#failRejected(`the other side sent more than ${candidatesMax} candidates`)
      return
    }
    const { candidate } = checkCandidate(text)
    checkMid(mid)
    if (this.#remoteDescription === 'taken') this.#options.peer.addCandidate(candidate, mid)
    else this.#early.push({ candidate, mid })
  }

  #succeed(): void {
    if (this.#isSettled) return
    this.#send({ type: 'done' })
    this.#settle()
    this.#isGivenAway = true
    this.#resolve(this.#connection)
  }

  #failRejected(what: string, cause?: unknown): void {
    this.#fail(new ConnectError('SS_CONNECT_REJECTED', this.#options.remote, what, { cause }))
  }

  #failBroken(what: string, cause?: unknown): void {
    this.#fail(new ConnectError('SS_CONNECT_FAILED', this.#options.remote, what, { cause }))
  }

  #failInsecure(what: string, cause?: unknown): void {
    this.#fail(new ConnectError('SS_CONNECT_INSECURE', this.#options.remote, what, { cause }))
  }

  #fail(error: ConnectError): void {
    if (this.#isSettled) return
    try {
      this.#settle()
      this.#connection.handleBroken(error.message)
      this.#options.peer.close()
    } finally {
      this.#reject(error)
    }
  }

  #settle(): void {
    this.#isSettled = true
    clearTimeout(this.#timer)
    clearTimeout(this.#reachTimer)
    this.#options.signal?.removeEventListener('abort', this.#handleAbort)
    this.#options.pipe.close()
  }
}
