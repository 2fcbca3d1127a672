import { afterEach, describe, expect, test, vi } from 'vitest'
import { Prng } from '../../base/prng.ts'
import type { Connection } from '../connection.ts'
import { describeConnectionContract } from '../testing/connection-contract.ts'
import { pauseMs, Recorder, until } from '../testing/recorder.ts'
import type { BroadcastDialOptions, BroadcastListener, BroadcastOptions } from './broadcast.ts'
import { dialOnBus, listenOnBus } from './broadcast.ts'
import { openBroadcastBus, openWebxdcBus } from './bus.ts'
import { encodeEnd, frameKinds, joinFrame, makeHead, senderOf } from './frame.ts'
import { PeerKeys } from './peer-keys.ts'
import { FakeBuses } from './testing/fake-buses.ts'

let busCount = 0

describe.each([
  ['in the clear', false],
  ['sealed', true],
])('%s', (_how, seal) => {
  describeConnectionContract('broadcast', async () => {
    const name = `contract ${process.pid} ${++busCount}`
    const buses = [openBroadcastBus(name), openBroadcastBus(name)] as const
    const accepted: Connection[] = []
    const listener = await listenOnBus(buses[0], (connection) => accepted.push(connection), {
      seal,
    })
    const dial = dialOnBus(buses[1], { seal, to: listener.id })
    const all: Connection[] = []
    return {
      kind: 'datagram',
      transport: 'broadcast',
      carriesEnd: true,
      async openPair() {
        const count = accepted.length
        const dialed = await dial()
        await until(() => accepted.length > count, 'the accepted end')
        all.push(dialed, accepted.at(-1)!)
        return { dialed, accepted: accepted.at(-1)! }
      },
      async dispose() {
        for (const connection of all) connection.close(1000, '')
        await listener.close()
        for (const bus of buses) bus.close()
      },
    }
  })
})

/** A listener on a bus of its own, with what it accepted. */
class Host {
  readonly accepted: Connection[] = []
  listener: BroadcastListener | undefined

  static async open(buses: FakeBuses, options: BroadcastOptions = {}): Promise<Host> {
    const host = new Host()
    const accept = (connection: Connection): void => {
      host.accepted.push(connection)
      opened.push(connection)
    }
    host.listener = await listenOnBus(buses.open(), accept, options)
    return host
  }
}

const opened: Connection[] = []

async function dial(buses: FakeBuses, options: BroadcastDialOptions = {}): Promise<Connection> {
  const connection = await dialOnBus(buses.open(), options)()
  opened.push(connection)
  return connection
}

afterEach(() => {
  vi.useRealTimers()
  for (const connection of opened.splice(0)) connection.close(1000, '')
})

