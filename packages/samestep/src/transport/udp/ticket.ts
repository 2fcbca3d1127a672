/**
 * Connect tickets: what a lobby gives a player so that a relay lets it in. Both know one key; the relay
 * asks nobody.
 *
 *     ticket = id(16) expires(8, ms since 1970) data(0 to 208) HMAC-SHA256(key, all before), 24 bytes
 *
 * A ticket travels only encrypted, but in XX to whoever answers: use it where the relay's key is known.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { UsageError } from '../../base/errors.ts'
import { ticketBytesMax, ticketSkewMs, ticketsMax } from './limits.ts'
import { isSameAddress, type UdpAddress } from './udp-format.ts'

const idBytes = 16
const headBytes = idBytes + 8
const macBytes = 24
const dataBytesMax = ticketBytesMax - headBytes - macBytes

/** The content of a ticket. */
export interface Ticket {
  /** 16 random bytes that make each ticket unique. */
  readonly id: Uint8Array
  /** When it expires, in ms since 1970. */
  readonly expiresAtMs: number
  /** Any data that the lobby and the relay agree on, at most 208 bytes: a match, a seat, a name. */
  readonly data?: Uint8Array
}

/** Creates the bytes of a ticket. Throws `SS_BAD_ARGUMENT` for invalid values. */
export function issueTicket(key: Uint8Array, ticket: Ticket): Uint8Array {
  const data = ticket.data ?? new Uint8Array(0)
  checkArgument(ticket.id.length === idBytes, `its id has ${ticket.id.length} bytes`, '16')
  checkArgument(data.length <= dataBytesMax, `its data has ${data.length} bytes`, 'at most 208')
  const isTime = Number.isSafeInteger(ticket.expiresAtMs) && ticket.expiresAtMs >= 0
  checkArgument(isTime, `it expires at ${ticket.expiresAtMs}`, 'in whole ms since 1970')
  const bytes = Buffer.alloc(headBytes + data.length + macBytes)
  bytes.set(ticket.id)
  bytes.writeBigUInt64LE(BigInt(ticket.expiresAtMs), idBytes)
  bytes.set(data, headBytes)
  bytes.set(macOf(key, bytes.subarray(0, -macBytes)), bytes.length - macBytes)
  return Uint8Array.from(bytes)
}

/** Reads a ticket; `undefined` for one that was not issued with this key. */
export function readTicket(key: Uint8Array, bytes: Uint8Array): Required<Ticket> | undefined {
  if (bytes.length < headBytes + macBytes || bytes.length > ticketBytesMax) return undefined
  const end = bytes.length - macBytes
  if (!timingSafeEqual(macOf(key, bytes.subarray(0, end)), bytes.subarray(end))) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  // Only whoever has the key can make this inexact, and that is a date in the year 287396.
  const expiresAtMs = Number(view.getBigUint64(idBytes, true))
  return { id: bytes.slice(0, idBytes), expiresAtMs, data: bytes.slice(headBytes, end) }
}

/** Which tickets were used and from where. One is good for one address (T-14). */
export class TicketBook {
  readonly #key: Uint8Array
  readonly #used = new Map<string, { readonly from: UdpAddress; readonly forgetAtMs: number }>()

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** How many are remembered. */
  get size(): number {
    return this.#used.size
  }

  /** Notes that a ticket was used from here. `undefined` when it must not be. */
  use(bytes: Uint8Array, from: UdpAddress, unixMs: number): Required<Ticket> | undefined {
    const ticket = readTicket(this.#key, bytes)
    if (ticket === undefined) return undefined
    const forgetAtMs = ticket.expiresAtMs + ticketSkewMs
    if (unixMs >= forgetAtMs) return undefined
    const id = Buffer.from(ticket.id).toString('latin1')
    const use = this.#used.get(id)
    if (use !== undefined) return isSameAddress(use.from, from) ? ticket : undefined
    if (this.#used.size >= ticketsMax && !this.#forgetExpired(unixMs)) return undefined
    this.#used.set(id, { from: { address: from.address, port: from.port }, forgetAtMs })
    return ticket
  }

  /** Whether that made room. Nothing else is ever forgotten: it would be good for a second time. */
  #forgetExpired(unixMs: number): boolean {
    for (const [id, { forgetAtMs }] of this.#used) {
      if (unixMs >= forgetAtMs) this.#used.delete(id)
    }
    return this.#used.size < ticketsMax
  }
}

function macOf(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(bytes).digest().subarray(0, macBytes)
}

function checkArgument(isGood: boolean, is: string, must: string): void {
  if (isGood) return
  throw new UsageError('SS_BAD_ARGUMENT', `Cannot issue a ticket: ${is}; it must be ${must}`)
}
