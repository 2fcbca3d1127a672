/**
 * Cookies prove that whoever says hello receives what is sent to its address, and cost this side no
 * memory: everything that must be remembered travels in the cookie itself.
 *
 *     cookie = epoch(1) time(4) HMAC-SHA256(secret of the epoch, version ‖ epoch ‖ time ‖ ephemeral
 *              key ‖ port ‖ address), cut to 16 bytes
 *
 * Times are those of this machine since it started, in ms, modulo 2³²; nobody else reads them.
 */
import { hash, timingSafeEqual } from 'node:crypto'
import type { RandomBytes } from '../crypto/x25519.ts'
import { cookieBytes, cookieLifeMs, keyBytes, secretLifeMs, udpVersion } from '../limits.ts'
import type { UdpAddress } from '../udp-format.ts'

/** SHA-256 works on blocks of this size, and HMAC fills one with the key. */
const blockBytes = 64
const macBytes = cookieBytes - 5
const messageHeadBytes = 1 + 1 + 4 + keyBytes + 2

/** The longest text of an address: IPv6 with the name of an interface behind it. */
const addressCharactersMax = 64

/** A key with the buffers of both hashes of HMAC, whose first block is the key. */
class CookieSecret {
  readonly epoch: number
  readonly #inner = Buffer.alloc(blockBytes + messageHeadBytes + addressCharactersMax, 0x36)
  readonly #outer = Buffer.alloc(blockBytes + 32, 0x5c)

  constructor(epoch: number, random: RandomBytes) {
    this.epoch = epoch
    const secret = random(keyBytes)
    for (let at = 0; at < secret.length; at++) {
      this.#inner[at]! ^= secret[at]!
      this.#outer[at]! ^= secret[at]!
    }
  }

  /**
   * Writes the HMAC into `out`. Two hashes in one call each and through hexadecimal text, because
   * objects for HMAC and for buffers take three times as long: this runs for every forged hello.
   */
  write(out: Buffer, timeMs: number, from: UdpAddress, ephemeral: Uint8Array): void {
    const inner = this.#inner
    let at = blockBytes
    inner[at++] = udpVersion
    inner[at++] = this.epoch & 0xff
    inner.writeUInt32LE(timeMs, at)
    inner.set(ephemeral, at + 4)
    at += 4 + keyBytes
    inner.writeUInt16LE(from.port, at)
    at += 2
    at += inner.write(from.address, at, 'latin1')
    this.#outer.write(hash('sha256', inner.subarray(0, at), 'hex'), blockBytes, 'hex')
    out.write(hash('sha256', this.#outer, 'hex'), 0, macBytes, 'hex')
  }
}

/** Makes cookies and knows its own again. */
export class CookieJar {
  readonly #random: RandomBytes
  readonly #startMs: number
  #current: CookieSecret
  #previous: CookieSecret | undefined
  readonly #mac = Buffer.alloc(macBytes)

  constructor(random: RandomBytes, nowMs: number) {
    this.#random = random
    this.#startMs = nowMs
    this.#current = new CookieSecret(0, random)
  }

  /** Writes a cookie for a hello into `out`. Keeps nothing. */
  write(out: Uint8Array, at: number, from: UdpAddress, ephemeral: Uint8Array, nowMs: number): void {
    this.#rotate(nowMs)
    const timeMs = this.#timeMs(nowMs)
    out[at] = this.#current.epoch & 0xff
    new DataView(out.buffer, out.byteOffset).setUint32(at + 1, timeMs, true)
    this.#current.write(this.#mac, timeMs, from, ephemeral)
    out.set(this.#mac, at + 5)
  }

  /** Whether the cookie was made here, lately, for this address and this key (T-03). */
  isGood(cookie: Uint8Array, from: UdpAddress, ephemeral: Uint8Array, nowMs: number): boolean {
    this.#rotate(nowMs)
    const secret = this.#secretOf(cookie[0]!)
    if (secret === undefined) return false
    const timeMs = new DataView(cookie.buffer, cookie.byteOffset).getUint32(1, true)
    // A time in the future is one of almost 50 days ago.
    if ((this.#timeMs(nowMs) - timeMs) >>> 0 > cookieLifeMs) return false
    secret.write(this.#mac, timeMs, from, ephemeral)
    return timingSafeEqual(this.#mac, cookie.subarray(5))
  }

  #secretOf(epoch: number): CookieSecret | undefined {
    if ((this.#current.epoch & 0xff) === epoch) return this.#current
    return this.#previous && (this.#previous.epoch & 0xff) === epoch ? this.#previous : undefined
  }

  #timeMs(nowMs: number): number {
    return Math.floor(nowMs - this.#startMs) >>> 0
  }

  #rotate(nowMs: number): void {
    const epoch = Math.floor((nowMs - this.#startMs) / secretLifeMs)
    if (epoch <= this.#current.epoch) return
    // After a long silence even the newest secret is too old to check anything.
    this.#previous = epoch === this.#current.epoch + 1 ? this.#current : undefined
    this.#current = new CookieSecret(epoch, this.#random)
  }
}
