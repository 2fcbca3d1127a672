import { expect, test, vi } from 'vitest'
import { pauseMs, Recorder } from '../testing/recorder.ts'
import { RtcConnection } from './rtc-connection.ts'
import { FakePeer } from './testing/fake-peer.ts'

function open(): { peer: FakePeer; connection: RtcConnection; recorder: Recorder } {
  const peer = new FakePeer()
  const connection = new RtcConnection(peer, 'relay', {
    handleReady() {},
    handleOver() {},
    handleFault: (error) => expect.unreachable(String(error)),
  })
  peer.openLanes()
  return { peer, connection, recorder: new Recorder(connection) }
}

test('the first byte of a packet tells its lane', () => {
  const { peer, recorder } = open()
  recorder.send(Uint8Array.of(0x00, 1))
  recorder.send(Uint8Array.of(0x1f, 2))
  recorder.send(Uint8Array.of(0x20, 3))
  recorder.send(Uint8Array.of(0xff, 4))
  expect(peer.reliable.sent).toEqual([Uint8Array.of(0x00, 1), Uint8Array.of(0x1f, 2)])
  expect(peer.ticks.sent).toEqual([Uint8Array.of(0x20, 3), Uint8Array.of(0xff, 4)])
})

test('a packet on the wrong lane, of no bytes or of too many is not heard', async () => {
  const { peer, recorder } = open()
  await pauseMs(0)
  peer.ticks.handler!.handleBytes(Uint8Array.of(0x00, 1))
  peer.reliable.handler!.handleBytes(Uint8Array.of(0x20, 1))
  peer.ticks.handler!.handleBytes(Uint8Array.of())
  peer.ticks.handler!.handleBytes(new Uint8Array(1_201).fill(0x80))
  peer.ticks.handler!.handleText('close 4009 not here')
  peer.reliable.handler!.handleText('close 1006 not a code')
  peer.reliable.handler!.handleText('closing time')
  expect(recorder.packets).toEqual([])
  expect(recorder.ends).toEqual([])
  peer.ticks.handler!.handleBytes(Uint8Array.of(0x20, 1))
  peer.reliable.handler!.handleBytes(Uint8Array.of(0x00, 1))
  expect(recorder.packets).toHaveLength(2)
})

test('[T-104] ticks are dropped while the lane is behind; they are stale by then', () => {
  const { peer, recorder } = open()
  peer.ticks.bufferedBytes = 16_385
  recorder.send(Uint8Array.of(0x80))
  expect(peer.ticks.sent).toEqual([])
  peer.ticks.bufferedBytes = 16_384
  recorder.send(Uint8Array.of(0x80))
  expect(peer.ticks.sent).toHaveLength(1)
})

test('[T-104] a reliable lane that is 256 KiB behind ends the connection as too slow', async () => {
  const { peer, recorder } = open()
  peer.reliable.bufferedBytes = 262_144
  recorder.send(Uint8Array.of(0, 1))
  expect(peer.reliable.sent).toHaveLength(1)
  peer.reliable.bufferedBytes += 1
  recorder.send(Uint8Array.of(0, 2))
  expect(peer.reliable.sent.at(-1)).toBe('close 4006 too slow')
  peer.reliable.handler!.handleClosed()
  expect(await recorder.ended()).toEqual({ code: 4006, reason: 'too slow' })
})

test('a reliable lane that refuses a packet ends the connection: none may be left out', async () => {
  const { peer, recorder } = open()
  peer.reliable.isOpen = false
  recorder.send(Uint8Array.of(0, 1))
  expect((await recorder.ended()).code).toBe(4006)
  expect(recorder.violations).toBe(0)
})

test('closing waits until the other side has heard, but not for ever', async () => {
  vi.useFakeTimers()
  try {
    const { peer, recorder } = open()
    recorder.close(4009, 'match over')
    expect(peer.reliable.sent).toEqual(['close 4009 match over'])
    vi.advanceTimersByTime(1_999)
    expect([peer.isClosed, recorder.ends.length]).toEqual([false, 0])
    vi.advanceTimersByTime(1)
    expect(peer.isClosed).toBe(true)
    await vi.advanceTimersByTimeAsync(1)
    expect(recorder.ends).toEqual([{ code: 4009, reason: 'match over' }])
  } finally {
    vi.useRealTimers()
  }
})

test('whoever hears the farewell closes the peer at once', async () => {
  const { peer, recorder } = open()
  peer.reliable.handler!.handleText('close 4016 left with\na line')
  expect(peer.isClosed).toBe(true)
  expect(await recorder.ended()).toEqual({ code: 4016, reason: 'left with\na line' })
})

test('a reason that is too long is cut, and a huge one not looked at', async () => {
  const first = open()
  first.peer.reliable.handler!.handleText(`close 4016 ${'é'.repeat(100)}`)
  expect((await first.recorder.ended()).reason).toBe('é'.repeat(61))
  const second = open()
  second.peer.reliable.handler!.handleText(`close 4016 ${'x'.repeat(9_000)}`)
  expect(await second.recorder.ended()).toEqual({ code: 4016, reason: '' })
})

test('where the other side is comes from the peer, or else from the caller', () => {
  const { peer, connection } = open()
  expect(connection.remote).toBe('relay')
  peer.remoteAddress = '127.0.0.1:5'
  expect(connection.remote).toBe('127.0.0.1:5')
  peer.ticks.bufferedBytes = 10
  peer.reliable.bufferedBytes = 20
  expect(connection.backlogBytes).toBe(30)
})
