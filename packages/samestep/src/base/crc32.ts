/**
 * CRC-32 as Ethernet and gzip use it (reflected polynomial 0xedb88320), four bytes per turn. It finds
 * what a plain transport or a disk damages; it keeps out nobody who means harm.
 */
const tables = makeTables()

function makeTables(): Uint32Array {
  const made = new Uint32Array(4 * 256)
  for (let byte = 0; byte < 256; byte++) {
    let rest = byte
    for (let bit = 0; bit < 8; bit++) rest = rest & 1 ? (rest >>> 1) ^ 0xedb8_8320 : rest >>> 1
    made[byte] = rest
  }
  for (let index = 256; index < 1_024; index++) {
    const before = made[index - 256]!
    made[index] = (before >>> 8) ^ made[before & 0xff]!
  }
  return made
}

/**
 * The CRC-32 of the bytes from `start` to before `end`, as an unsigned number. With the CRC of what came
 * before as `previous` it is that of both together, as zlib's `crc32(bytes, previous)`.
 */
export function crc32(bytes: Uint8Array, end: number, start = 0, previous = 0): number {
  let crc = ~previous
  let at = start
  for (const last = end - 4; at <= last; at += 4) {
    crc ^= bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
    crc =
      tables[768 + (crc & 0xff)]! ^
      tables[512 + ((crc >>> 8) & 0xff)]! ^
      tables[256 + ((crc >>> 16) & 0xff)]! ^
      tables[crc >>> 24]!
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ tables[(crc ^ bytes[at]!) & 0xff]!
  return ~crc >>> 0
}
