/**
 * Makes frames for one connection, and tells which of those that came are genuine. In the clear all
 * are; sealed, only those whose seal is that of the other end, each once.
 *
 * Sealed bodies are a counter, u48, and what AES-GCM makes of the body with the whole head as
 * additional data: `to`, `from` and kind cannot be changed either. WebCrypto answers later, so frames
 * are sealed one after the other, which keeps their sequence, and opened side by side.
 */
import { ReplayWindow } from '../replay-window.ts'
import type { FrameKind } from './frame.ts'
import { bodyOf, headBytes, joinFrame, makeHead } from './frame.ts'
import { openingMax, sealingBytesMax } from './limits.ts'
import type { PairKeys } from './peer-keys.ts'

/** Guards one connection. */
export interface FrameGuard {
  /** Bytes that wait for their seal. */
  readonly backlogBytes: number
  /** Makes a frame and posts it, now or later, in the sequence of the calls. */
  post(kind: FrameKind, body: Uint8Array): void
  /** Gives the body of a genuine frame, now or later. `body` is lent. */
  open(frame: Uint8Array, take: (body: Uint8Array) => void): void
  /** Posts the farewell of a page that is about to vanish, and has no time for sealing. */
  postLast(): void
}

/** Who talks to whom. */
export interface GuardEnds {
  readonly own: Uint8Array
  readonly other: Uint8Array
  /** The farewell of a page that vanishes. */
  readonly lastWord: Uint8Array
  post(frame: Uint8Array): void
}

/** Lets everything through. */
export class ClearGuard implements FrameGuard {
  readonly backlogBytes = 0
  readonly #ends: GuardEnds

  constructor(ends: GuardEnds) {
    this.#ends = ends
  }

  post(kind: FrameKind, body: Uint8Array): void {
    const { own, other } = this.#ends
    this.#ends.post(joinFrame(makeHead(kind, other, own, false), body))
  }

  open(frame: Uint8Array, take: (body: Uint8Array) => void): void {
    take(bodyOf(frame))
  }

  postLast(): void {
    this.post('bye', this.#ends.lastWord)
  }
}

const counterBytes = 6

/** The counter of the farewell that is sealed beforehand: no other frame ever gets that far. */
const lastCounter = 2 ** 48 - 1

type Plain = Uint8Array<ArrayBuffer>

/** Seals and opens. */
export class SealGuard implements FrameGuard {
  readonly #ends: GuardEnds
  readonly #keys: PairKeys
  readonly #received = new ReplayWindow()
  #sentCount = 0
  #sealing: Promise<void> = Promise.resolve()
  #sealingBytes = 0
  #openingCount = 0
  #lastFrame: Uint8Array | undefined

  constructor(ends: GuardEnds, keys: PairKeys) {
    this.#ends = ends
    this.#keys = keys
    void this.#seal('bye', ends.lastWord, lastCounter).then((frame) => {
      this.#lastFrame = frame
    })
  }

  get backlogBytes(): number {
    return this.#sealingBytes
  }

  post(kind: FrameKind, body: Uint8Array): void {
    // A farewell is small, and must not be lost behind a flood.
    if (this.#sealingBytes > sealingBytesMax && kind !== 'bye') return
    const counter = this.#sentCount++
    this.#sealingBytes += body.length
    this.#sealing = this.#sealing.then(async () => {
      const frame = await this.#seal(kind, body, counter)
      this.#sealingBytes -= body.length
      this.#ends.post(frame)
    })
  }

  open(frame: Uint8Array, take: (body: Uint8Array) => void): void {
    if (frame.length < headBytes + counterBytes || this.#openingCount >= openingMax) return
    const counter = readCounter(frame)
    if (!this.#received.isNew(counter)) return
    // The bus may use the frame's memory again.
    const copy = new Uint8Array(frame)
    this.#openingCount += 1
    void this.#unseal(copy, counter).then((body) => {
      this.#openingCount -= 1
      // Its double may have been opened at the same time.
      if (body === undefined || !this.#received.isNew(counter)) return
      this.#received.add(counter)
      take(body)
    })
  }

  postLast(): void {
    if (this.#lastFrame !== undefined) this.#ends.post(this.#lastFrame)
  }

  async #seal(kind: FrameKind, body: Uint8Array, counter: number): Promise<Uint8Array> {
    const head = makeHead(kind, this.#ends.other, this.#ends.own, true)
    const sealed = await crypto.subtle.encrypt(
      { name: 'AES-GCM', iv: nonceOf(counter), additionalData: head as Plain },
      this.#keys.send,
      body as Plain,
    )
    const frame = new Uint8Array(headBytes + counterBytes + sealed.byteLength)
    frame.set(head)
    writeCounter(frame, counter)
    frame.set(new Uint8Array(sealed), headBytes + counterBytes)
    return frame
  }

  async #unseal(frame: Plain, counter: number): Promise<Uint8Array | undefined> {
    try {
      const body = await crypto.subtle.decrypt(
        {
          name: 'AES-GCM',
          iv: nonceOf(counter),
          additionalData: frame.subarray(0, headBytes),
        },
        this.#keys.receive,
        frame.subarray(headBytes + counterBytes),
      )
      return new Uint8Array(body)
    } catch {
      // Forged, damaged, or sealed for another connection.
      return undefined
    }
  }
}

/** Each direction has its own key, so a counter is never used twice with one. */
function nonceOf(counter: number): Plain {
  const nonce = new Uint8Array(12)
  const view = new DataView(nonce.buffer)
  view.setUint32(4, counter % 2 ** 32, true)
  view.setUint32(8, Math.floor(counter / 2 ** 32), true)
  return nonce
}

function writeCounter(frame: Uint8Array, counter: number): void {
  const view = new DataView(frame.buffer, frame.byteOffset)
  view.setUint32(headBytes, counter % 2 ** 32, true)
  view.setUint16(headBytes + 4, Math.floor(counter / 2 ** 32), true)
}

function readCounter(frame: Uint8Array): number {
  const view = new DataView(frame.buffer, frame.byteOffset)
  return view.getUint32(headBytes, true) + view.getUint16(headBytes + 4, true) * 2 ** 32
}