describe('finding each other', () => {
  test('a bus that loses half of the frames only takes longer', async () => {
    const buses = new FakeBuses()
    const prng = new Prng(5, 'bus')
    buses.passes = () => prng.chance(0.5)
    const host = await Host.open(buses)
    const connection = await dial(buses)
    await until(() => host.accepted.length === 1, 'the accepted end')
    buses.passes = () => true
    new Recorder(connection).send(Uint8Array.of(1))
    await new Recorder(host.accepted[0]!).heard(Uint8Array.of(1))
  })

  test('one of several listeners is taken, and a dial can mean one of them', async () => {
    const buses = new FakeBuses()
    const hosts = [await Host.open(buses), await Host.open(buses), await Host.open(buses)]
    await dial(buses)
    await pauseMs(20)
    expect(hosts.map(({ accepted }) => accepted.length).reduce((a, b) => a + b)).toBe(1)
    const [, , third] = hosts
    const before = third!.accepted.length
    await dial(buses, { to: third!.listener!.id })
    expect(third!.accepted).toHaveLength(before + 1)
  })

  test('nobody there, an abort, and an abort beforehand reject and leave nothing behind', async () => {
    const buses = new FakeBuses()
    await expect(dial(buses, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'SS_CONNECT_TIMEOUT',
    })
    const controller = new AbortController()
    const result = dialOnBus(buses.open())(controller.signal)
    await pauseMs(0)
    controller.abort('no more time')
    await expect(result).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    const aborted = dialOnBus(buses.open())(AbortSignal.abort())
    await expect(aborted).rejects.toMatchObject({ code: 'SS_CONNECT_ABORTED' })
    expect(buses.handlerCount).toBe(0)
  })

  test('a closed listener takes nobody; its connections stay, and then it leaves the bus', async () => {
    const buses = new FakeBuses()
    const host = await Host.open(buses)
    const [a, b] = [new Recorder(await dial(buses)), new Recorder(host.accepted[0]!)]
    await host.listener!.close()
    await expect(dial(buses, { timeoutMs: 20 })).rejects.toMatchObject({
      code: 'SS_CONNECT_TIMEOUT',
    })
    a.send(Uint8Array.of(5))
    await b.heard(Uint8Array.of(5))
    a.close(4016, 'left')
    await b.ended()
    await pauseMs(0)
    expect(buses.handlerCount).toBe(0)
  })

  test('those who only say hello are forgotten, and bounded in number', async () => {
    vi.useFakeTimers()
    const buses = new FakeBuses()
    const host = await Host.open(buses)
    const stranger = buses.open()
    const answers: Uint8Array[] = []
    stranger.listen((frame) => answers.push(frame))
    const hello = (count: number): void => {
      for (let index = 0; index < count; index++) {
        const { id } = PeerKeys.makeClear()
        stranger.post(makeHead('hello', new Uint8Array(16), id, false))
      }
    }
    const acceptsOf = (): number => answers.filter(([, kind]) => kind === frameKinds.accept).length
    hello(200)
    await vi.advanceTimersByTimeAsync(0)
    expect([acceptsOf(), host.accepted.length]).toEqual([64, 0])
    await vi.advanceTimersByTimeAsync(10_000)
    hello(1)
    await vi.advanceTimersByTimeAsync(0)
    expect(acceptsOf()).toBe(65)
    await vi.advanceTimersByTimeAsync(20_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('silence', () => {
  test('an end that vanished is noticed after ten questions', async () => {
    const buses = new FakeBuses()
    const host = await Host.open(buses)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    const [a, b] = [new Recorder(await dial(buses)), new Recorder(host.accepted[0]!)]
    await vi.advanceTimersByTimeAsync(60_000)
    expect([a.ends, b.ends]).toEqual([[], []])
    buses.passes = () => false
    await vi.advanceTimersByTimeAsync(10_000)
    expect([a.ends, b.ends]).toEqual([[], []])
    await vi.advanceTimersByTimeAsync(3_000)
    const end = { code: 1006, reason: 'no answer' }
    expect([a.ends, b.ends]).toEqual([[end], [end]])
  })

  test('a hidden tab, whose own timers sleep, answers and is not missed', async () => {
    const buses = new FakeBuses()
    const host = await Host.open(buses)
    const a = new Recorder(await dial(buses))
    // Only the listener's timers run from here on: the dialer never asks by itself.
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
    const b = new Recorder(host.accepted[0]!)
    const second = new Recorder(await dial(buses))
    await vi.advanceTimersByTimeAsync(300_000)
    expect([a.ends, b.ends, second.ends]).toEqual([[], [], []])
  })
})

describe('[T-95] strangers on the same bus', () => {
  /** Everything that somebody without keys can try with what it heard. */
  async function attack(buses: FakeBuses, own: Uint8Array, other: Uint8Array): Promise<void> {
    const stranger = buses.open()
    const bye = encodeEnd({ code: 4007, reason: 'kicked' })
    stranger.post(joinFrame(makeHead('bye', own, other, true), bye))
    stranger.post(joinFrame(makeHead('bye', own, other, true), new Uint8Array(60)))
    stranger.post(joinFrame(makeHead('packet', own, other, true), Uint8Array.of(6, 6, 6)))
    stranger.post(joinFrame(makeHead('bye', own, other, false), bye))
    for (const frame of [...buses.posted]) {
      // Played again, and with every byte of the head and some of the rest changed.
      stranger.post(frame)
      for (let at = 0; at < Math.min(frame.length, 60); at += 5) {
        const changed = frame.slice()
        changed[at]! ^= 1
        stranger.post(changed)
      }
    }
    await pauseMs(100)
  }

  test('sealed: forged, changed and repeated frames are not heard', async () => {
    const buses = new FakeBuses()
    const host = await Host.open(buses, { seal: true })
    const dialed = await dial(buses, { seal: true })
    const [a, b] = [new Recorder(dialed), new Recorder(host.accepted[0]!)]
    a.send(Uint8Array.of(1, 2, 3))
    await b.heard(Uint8Array.of(1, 2, 3))
    b.send(Uint8Array.of(4, 5, 6))
    await a.heard(Uint8Array.of(4, 5, 6))
    const listenerId = host.listener!.id
    const dialerId = senderOf(buses.posted[0]!)
    await attack(buses, dialerId, listenerId)
    await attack(buses, listenerId, dialerId)
    expect([a.packets.length, b.packets.length]).toEqual([1, 1])
    expect([a.ends, b.ends]).toEqual([[], []])
    expect(host.accepted).toHaveLength(1)
    // And nothing of what was said can be read on the bus.
    const heard = Buffer.concat(buses.posted)
    expect(heard.includes(Buffer.of(1, 2, 3))).toBe(false)
  })

  test('in the clear, anybody can end it: that is what sealing is for', async () => {
    const buses = new FakeBuses()
    const host = await Host.open(buses)
    const a = new Recorder(await dial(buses))
    const bye = encodeEnd({ code: 4007, reason: 'kicked' })
    const head = makeHead('bye', senderOf(buses.posted[0]!), host.listener!.id, false)
    buses.open().post(joinFrame(head, bye))
    expect(await a.ended()).toEqual({ code: 4007, reason: 'kicked' })
  })

  test('an accept under another’s id is not believed; the genuine listener still gets its turn', async () => {
    const buses = new FakeBuses()
    const liar = buses.open()
    const keys = await PeerKeys.makeSealed()
    const host = await Host.open(buses, { seal: true })
    const { id } = host.listener!
    liar.listen((frame) => {
      if (frame[1] !== frameKinds.hello) return
      for (let count = 0; count < 20; count++) {
        liar.post(joinFrame(makeHead('accept', senderOf(frame), id, true), keys.publicKey))
      }
    })
    const connection = await dial(buses, { seal: true, to: id })
    new Recorder(connection).send(Uint8Array.of(9))
    await new Recorder(host.accepted[0]!).heard(Uint8Array.of(9))
  })

  test('whoever accepts and then says nothing is left for somebody else', async () => {
    const buses = new FakeBuses()
    const mute = buses.open()
    const { id } = PeerKeys.makeClear()
    let accepts = 0
    mute.listen((frame) => {
      if (frame[1] !== frameKinds.hello) return
      accepts += 1
      mute.post(makeHead('accept', senderOf(frame), id, false))
    })
    const result = dial(buses)
    await until(() => accepts > 0, 'the mute listener')
    const host = await Host.open(buses)
    await result
    expect(host.accepted).toHaveLength(1)
  })

  test('those who do not know the secret get no connection, those who do get one', async () => {
    const buses = new FakeBuses()
    const secret = Buffer.from('we meet at noon')
    const host = await Host.open(buses, { seal: true, secret })
    const stranger = dial(buses, { seal: true, timeoutMs: 300 })
    await expect(stranger).rejects.toMatchObject({ code: 'SS_CONNECT_TIMEOUT' })
    const clear = dial(buses, { timeoutMs: 100 })
    await expect(clear).rejects.toMatchObject({ code: 'SS_CONNECT_TIMEOUT' })
    expect(host.accepted).toHaveLength(0)
    await dial(buses, { seal: true, secret })
    expect(host.accepted).toHaveLength(1)
  })

  test('nonsense of every length and kind is ignored', async () => {
    const buses = new FakeBuses()
    for (const seal of [false, true]) {
      const host = await Host.open(buses, { seal })
      const a = new Recorder(await dial(buses, { seal, to: host.listener!.id }))
      const b = new Recorder(host.accepted[0]!)
      const stranger = buses.open()
      const { id } = host.listener!
      for (let size = 0; size < 120; size++) {
        stranger.post(new Uint8Array(size).fill(size))
        for (const kind of Object.keys(frameKinds) as (keyof typeof frameKinds)[]) {
          if (kind === 'hello') continue
          stranger.post(
            joinFrame(makeHead(kind, id, new Uint8Array(16), seal), new Uint8Array(size)),
          )
        }
      }
      for (let count = 0; count < 50; count++) {
        const head = makeHead('hello', id, PeerKeys.makeClear().id, seal)
        if (seal) stranger.post(joinFrame(head, new Uint8Array(65).fill(4)))
      }
      await pauseMs(30)
      a.send(Uint8Array.of(1))
      await b.heard(Uint8Array.of(1))
      expect([a.ends, b.ends, b.packets.length]).toEqual([[], [], 1])
    }
  })
})

test('the realtime channel of WebXDC is a bus like any other', async () => {
  const listeners: ((data: Uint8Array) => void)[] = []
  let leaves = 0
  const join = () => {
    let own: ((data: Uint8Array) => void) | undefined
    return {
      setListener(listener: (data: Uint8Array) => void) {
        own = listener
        listeners.push(listener)
      },
      send(data: Uint8Array) {
        for (const listener of listeners) {
          if (listener !== own) queueMicrotask(() => listener(data.slice()))
        }
      },
      leave() {
        leaves += 1
      },
    }
  }
  const [hostBus, guestBus] = [openWebxdcBus(join()), openWebxdcBus(join())]
  const accepted: Connection[] = []
  const listener = await listenOnBus(hostBus, (connection) => accepted.push(connection), {
    seal: true,
  })
  expect(listener.url).toMatch(/^broadcast:webxdc#[0-9a-f]{32}$/)
  const a = new Recorder(await dialOnBus(guestBus, { seal: true })())
  const b = new Recorder(accepted[0]!)
  a.send(Uint8Array.of(1, 2))
  await b.heard(Uint8Array.of(1, 2))
  a.close(4016, 'left')
  expect(await b.ended()).toEqual({ code: 4016, reason: 'left' })
  await listener.close()
  hostBus.close()
  guestBus.close()
  expect(leaves).toBe(2)
})
