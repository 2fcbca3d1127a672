import { expect, test, vi } from 'vitest'
import { pauseMs, Recorder } from '../testing/recorder.ts'
import { checkDescription } from './description.ts'
import type { FingerprintProof, NegotiationOptions } from './negotiation.ts'
import { negotiate } from './negotiation.ts'
import type { RtcConnection } from './rtc-connection.ts'
import type { SignallingMessage } from './signalling.ts'
import { decodeSignalling, encodeSignalling } from './signalling.ts'
import { chromiumOffer, nativeAnswer } from './testing/descriptions.ts'
import { FakePeer, FakePipe } from './testing/fake-peer.ts'

const none = new Uint8Array(0)
/** As they are sent and as the peer is given them. */
const offerSdp = checkDescription(chromiumOffer).sdp
const answerSdp = checkDescription(nativeAnswer).sdp
const candidate = 'candidate:1 1 udp 1 10.0.0.1 1 typ host'

/** One side with everything around it under the test's control. */
class Side {
  readonly peer = new FakePeer()
  readonly pipe = new FakePipe()
  readonly result: Promise<RtcConnection>

  constructor(side: 'initiator' | 'acceptor', options: Partial<NegotiationOptions> = {}) {
    this.result = negotiate({
      peer: this.peer,
      pipe: this.pipe,
      side,
      remote: 'wss://relay.example',
      ...options,
    })
    // Every test looks at the result later; meanwhile it is nobody's mistake.
    this.result.catch(() => {})
  }

  get sent(): SignallingMessage[] {
    return this.pipe.sent.map(decodeSignalling)
  }

  hear(message: SignallingMessage): void {
    this.pipe.handler!.handleMessage(encodeSignalling(message))
  }

  async fails(code: string): Promise<void> {
    await expect(this.result).rejects.toMatchObject({ name: 'ConnectError', code })
    expect(this.peer.isClosed).toBe(true)
    expect(this.pipe.isClosed).toBe(true)
  }
}

test('an initiator offers, then tells its candidates, takes the answer, and says when it is done', async () => {
  const side = new Side('initiator')
  await pauseMs(0)
  expect(side.sent).toEqual([
    { type: 'offer', sdp: offerSdp, proof: none },
    { type: 'candidate', candidate, mid: '0' },
  ])
  side.hear({ type: 'answer', sdp: nativeAnswer, proof: none })
  side.hear({ type: 'candidate', candidate, mid: '0' })
  expect(side.peer.calls).toEqual(['offer', `accept ${answerSdp.length}`, `${candidate} of 0`])
  side.peer.openLanes()
  expect((await side.result).transport).toBe('webrtc')
  expect(side.sent.at(-1)).toEqual({ type: 'done' })
  expect(side.pipe.isClosed).toBe(true)
})

test('an acceptor answers an offer; candidates that came early wait for it', async () => {
  const side = new Side('acceptor')
  side.hear({ type: 'candidate', candidate, mid: '0' })
  expect(side.peer.calls).toEqual([])
  side.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  expect(side.peer.calls).toEqual([`answer ${offerSdp.length}`, `${candidate} of 0`])
  await pauseMs(0)
  expect(side.sent).toEqual([{ type: 'answer', sdp: answerSdp, proof: none }])
  side.hear({ type: 'done' })
  // The other side may hang up as soon as it is done.
  side.pipe.handler!.handleClosed('signalling ended with 1000')
  side.peer.openLanes()
  await side.result
})

test.each<[string, SignallingMessage[]]>([
  ['an answer to nobody', [{ type: 'answer', sdp: nativeAnswer, proof: none }]],
  [
    'a second offer',
    [
      { type: 'offer', sdp: chromiumOffer, proof: none },
      { type: 'offer', sdp: chromiumOffer, proof: none },
    ],
  ],
  ['a description of something else', [{ type: 'offer', sdp: 'v=0', proof: none }]],
  ['a candidate with a name', [{ type: 'candidate', candidate: 'candidate:1', mid: '0' }]],
  [
    'a flood of candidates',
    Array.from(
      { length: 65 },
      (): SignallingMessage => ({ type: 'candidate', candidate, mid: '0' }),
    ),
  ],
])('a stranger who sends %s gets no connection', async (_what, messages) => {
  const side = new Side('acceptor')
  for (const message of messages) side.hear(message)
  await side.fails('SS_CONNECT_REJECTED')
})

