import { createHmac, randomBytes } from 'node:crypto'
import { crc32 } from '../../../base/crc32.ts'

/** What a negotiation gave both sides for their connectivity checks. */
export interface CheckKeys {
  /** The ICE name and password of the one that is checked, and the name of the one that checks. */
  readonly name: string
  readonly password: string
  readonly ownName: string
}

/** A connectivity check of ICE (a STUN binding request, RFC 8445 and 8489), as a browser sends it. */
export function connectivityCheck({ name, password, ownName }: CheckKeys): Buffer {
  const head = Buffer.alloc(20)
  head.writeUInt16BE(0x0001, 0)
  head.writeUInt32BE(0x2112_a442, 4)
  randomBytes(12).copy(head, 8)
  const priority = Buffer.alloc(4)
  priority.writeUInt32BE(0x6e7f_00ff)
  const request = Buffer.concat([
    head,
    attribute(0x0006, Buffer.from(`${name}:${ownName}`)),
    attribute(0x0024, priority),
    attribute(0x802a, randomBytes(8)),
  ])
  // The length in the head counts what is signed, and then what the checksum covers.
  request.writeUInt16BE(request.length - 20 + 24, 2)
  const integrity = createHmac('sha1', password).update(request).digest()
  const signed = Buffer.concat([request, attribute(0x0008, integrity)])
  signed.writeUInt16BE(signed.length - 20 + 8, 2)
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE((crc32(signed, signed.length) ^ 0x5354_554e) >>> 0)
  return Buffer.concat([signed, attribute(0x8028, checksum)])
}

function attribute(type: number, value: Buffer): Buffer {
  const padded = Math.ceil(value.length / 4) * 4
  const bytes = Buffer.alloc(4 + padded)
  bytes.writeUInt16BE(type, 0)
  bytes.writeUInt16BE(value.length, 2)
  value.copy(bytes, 4)
  return bytes
}
