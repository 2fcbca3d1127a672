import { expect, test } from 'vitest'
import { ConnectError } from './connect-error.ts'
import type { Connection } from './connection.ts'
import { listenInMemory, makeMemoryPair } from './memory.ts'
import {
  type ConnectionHarness,
  describeConnectionContract,
} from './testing/connection-contract.ts'
import { Recorder } from './testing/recorder.ts'

function makeHarness(kind: 'stream' | 'datagram'): ConnectionHarness {
  const accepted: Connection[] = []
  const listener = listenInMemory((connection) => accepted.push(connection), { kind })
  return {
    kind,
    transport: 'memory',
    carriesEnd: true,
    async openPair() {
      const dialed = await listener.dial()
      return { dialed, accepted: accepted.pop()! }
    },
    dispose: () => listener.close(),
  }
}

describeConnectionContract('memory stream', () => makeHarness('stream'))
describeConnectionContract('memory datagram', () => makeHarness('datagram'))

test('a closed listener refuses to be dialled; its connections stay', async () => {
  const accepted: Connection[] = []
  const listener = listenInMemory((connection) => accepted.push(connection))
  const a = new Recorder(await listener.dial())
  const b = new Recorder(accepted[0]!)
  await listener.close()
  a.send(Uint8Array.of(1))
  await b.heard(Uint8Array.of(1))
  await expect(listener.dial()).rejects.toMatchObject({ code: 'SS_CONNECT_REFUSED' })
})

test('a signal that is aborted already rejects the dial, and nobody is accepted', async () => {
  const accepted: Connection[] = []
  const listener = listenInMemory((connection) => accepted.push(connection))
  const dial = listener.dial(AbortSignal.abort('no more time'))
  await expect(dial).rejects.toBeInstanceOf(ConnectError)
  await expect(dial).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED', cause: 'no more time' })
  expect(accepted).toEqual([])
})

test('a packet is heard in a microtask: no timer of a hidden tab holds it back', async () => {
  const [left, right] = makeMemoryPair()
  const a = new Recorder(left)
  const b = new Recorder(right)
  await Promise.resolve()
  a.send(Uint8Array.of(1))
  expect(b.packets).toEqual([])
  await Promise.resolve()
  expect(b.packets).toEqual([Uint8Array.of(1)])
})

test('a stream that nobody opens breaks before it fills the memory; a datagram drops', async () => {
  for (const kind of ['stream', 'datagram'] as const) {
    const [left, right] = makeMemoryPair({ kind })
    const a = new Recorder(left)
    for (let count = 0; count < 2_000; count++) a.send(new Uint8Array(1_000))
    await Promise.resolve()
    await Promise.resolve()
    const b = new Recorder(right)
    await Promise.resolve()
    await Promise.resolve()
    expect(a.ends.map(({ code }) => code)).toEqual(kind === 'stream' ? [1006] : [])
    expect(b.ends).toEqual(a.ends)
    expect(b.packets.length).toBe(kind === 'stream' ? 0 : 985)
  }
})
