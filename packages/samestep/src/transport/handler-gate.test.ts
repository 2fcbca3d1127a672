import { expect, test } from 'vitest'
import type { ConnectionHandler } from './connection.ts'
import { HandlerGate, waitingBytesMax } from './handler-gate.ts'

/** Writes down what it hears, in one list. */
function makeHandler(log: string[], onPacket: () => void = () => {}): ConnectionHandler {
  return {
    handlePacket(bytes) {
      log.push(`packet ${bytes[0]}`)
      onPacket()
    },
    handleClosed: ({ code, reason }) => log.push(`closed ${code} ${reason}`),
  }
}
const end = { code: 4001, reason: 'why' }

test('what came before open is heard in a microtask, in sequence, with the end behind it', async () => {
  const log: string[] = []
  const gate = new HandlerGate()
  const reused = Uint8Array.of(1)
  gate.handlePacket(reused)
  reused[0] = 2
  gate.handlePacket(reused)
  reused[0] = 99
  gate.end(end)
  gate.open(makeHandler(log))
  expect(log).toEqual([])
  await Promise.resolve()
  expect(log).toEqual(['packet 1', 'packet 2', 'closed 4001 why'])
})

test('packets that arrive between open and its microtask stand behind those that waited', async () => {
  const log: string[] = []
  const gate = new HandlerGate()
  gate.handlePacket(Uint8Array.of(1))
  gate.open(makeHandler(log))
  gate.handlePacket(Uint8Array.of(2))
  expect(log).toEqual([])
  await Promise.resolve()
  gate.handlePacket(Uint8Array.of(3))
  expect(log).toEqual(['packet 1', 'packet 2', 'packet 3'])
})

test('the end is told once, and nothing behind it', async () => {
  const log: string[] = []
  const gate = new HandlerGate()
  gate.open(makeHandler(log))
  await Promise.resolve()
  gate.end(end)
  gate.end({ code: 1006, reason: '' })
  gate.handlePacket(Uint8Array.of(1))
  expect(log).toEqual(['closed 4001 why'])
})

test('muting within a packet silences the rest of those that waited, but not the end', async () => {
  const log: string[] = []
  const gate = new HandlerGate()
  for (const value of [1, 2, 3]) gate.handlePacket(Uint8Array.of(value))
  gate.open(makeHandler(log, () => gate.mute()))
  await Promise.resolve()
  gate.handlePacket(Uint8Array.of(4))
  gate.end(end)
  expect(log).toEqual(['packet 1', 'closed 4001 why'])
})

test('only so much waits, tiny packets too', () => {
  const large = new HandlerGate()
  let kept = 0
  while (large.handlePacket(new Uint8Array(65_536))) kept++
  expect(kept).toBe(15)
  const tiny = new HandlerGate()
  kept = 0
  while (tiny.handlePacket(Uint8Array.of(1))) kept++
  expect(kept).toBe(Math.floor(waitingBytesMax / 65))
})

test('a later handler hears instead of the one before, also what still waits', async () => {
  const gate = new HandlerGate()
  const [before, after, last]: string[][] = [[], [], []]
  gate.handlePacket(Uint8Array.of(1))
  gate.open(makeHandler(before!))
  gate.open(makeHandler(after!))
  await Promise.resolve()
  gate.handlePacket(Uint8Array.of(2))
  gate.open(makeHandler(last!))
  gate.handlePacket(Uint8Array.of(3))
  gate.end(end)
  expect([before, after]).toEqual([[], ['packet 1', 'packet 2']])
  expect(last).toEqual(['packet 3', 'closed 4001 why'])
})