test('64 candidates are fine', () => {
  const side = new Side('acceptor')
  for (let count = 0; count < 64; count++) side.hear({ type: 'candidate', candidate, mid: '0' })
  expect(side.peer.isClosed).toBe(false)
  side.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  expect(side.peer.calls).toHaveLength(65)
})

test('nonsense on the pipe ends it, and what follows is not looked at', async () => {
  const side = new Side('acceptor')
  side.pipe.handler!.handleMessage(Uint8Array.of(99))
  side.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  await side.fails('SS_CONNECT_REJECTED')
  expect(side.peer.calls).toEqual([])
})

test('a pipe that ends too soon, a peer that finds no way and an abort each say so', async () => {
  const hungUp = new Side('initiator')
  hungUp.pipe.handler!.handleClosed('403')
  await hungUp.fails('SS_CONNECT_REJECTED')
  const lost = new Side('initiator')
  lost.peer.handler!.handleBroken('connection failed')
  await lost.fails('SS_CONNECT_FAILED')
  const controller = new AbortController()
  const aborted = new Side('initiator', { signal: controller.signal })
  controller.abort('no more time')
  await aborted.fails('SS_CONNECT_ABORTED')
  await new Side('initiator', { signal: AbortSignal.abort() }).fails('SS_CONNECT_ABORTED')
})

