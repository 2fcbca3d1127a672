import { describe, expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import {
  bundleBytesMax,
  datagramBytesMax,
  linkOverheadBytesMax,
  packetsPerTickMax,
  windowTicksMin,
} from '../../wire/limits.ts'
import { refusalsPerControlMax } from '../../wire/ticks/relay-bundles.ts'
import { RecordingChannel } from '../testing/recording-channel.ts'
import { makeSession } from '../testing/session-kit.ts'
import { BundleLog } from './ticks/bundle-log.ts'

/** A session over a recording channel; `seal` appends ticks and sends after each. */
function make(kind: 'stream' | 'datagram') {
  const session = makeSession()
  const channel = new RecordingChannel(kind)
  const log = new BundleLog(30)
  const writer = new BitWriter()
  session.attach(1, channel, 0)
  const seal = (count = 1, bytes = 2) => {
    for (let left = count; left > 0; left--) {
      log.append(new Uint8Array(bytes).fill(log.sealedTick + 1))
      session.sendTicks(log, writer, log.sealedTick * 10)
    }
  }
  const send = () => session.sendTicks(log, writer, log.sealedTick * 10)
  /** The ticks of every message since the last call. */
  const sentTicks = () =>
    channel
      .take(session.ackedTick + 1)
      .map(({ firstTick, bundles }) => bundles.map((_, index) => firstTick + index))
  const controls = () =>
    channel.take(session.ackedTick + 1).flatMap(({ control }) => (control ? [control] : []))
  return { session, channel, log, seal, send, sentTicks, controls }
}

describe('on a stream', () => {
  test('every tick is sent at once, and nothing twice', () => {
    const { seal, sentTicks } = make('stream')
    seal(5)
    expect(sentTicks()).toEqual([[1], [2], [3], [4], [5]])
    seal(2)
    expect(sentTicks()).toEqual([[6], [7]])
  })

  test('a client that confirms nothing is given the window, and then no more', () => {
    const { session, seal, sentTicks } = make('stream')
    seal(windowTicksMin + 40)
    expect(sentTicks().flat()).toHaveLength(windowTicksMin)
    session.acknowledge(10, 0)
    seal()
    expect(sentTicks()).toEqual([Array.from({ length: 10 }, (_, at) => windowTicksMin + 1 + at)])
  })

  test('what was missed comes in messages of limited length', () => {
    const { session, log, seal, sentTicks } = make('stream')
    session.detach()
    seal(30 + 120)
    expect(sentTicks()).toEqual([])
    const channel = new RecordingChannel('stream')
    session.attach(2, channel, 30)
    session.sendTicks(log, new BitWriter(), 0)
    const counts = channel.take(31).map(({ bundles }) => bundles.length)
    expect(counts).toEqual([120])
  })

  test('what came over the link before is not sent again, and need not be kept for it', () => {
    const { session, log, seal } = make('stream')
    seal(6)
    const channel = new RecordingChannel('stream')
    session.attach(2, channel, 4)
    session.acknowledge(6, 255)
    expect(session.sentTick).toBe(6)
    log.dropBefore(7)
    seal(2)
    expect(channel.take(7).map(({ firstTick, bundles }) => [firstTick, bundles.length])).toEqual([
      [7, 1],
      [8, 1],
    ])
  })

  test('the control block is sent when it changed, once', () => {
    const { session, seal, controls } = make('stream')
    seal()
    expect(controls()).toHaveLength(1)
    seal(3)
    expect(controls()).toEqual([])
    session.nextOrder = 4
    session.control.answerOrders()
    seal(3)
    expect(controls()).toMatchObject([{ orderNumber: 4 }])
  })
})

describe('on datagrams', () => {
  test('all that is not confirmed is sent again, so that a loss costs no round trip', () => {
    const { session, seal, sentTicks } = make('datagram')
    seal(4)
    expect(sentTicks()).toEqual([[1], [1, 2], [1, 2, 3], [1, 2, 3, 4]])
    session.acknowledge(3, 255)
    seal()
    expect(sentTicks()).toEqual([[4, 5]])
  })

  test('an old confirmation changes nothing', () => {
    const { session, seal, sentTicks } = make('datagram')
    seal(4)
    session.acknowledge(3, 255)
    session.acknowledge(1, 255)
    sentTicks()
    seal()
    expect(sentTicks()).toEqual([[4, 5]])
  })

  test.each([1, 60, 200, 500, 1_064])(
    'bundles of %i bytes are split into packets that fit',
    (bytes) => {
      const { seal, channel, sentTicks } = make('datagram')
      seal(30, bytes)
      channel.ticks.splice(0)
      seal(1, bytes)
      for (const packet of channel.ticks) {
        expect(packet.byteLength).toBeLessThanOrEqual(datagramBytesMax - linkOverheadBytesMax)
      }
      // The largest need more packets than one tick sends; those go on where it stopped.
      const sent = new Set(sentTicks().flat())
      if (bytes === 1_064) expect(sent.size).toBe(packetsPerTickMax)
      seal(2, bytes)
      for (const tick of sentTicks().flat()) sent.add(tick)
      expect([...sent]).toEqual(
        expect.arrayContaining(Array.from({ length: 31 }, (_, at) => at + 1)),
      )
    },
  )

  test('a client far behind gets what it lacks in turns, each packet readable alone', () => {
    const { session, seal, channel } = make('datagram')
    seal(60, 1_064)
    channel.ticks.splice(0)
    const turns = Array.from({ length: 5 }, () => {
      seal(1, 1_064)
      return channel.take(0)
    })
    for (const packets of turns) {
      expect(packets).toHaveLength(packetsPerTickMax)
      expect(packets.every(({ isExact }) => isExact)).toBe(true)
    }
    const ticks = turns.flat().map(({ firstTick }) => firstTick)
    expect(new Set(ticks).size).toBeGreaterThanOrEqual(61)
    session.acknowledge(64, 255)
    seal(1, 500)
    expect(channel.take(65).map(({ firstTick }) => firstTick)).toEqual([65, 66])
  })

  test('a bundle that no datagram carries goes in parts that make it whole', () => {
    const { seal, channel } = make('datagram')
    seal(1, bundleBytesMax)
    const parts = channel.take(1)
    expect(parts.length).toBe(4)
    const whole = new Uint8Array(bundleBytesMax)
    for (const { part, bundles, firstTick } of parts) {
      expect([firstTick, part?.totalBytes]).toEqual([1, bundleBytesMax])
      whole.set(bundles[0] as Uint8Array, part?.start)
    }
    expect(whole.every((byte) => byte === 1)).toBe(true)
  })

  test('no more than the window is ever repeated', () => {
    const { seal, channel, sentTicks } = make('datagram')
    seal(windowTicksMin + 50)
    channel.ticks.splice(0)
    seal()
    expect(sentTicks().flat()).toHaveLength(windowTicksMin)
  })

  test('on a full path only the newest are repeated, and everything once per round trip', () => {
    const { session, channel, seal, sentTicks } = make('datagram')
    channel.stats.rttMs = 100
    channel.stats.rttVariationMs = 0
    seal(20, 60)
    channel.ticks.splice(0)
    channel.stats.rttMs = 300
    seal(1, 60)
    expect(sentTicks()).toEqual([[19, 20, 21]])
    // A round trip after everything was sent last.
    seal(8, 60)
    expect(sentTicks().every(({ length }) => length === 3)).toBe(true)
    seal(1, 60)
    expect(sentTicks().flat()).toHaveLength(30)
    seal(29, 60)
    expect(sentTicks().every(({ length }) => length === 3)).toBe(true)
    session.acknowledge(57, 255)
    channel.stats.rttMs = 110
    seal(3, 60)
    expect(sentTicks().at(-1)).toEqual([58, 59, 60, 61, 62])
  })

  test('on a full path nothing is sent that has no room in the window', () => {
    const { channel, seal, sentTicks } = make('datagram')
    channel.stats.rttMs = 100
    seal(1, 500)
    channel.stats.lossShare = 0.9
    seal(windowTicksMin, 500)
    channel.ticks.splice(0)
    seal(3, 500)
    expect(sentTicks()).toEqual([])
  })

  test('the control block is repeated until the client names its version', () => {
    const { session, seal, controls } = make('datagram')
    session.nextOrder = 9
    session.control.answerOrders()
    seal(3)
    const sent = controls()
    expect(sent).toHaveLength(3)
    expect(sent[0]).toMatchObject({ orderNumber: 9 })
    session.acknowledge(3, sent[0]?.version as number)
    seal(3)
    expect(controls()).toEqual([])
  })

  test('the control block is in every packet of a tick, because only the newest is believed', () => {
    const { session, seal, channel } = make('datagram')
    seal(20, 300)
    session.control.answerOrders()
    channel.ticks.splice(0)
    seal(1, 300)
    const marks = channel.take(1).map(({ control }) => control !== undefined)
    expect(marks.length).toBeGreaterThan(3)
    expect(marks).toEqual(marks.map(() => true))
  })

  test('a client that repeats what was answered is answered again', () => {
    const { session, seal, controls } = make('datagram')
    session.control.answerOrders()
    seal()
    session.acknowledge(1, controls()[0]?.version as number)
    session.control.repeat()
    seal()
    expect(controls()).toHaveLength(1)
  })
})

describe.each(['stream', 'datagram'] as const)('refusals on a %s', (kind) => {
  test('are told until they are confirmed, and not after', () => {
    const { session, seal, controls } = make(kind)
    session.control.refuse(3, 'queue-full')
    seal()
    const [control] = controls()
    expect(control?.refusals).toEqual([{ number: 3, reason: 'queue-full' }])
    expect(session.control.openRefusals).toBe(1)
    session.acknowledge(1, control?.version as number)
    expect(session.control.openRefusals).toBe(0)
    seal()
    expect(controls()).toMatchObject([{ refusals: [] }])
  })

  test('are confirmed only with the block that told them', () => {
    const { session, seal, controls } = make(kind)
    session.control.refuse(3, 'rate')
    seal()
    const old = controls()[0]?.version as number
    session.control.refuse(4, 'rate')
    session.acknowledge(1, old)
    expect(session.control.openRefusals).toBe(1)
  })

  test('come in several blocks when they are many, and each arrives', () => {
    const { session, seal, controls } = make(kind)
    for (let number = 0; number < 40; number++) session.control.refuse(number, 'queue-full')
    const heard = new Set<number>()
    for (let round = 0; round < 6; round++) {
      seal()
      for (const { refusals, version } of controls()) {
        expect(refusals.length).toBeLessThanOrEqual(refusalsPerControlMax)
        for (const { number } of refusals) heard.add(number)
        session.acknowledge(session.sentTick, version)
      }
    }
    expect(heard.size).toBe(40)
    expect(session.control.openRefusals).toBe(0)
  })

  test('are told again on a new link', () => {
    const { session, log, seal } = make(kind)
    session.control.refuse(3, 'rate')
    seal(2)
    const channel = new RecordingChannel(kind)
    session.detach()
    session.attach(2, channel, 0)
    session.acknowledge(0, 255)
    session.sendTicks(log, new BitWriter(), 200)
    const [message] = channel.take(1)
    expect(message?.control?.refusals).toEqual([{ number: 3, reason: 'rate' }])
  })

  test('are never confirmed by a client that has seen nothing, however often the block changed', () => {
    for (let changes = 0; changes < 300; changes++) {
      const { session } = make(kind)
      for (let left = changes; left > 0; left--) session.control.answerOrders()
      session.control.refuse(3, 'rate')
      session.acknowledge(0, 255)
      expect(session.control.openRefusals).toBe(1)
    }
  })
})

describe('a session', () => {
  test('of a hidden page has a say about the state while something comes from it', () => {
    const { session } = make('stream')
    expect(session.canVote(0)).toBe(true)
    session.guard.liveness.declareHidden(true, 0, 0)
    expect([session.canVote(9_999), session.canVote(10_000)]).toEqual([true, false])
    session.guard.liveness.handlePacket(12_000)
    expect(session.canVote(12_001)).toBe(true)
  })

  test('goes on over a new link from the tick after what the client has, and sends nothing without one', () => {
    const { session, log, seal, sentTicks } = make('stream')
    seal(10)
    session.acknowledge(8, 0)
    session.detach()
    expect([session.isConnected, session.link, session.channel]).toEqual([false, -1, undefined])
    seal(5)
    expect(sentTicks().flat()).toHaveLength(10)
    const channel = new RecordingChannel('datagram')
    session.attach(7, channel, 9)
    expect(session.isConnected).toBe(true)
    session.sendTicks(log, new BitWriter(), 600)
    expect(channel.take(10).map(({ firstTick, bundles }) => [firstTick, bundles.length])).toEqual([
      [10, 6],
    ])
  })

  test('echoes the newest stamp with the time for which it was held', () => {
    const { session, log, controls } = make('datagram')
    session.control.noteStamp(1_234, 1_000)
    log.append(Uint8Array.of(1))
    session.sendTicks(log, new BitWriter(), 1_040)
    expect(controls()).toMatchObject([{ echoStamp: 1_234, echoHeldMs: 40 }])
  })

  test('says that it holds no stamp before there is one, and when it is too old to tell', () => {
    const { session, log, seal, controls } = make('datagram')
    seal()
    expect(controls()).toMatchObject([{ echoHeldMs: 65_535 }])
    session.control.noteStamp(1, 0)
    session.sendTicks(log, new BitWriter(), 100_000)
    expect(controls()).toMatchObject([{ echoHeldMs: 65_535 }])
  })

  test('that starts over counts orders from 0, and nothing that was refused before is told', () => {
    const { session, seal, controls } = make('datagram')
    session.nextOrder = 4
    session.control.refuse(3, 'rate')
    session.startOver()
    seal()
    expect(controls()).toMatchObject([{ orderNumber: 0, refusals: [] }])
    expect([session.nextOrder, session.control.openRefusals]).toEqual([0, 0])
  })

  test('gives a new token once the last one came back, at most every second, and never 0', () => {
    const { session, seal, controls } = make('stream')
    const { liveness } = session.guard
    const words = [0, 77, 88]
    const renew = (nowMs: number) => session.renewToken(() => words.shift() ?? 99, nowMs)
    renew(1_000)
    expect(liveness.token).toBe(1)
    renew(3_000)
    expect(liveness.token).toBe(1)
    expect(liveness.handleProof(1, 0, 0, 3_000)).toBeUndefined()
    renew(3_000)
    expect(liveness.token).toBe(77)
    liveness.handleProof(77, 0, 0, 3_500)
    renew(3_900)
    expect(liveness.token).toBe(77)
    seal()
    expect(controls()).toMatchObject([{ token: 77 }])
  })

  test('counts inputs that came too late', () => {
    const { session, seal, controls } = make('datagram')
    for (let count = 0; count < 3; count++) session.control.countLateInput()
    seal()
    expect(controls()).toMatchObject([{ lateInputs: 3 }])
  })
})
