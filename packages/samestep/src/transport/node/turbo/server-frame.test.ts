import { expect, test } from 'vitest'
import * as ws from 'ws'
import { Door } from '../../testing/door.ts'
import { until } from '../../testing/recorder.ts'
import { framePacketBytesMax, makeServerFrame } from './server-frame.ts'

type MakeFrame = (data: Buffer, options: object) => Buffer[]

/** What `ws` itself would write. Its types leave the sender out. */
function frameOfWs(packet: Uint8Array): Buffer {
  const { Sender } = ws as unknown as { Sender: { frame: MakeFrame } }
  const options = { fin: true, mask: false, opcode: 2, readOnly: true, rsv1: false }
  return Buffer.concat(Sender.frame(Buffer.from(packet), options))
}

const pattern = (size: number): Uint8Array => Uint8Array.from({ length: size }, (_, at) => at * 7)

test('every frame has the bytes that ws would write', () => {
  const largest = pattern(framePacketBytesMax)
  for (let size = 1; size <= framePacketBytesMax; size++) {
    const packet = largest.subarray(0, size)
    if (Buffer.compare(makeServerFrame(packet), frameOfWs(packet)) !== 0) {
      throw new Error(`The frame of ${size} bytes differs`)
    }
  }
  expect(makeServerFrame(pattern(125)).length).toBe(127)
  expect(makeServerFrame(pattern(126)).length).toBe(130)
})

test('a frame stays as it is while others are made', () => {
  const frames = Array.from({ length: 500 }, (_, number) => makeServerFrame(Uint8Array.of(number)))
  makeServerFrame(pattern(framePacketBytesMax))
  expect(frames.map((frame) => frame[2])).toEqual(frames.map((_, number) => number & 255))
})

test('a packet for many is framed once', () => {
  const packet = pattern(40)
  const frame = makeServerFrame(packet)
  expect(makeServerFrame(packet)).toBe(frame)
  expect(makeServerFrame(pattern(40))).not.toBe(frame)
})

test('small frames, large frames of ws, and pongs keep their sequence on one socket', async () => {
  const door = await Door.open({ turbo: true })
  const { client, connection } = await door.enter()
  const sizes = [1, 125, 126, 4_096, 4_097, 65_535, 65_536, 3, 5_000, 2]
  const head = client.bytes.length
  for (const size of sizes) connection.send(pattern(size))
  client.write(9, Uint8Array.of(42))
  await until(() => client.frames.length === sizes.length + 1, 'all frames')
  const expected = Buffer.concat([
    ...sizes.map((size) => frameOfWs(pattern(size))),
    Buffer.from([0x8a, 1, 42]),
  ])
  expect(Buffer.compare(client.bytes.subarray(head), expected)).toBe(0)
  await door.close()
})