test('whoever takes too long gets no connection', async () => {
  vi.useFakeTimers()
  try {
    const side = new Side('acceptor')
    vi.advanceTimersByTime(9_999)
    expect(side.peer.isClosed).toBe(false)
    vi.advanceTimersByTime(1)
    await side.fails('SS_CONNECT_TIMEOUT')
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('a peer that finds no way in time gives up, so that it stops sending to wherever it was told', async () => {
  vi.useFakeTimers()
  try {
    const [lost, found] = [1, 2].map(() => new Side('acceptor', { reachMsMax: 3_000 }))
    for (const side of [lost!, found!]) {
      // The time before the offer does not count.
      side.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
      await vi.advanceTimersByTimeAsync(0)
      expect(side.sent).toHaveLength(1)
    }
    found!.peer.handler!.handleReached()
    vi.advanceTimersByTime(2_999)
    expect(lost!.peer.isClosed).toBe(false)
    vi.advanceTimersByTime(1)
    await lost!.fails('SS_CONNECT_TIMEOUT')
    expect(found!.peer.isClosed).toBe(false)
    found!.peer.openLanes()
    await found!.result
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

const fingerprintSigned: FingerprintProof = {
  sign: async (fingerprint, side) => Buffer.from(`${side} signs ${fingerprint}`),
  verify: async (fingerprint, side, proof) =>
    Buffer.from(proof).toString() === `${side} signs ${fingerprint}`,
}

test('[T-102] with a proof, both descriptions are signed and checked', async () => {
  const side = new Side('initiator', { proof: fingerprintSigned })
  await pauseMs(0)
  const [offer] = side.sent
  expect(offer).toMatchObject({ type: 'offer' })
  const acceptor = new Side('acceptor', { proof: fingerprintSigned })
  acceptor.hear(offer!)
  await pauseMs(0)
  const [answer] = acceptor.sent
  side.hear(answer!)
  await pauseMs(0)
  expect(side.peer.calls).toContain(`accept ${answerSdp.length}`)
  acceptor.peer.openLanes()
  side.peer.openLanes()
  await Promise.all([side.result, acceptor.result])
})

test.each([
  ['an exchanged fingerprint', chromiumOffer.replace(':00:01:', ':FF:01:')],
  ['no proof at all', undefined],
])('[T-102] %s is found out before the peer is touched', async (_what, forged) => {
  const honest = new Side('initiator', { proof: fingerprintSigned })
  await pauseMs(0)
  const [offer] = honest.sent
  if (offer?.type !== 'offer') throw new Error('No offer')
  const side = new Side('acceptor', { proof: fingerprintSigned })
  side.hear({
    ...offer,
    ...(forged === undefined ? { proof: none } : { sdp: forged.replace('00:01', 'FF:01') }),
  })
  await side.fails('SS_CONNECT_INSECURE')
  expect(side.peer.calls).toEqual([])
})

test('a proof that cannot be made or checked is no connection', async () => {
  const broken: FingerprintProof = {
    sign: () => Promise.reject(new Error('no key')),
    verify: () => {
      throw new Error('no key')
    },
  }
  await new Side('initiator', { proof: broken }).fails('SS_CONNECT_INSECURE')
  const side = new Side('acceptor', { proof: broken })
  side.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  await side.fails('SS_CONNECT_INSECURE')
})

test('a connection that was given away tells its maker when it is over, once', async () => {
  const onOver = vi.fn()
  const side = new Side('acceptor', { onOver })
  side.peer.openLanes()
  const recorder = new Recorder(await side.result)
  expect(onOver).not.toHaveBeenCalled()
  side.peer.handler!.handleBroken('connection closed')
  side.peer.reliable.handler!.handleClosed()
  await pauseMs(0)
  expect(onOver).toHaveBeenCalledTimes(1)
  expect(recorder.ends).toEqual([{ code: 1006, reason: 'connection closed' }])
  const failed = new Side('acceptor', { onOver })
  failed.peer.handler!.handleBroken('never came')
  await failed.fails('SS_CONNECT_FAILED')
  expect(onOver).toHaveBeenCalledTimes(1)
})

test('an error of ours ends the negotiation and is told, and never reaches the pipe or the library', async () => {
  const faults: unknown[] = []
  const onFault = (error: unknown) => faults.push(error)
  const error = new Error('ours')
  const broken = (): never => {
    throw error
  }
  const answering = new Side('acceptor', { onFault })
  answering.peer.answer = broken
  expect(() => answering.hear({ type: 'offer', sdp: chromiumOffer, proof: none })).not.toThrow()
  await answering.fails('SS_CONNECT_FAILED')
  const sending = new Side('acceptor', { onFault })
  sending.pipe.send = broken
  sending.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  await sending.fails('SS_CONNECT_FAILED')
  const signing = new Side('acceptor', {
    onFault,
    proof: { ...fingerprintSigned, verify: async () => true },
  })
  signing.pipe.send = broken
  signing.hear({ type: 'offer', sdp: chromiumOffer, proof: none })
  await signing.fails('SS_CONNECT_FAILED')
  expect(faults).toEqual([error, error, error])
})

test.each([
  ['a description', (peer: FakePeer) => peer.handler!.handleDescription('answer', 'v=1')],
  [
    'a description that is too long',
    (peer: FakePeer) => peer.handler!.handleDescription('answer', nativeAnswer.padEnd(9_000, 'x')),
  ],
  ['a candidate', (peer: FakePeer) => peer.handler!.handleCandidate('candidate:1', '0')],
  [
    'the name of a section',
    (peer: FakePeer) => peer.handler!.handleCandidate(candidate, 'm'.repeat(33)),
  ],
])(
  '%s of the own library that cannot be sent is the end of the negotiation, not a fault',
  async (_what, act) => {
    const onFault = vi.fn()
    const side = new Side('acceptor', { onFault })
    expect(() => act(side.peer)).not.toThrow()
    await side.fails('SS_CONNECT_FAILED')
    expect(onFault).not.toHaveBeenCalled()
  },
)

test('whoever uses a connection and throws loses it, and nobody else hears of it', async () => {
  const faults: unknown[] = []
  const onOver = vi.fn()
  const side = new Side('acceptor', { onFault: (error) => faults.push(error), onOver })
  side.peer.openLanes()
  const error = new Error('ours')
  const ends: unknown[] = []
  const connection = await side.result
  connection.open({
    handlePacket: () => {
      throw error
    },
    handleClosed: (end) => ends.push(end),
  })
  await pauseMs(0)
  expect(() => side.peer.ticks.handler!.handleBytes(Uint8Array.of(0x80))).not.toThrow()
  expect(faults).toEqual([error])
  expect(ends).toEqual([{ code: 1006, reason: 'this side met an error of its own' }])
  expect(side.peer.isClosed).toBe(true)
  expect(onOver).toHaveBeenCalledTimes(1)
})
