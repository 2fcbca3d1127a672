import type { Writable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as ws from 'ws'
import { makeClientFrame } from '../../testing/raw-websocket.ts'
import type { PathHearer } from '../socket-path.ts'
import { FrameReader, readSmallFrames } from './frame-reader.ts'

const [more, text, binary, close, ping] = [0, 1, 2, 8, 9] as const

type MakeReceiver = new (options: object) => Writable

/** `ws`'s own reader, with what it heard. Its types leave it out. */
function makeReceiver(heard: string[]): Writable {
  const { Receiver } = ws as unknown as { Receiver: MakeReceiver }
  const receiver = new Receiver({
    isServer: true,
    maxPayload: 65_536,
    skipUTF8Validation: true,
    allowSynchronousEvents: true,
    maxFragments: 8,
  })
  const tell = (kind: string) => (data: Buffer) => heard.push(`${kind} ${data.toString('hex')}`)
  receiver.on('message', (data: Buffer, isBinary: boolean) => tell(isBinary ? 'm' : 't')(data))
  receiver.on('ping', tell('ping'))
  receiver.on('pong', tell('pong'))
  receiver.on('conclude', (code: number, reason: Buffer) => heard.push(`close ${code} ${reason}`))
  receiver.on('error', (error: Error) => heard.push(`error ${error.message}`))
  return receiver
}

/** Both ways of reading together, as a connection uses them. */
function makeReader(hooks: PathHearer & { pass(chunk: Buffer): void }) {
  const reader = new FrameReader((chunk) => hooks.pass(chunk))
  let isFresh = true
  return {
    read(chunk: Buffer): void {
      const at = isFresh ? readSmallFrames(chunk, chunk.length, hooks) : 0
      if (at < chunk.length) isFresh = reader.read(chunk, at, chunk.length)
    },
    end(): void {
      isFresh = false
      reader.end()
    },
  }
}

/** What is heard when `ws` reads alone, and when only what is left to it. */
async function readBoth(chunks: readonly Buffer[]): Promise<{ alone: string[]; both: string[] }> {
  const alone: string[] = []
  const both: string[] = []
  const plain = makeReceiver(alone)
  const behind = makeReceiver(both)
  let isOpen = true
  const reader = makeReader({
    deliver: (packet) => both.push(`m ${Buffer.from(packet).toString('hex')}`),
    pass: (chunk) => behind.write(chunk),
    get isHearing() {
      return isOpen
    },
  })
  behind.on('error', () => {
    isOpen = false
    reader.end()
  })
  behind.on('conclude', () => {
    isOpen = false
  })
  let isPlainOpen = true
  plain.on('error', () => {
    isPlainOpen = false
  })
  plain.on('conclude', () => {
    isPlainOpen = false
  })
  for (const chunk of chunks) {
    // Each has its own bytes: unmasking changes them.
    if (isPlainOpen) plain.write(Buffer.from(chunk))
    reader.read(Buffer.from(chunk))
    await new Promise(process.nextTick)
  }
  return { alone, both }
}

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort(
    (a, b) => a - b,
  )
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

const payload = fc.oneof(
  fc.uint8Array({ minLength: 0, maxLength: 140 }),
  fc.integer({ min: 4_090, max: 4_100 }).map((size) => new Uint8Array(size).fill(size)),
)

const honest = fc.oneof(
  { weight: 6, arbitrary: payload.map((bytes) => [makeClientFrame(binary, bytes)]) },
  fc.uint8Array({ maxLength: 125 }).map((bytes) => [makeClientFrame(ping, bytes)]),
  fc
    .tuple(payload, payload, fc.boolean())
    .map(([first, last, withPing]) => [
      makeClientFrame(binary, first, false),
      ...(withPing ? [makeClientFrame(ping, Uint8Array.of(1))] : []),
      makeClientFrame(more, last),
    ]),
)

const wrong = fc.oneof(
  payload.map((bytes) => makeClientFrame(text, bytes)),
  payload.map((bytes) => makeClientFrame(more, bytes)),
  payload.map((bytes) => makeClientFrame(binary, bytes, false)),
  fc.constantFrom(
    makeClientFrame(close, Uint8Array.of(3, 0xe8)),
    makeClientFrame(close, new Uint8Array(0)),
    makeClientFrame(close, Uint8Array.of(0, 1)),
    // Not masked; reserved bits; a length that needs no two bytes; one beyond all numbers.
    Buffer.from([0x82, 1, 7]),
    Buffer.from([0xc2, 0x81, 0, 0, 0, 0, 7]),
    Buffer.from([0x82, 0xfe, 0, 3, 1, 2, 3, 4, 9, 9, 9]),
    Buffer.from([0x82, 0xff, ...new Array(8).fill(0xff), 1, 2, 3, 4]),
    Buffer.from([0x83, 0x80, 0, 0, 0, 0]),
  ),
  fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
)

const cuts = fc.array(fc.nat(10_000), { maxLength: 12 })

test('whatever arrives, in whatever pieces, is heard as if ws had read it alone', async () => {
  const stream = fc.tuple(
    fc.array(honest, { maxLength: 8 }),
    fc.option(wrong, { nil: undefined }),
    fc.array(honest, { maxLength: 3 }),
  )
  await fc.assert(
    fc.asyncProperty(stream, cuts, async ([before, broken, after], places) => {
      const frames = [...before.flat(), ...(broken ? [broken] : []), ...after.flat()]
      const { alone, both } = await readBoth(cut(Buffer.concat(frames), places))
      expect(both).toEqual(alone)
    }),
    { numRuns: 1_500 },
  )
})

describe('what is left to ws', () => {
  function passed(...chunks: readonly Buffer[]): { passed: number; delivered: number } {
    const counts = { passed: 0, delivered: 0 }
    const reader = makeReader({
      deliver: () => counts.delivered++,
      pass: (chunk) => {
        counts.passed += chunk.length
      },
      isHearing: true,
    })
    for (const chunk of chunks) reader.read(Buffer.from(chunk))
    return counts
  }

  const small = makeClientFrame(binary, Uint8Array.of(1, 2, 3))

  test('nothing of whole small messages, however many came at once', () => {
    expect(passed(small, Buffer.concat([small, small]))).toEqual({ passed: 0, delivered: 3 })
  })

  test('a message that came in two pieces, and not the one behind it', () => {
    const pieces = [small.subarray(0, 4), small.subarray(4), small]
    expect(passed(...pieces)).toEqual({ passed: small.length, delivered: 1 })
  })

  test('a farewell, and nothing behind it', () => {
    const farewell = makeClientFrame(close, Uint8Array.of(3, 0xe8))
    expect(passed(farewell, small)).toEqual({ passed: farewell.length, delivered: 0 })
  })

  test('an empty message, and one that is too large to be worth it', () => {
    const frames = [0, 4_097].map((size) => makeClientFrame(binary, new Uint8Array(size)))
    const bytes = frames.reduce((sum, { length }) => sum + length, 0)
    expect(passed(...frames)).toEqual({ passed: bytes, delivered: 0 })
  })
})

test('a handler that closes in the middle of a chunk hears no more of it', () => {
  let isOpen = true
  const heard: number[] = []
  let passedBytes = 0
  const reader = makeReader({
    deliver: ([first]) => {
      heard.push(first!)
      isOpen = false
    },
    pass: (chunk) => {
      passedBytes += chunk.length
    },
    get isHearing() {
      return isOpen
    },
  })
  const frames = [1, 2].map((value) => makeClientFrame(binary, Uint8Array.of(value)))
  reader.read(Buffer.concat(frames))
  expect(heard).toEqual([1])
  expect(passedBytes).toBe(frames[1]!.length)
})
