import { expect, test, vi } from 'vitest'
import { pauseMs } from '../../testing/recorder.ts'
import { negotiate } from '../negotiation.ts'
import { nativeAnswer } from '../testing/descriptions.ts'
import { FakePipe } from '../testing/fake-peer.ts'
import { type NativeLibrary, NativePeer } from './native-peer.ts'

type Callback = (...args: never[]) => void

/** Whatever the library is told to call, under the name by which it was told. */
class FakeNative {
  readonly calls = new Map<string, Callback>()
  isClosed = false

  constructor() {
    // Every `on…` of the library keeps a callback; everything else does nothing.
    Object.assign(this, {
      ...Object.fromEntries(
        [
          ...['onLocalDescription', 'onLocalCandidate', 'onStateChange', 'onDataChannel'],
          'onIceStateChange',
          ...['onOpen', 'onClosed', 'onMessage'],
        ].map((name) => [name, (callback: Callback) => this.calls.set(name, callback)]),
      ),
      getSelectedCandidatePair: () => null,
      isOpen: () => true,
      bufferedAmount: () => 0,
      sendMessage: () => true,
      close: () => {
        this.isClosed = true
      },
    })
  }

  /** Calls back as native code does: nobody above it would catch anything. */
  call(name: string, ...args: unknown[]): void {
    ;(this.calls.get(name) as (...all: unknown[]) => void)(...args)
  }
}

/** A negotiation over a library that the test plays. */
function open() {
  const native = new FakeNative()
  const lanes: FakeNative[] = []
  const library = {
    PeerConnection: class {
      constructor() {
        const createDataChannel = () => lanes[lanes.push(new FakeNative()) - 1]
        // biome-ignore lint/correctness/noConstructorReturn: the library is played by one object.
        return Object.assign(native, { createDataChannel })
      }
    },
  } as unknown as NativeLibrary
  const pipe = new FakePipe()
  const onFault = vi.fn()
  const result = negotiate({
    peer: new NativePeer(library, {}),
    pipe,
    side: 'acceptor',
    remote: 'stranger',
    reachMsMax: 3_000,
    onFault,
  })
  result.catch(() => {})
  return { native, lanes, pipe, onFault, result }
}

const error = new Error('ours')
const broken = (): never => {
  throw error
}

test('a callback of the library that fails ends its negotiation, is told once, and throws nothing', async () => {
  const { native, pipe, onFault, result } = open()
  pipe.close = broken
  // What the library made cannot be sent, and ending the negotiation fails as well.
  expect(() => native.call('onLocalDescription', 'v=1', 'answer')).not.toThrow()
  await expect(result).rejects.toMatchObject({ code: 'SS_CONNECT_FAILED' })
  expect(onFault.mock.calls).toEqual([[error]])
})

test('a lane that a stranger opens and that cannot be closed ends the negotiation, as a fault', async () => {
  const { native, onFault, result } = open()
  expect(() => native.call('onDataChannel', { close: broken })).not.toThrow()
  await expect(result).rejects.toMatchObject({ code: 'SS_CONNECT_FAILED' })
  expect(onFault.mock.calls).toEqual([[error]])
  expect(native.isClosed).toBe(true)
})

test('a packet that cannot be handled ends its connection, as a fault, and others go on', async () => {
  const [one, other] = [open(), open()]
  for (const { lanes } of [one, other]) for (const lane of lanes) lane.call('onOpen')
  const ends: string[] = []
  const packets: Uint8Array[] = []
  const handleClosed = ({ reason }: { reason: string }) => ends.push(reason)
  ;(await one.result).open({ handlePacket: broken, handleClosed })
  ;(await other.result).open({
    handlePacket: (bytes) => packets.push(bytes.slice()),
    handleClosed: ({ reason }) => ends.push(`other: ${reason}`),
  })
  await pauseMs(0)
  for (const { lanes } of [one, other]) {
    expect(() => lanes[0]!.call('onMessage', Uint8Array.of(0x80, 1))).not.toThrow()
  }
  expect(one.onFault.mock.calls).toEqual([[error]])
  expect(other.onFault).not.toHaveBeenCalled()
  expect(ends).toEqual(['this side met an error of its own'])
  expect([one.native.isClosed, other.native.isClosed]).toEqual([true, false])
  expect(packets).toEqual([Uint8Array.of(0x80, 1)])
})

test('a way that the library found is told; one that it only tries is not', async () => {
  vi.useFakeTimers()
  try {
    const states = ['checking', 'connected', 'completed']
    const all = states.map(() => open())
    for (const [index, { native }] of all.entries()) {
      native.call('onLocalDescription', nativeAnswer, 'answer')
      native.call('onIceStateChange', states[index])
    }
    vi.advanceTimersByTime(3_000)
    expect(all.map(({ native }) => native.isClosed)).toEqual([true, false, false])
  } finally {
    vi.useRealTimers()
  }
})
