import { expect, test } from 'vitest'
import { checksumMark } from './packet-format.ts'
import { PacketWriter } from './packet-writer.ts'

const writer = new PacketWriter()

function hex(write: () => void, mark?: number): string {
  writer.begin(0x0201, 0x0403)
  write()
  return Buffer.from(writer.finish(mark)).toString('hex')
}

/** The bytes that `docs/protocol.md` promises. */
const golden: readonly [what: string, bytes: string, write: () => void][] = [
  [
    'a tick before anything was received',
    '8001020304aabb',
    () => writer.tick(Uint8Array.of(0xaa, 0xbb)),
  ],
  [
    'a tick on a path without loss, seven bytes of head',
    'a001020304c800aa',
    () => {
      writer.acknowledge(200, -1, 0)
      writer.tick(Uint8Array.of(0xaa))
    },
  ],
  [
    'a held time of 16 ms',
    'b001020304c80010aa',
    () => {
      writer.acknowledge(200, -1, 15.6)
      writer.tick(Uint8Array.of(0xaa))
    },
  ],
  [
    'a held time that is too long to tell',
    '3001020304c800ff',
    () => writer.acknowledge(200, -1, 5_000),
  ],
  ['one packet missing among 32', '2201020304c800fb', () => writer.acknowledge(200, ~0x400, 0)],
  ['nothing but the newest', '2f01020304c80000000000', () => writer.acknowledge(200, 0, 0)],
  ['a ping', '4001020304010030', () => writer.ping()],
  ['a goodbye', '400102030401' + '0020' + 'a10f', () => writer.close(4_001)],
  [
    'two segments and a tick',
    'c00102030402' + '0200' + '3412' + '0102' + '0118' + 'ffff' + '03' + 'aa',
    () => {
      const message = Uint8Array.of(0, 1, 2, 3)
      writer.segment('control', 0x1234, false, message, 1, 3)
      writer.segment('bulk', 0xffff, true, message, 3, 4)
      writer.tick(Uint8Array.of(0xaa))
    },
  ],
]

test.each(golden)('%s is %s', (_what, bytes, write) => {
  expect(hex(write)).toBe(bytes)
})

test('the checksum stands behind everything, and differs by side', () => {
  const tick = (): void => writer.tick(Uint8Array.of(0xaa))
  const initiator = hex(tick, checksumMark('initiator'))
  const acceptor = hex(tick, checksumMark('acceptor'))
  expect(initiator).toBe('8001020304aa' + 'eb653268')
  expect(acceptor).toBe('8001020304aa' + 'b159f1cd')
})

test('the payload is the bytes of messages', () => {
  writer.begin(1, 1)
  writer.acknowledge(1, 0, 9)
  writer.segment('bulk', 1, true, Uint8Array.of(1, 2, 3), 0, 3)
  writer.tick(new Uint8Array(100))
  expect(writer.payloadBytes).toBe(103)
  expect(writer.byteLength).toBe(5 + 2 + 1 + 4 + 1 + 4 + 103)
})
