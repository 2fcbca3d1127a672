/** Attacks on the signalling of WebRTC. */
import { makeClientFrame } from '../../packages/samestep/src/transport/testing/raw-websocket.ts'
import { encodeSignalling } from '../../packages/samestep/src/transport/webrtc/signalling.ts'
import { chromiumOffer } from '../../packages/samestep/src/transport/webrtc/testing/descriptions.ts'
import { RawSignalling } from '../loopback/raw-signalling.ts'
import { addressOf, closedWithin, wait, writeAll } from '../loopback/sockets.ts'
import type { Attack, AttackResult, Target } from './attack.ts'
import { commonPromises, promise } from './promises.ts'

const flags = ['--webrtc', '0']

/** Names of the media section: the longest that is allowed, longer ones, and odd ones. */
const mids = [
  'm'.repeat(32),
  'm'.repeat(33),
  'm'.repeat(255),
  'm'.repeat(256),
  'm'.repeat(4_000),
  'm'.repeat(7_000),
  '',
  'a b',
  '%00',
  '../..',
]

/** Offers whose media section has a long name, which the native library repeats in its answer. */
export const rtcMid: Attack = {
  name: 'rtc-mid',
  what: 'sends WebRTC offers whose a=mid: is too long or odd',
  cases: [
    {
      title: 'mids of 0 to 7 000 characters',
      flags,
      run: offerMids,
      promises: (outcome) => [
        ...commonPromises(outcome, { growthMibMax: 100 }),
        promise(
          `an offer with a name of 32 characters is answered: ${outcome.did['answered of 32']}`,
          (outcome.did['answered of 32'] ?? 0) > 0,
        ),
        promise(
          `one with a longer name is not: ${outcome.did['answered of longer']}`,
          outcome.did['answered of longer'] === 0,
        ),
      ],
    },
  ],
}

/** Pings at the door of signalling by somebody who reads no pong. */
export const rtcPings: Attack = {
  name: 'rtc-pings',
  what: 'sends pings at /rtc as fast as they are taken, and reads no answer',
  cases: [1, 8].map((connections) => ({
    title: connections === 1 ? 'one connection' : `${connections} connections`,
    flags,
    run: (target: Target) => floodPings(target, connections),
    promises: (outcome) => commonPromises(outcome, { growthMibMax: 64 }),
  })),
}

async function offerMids({ port, seconds, addresses }: Target): Promise<AttackResult> {
  const count = { offers: 0, refused: 0, 'answered of 32': 0, 'answered of longer': 0 }
  const untilMs = performance.now() + seconds * 1_000
  for (let turn = 0; performance.now() < untilMs; turn++) {
    const mid = mids[turn % mids.length]!
    const pipe = await RawSignalling.open(port, addressOf(turn, addresses))
    if (pipe === undefined) {
      count.refused++
      await wait(100)
      continue
    }
    count.offers++
    const sdp = chromiumOffer.replace('a=mid:0', `a=mid:${mid}`)
    pipe.send(encodeSignalling({ type: 'offer', sdp, proof: new Uint8Array(0) }))
    await closedWithin(pipe.socket, 300)
    if (pipe.heard > 0 && mid.length === 32) count['answered of 32']++
    if (pipe.heard > 0 && mid.length > 32) count['answered of longer']++
    pipe.socket.destroy()
  }
  return count
}

async function floodPings(target: Target, connections: number): Promise<AttackResult> {
  const { port, seconds, addresses } = target
  const ping = makeClientFrame(9, Buffer.alloc(125, 'p'))
  const chunk = Buffer.concat(new Array<Buffer>(512).fill(ping))
  const count = { opened: 0, 'MB sent': 0 }
  const untilMs = performance.now() + seconds * 1_000
  const attack = async (at: number) => {
    while (performance.now() < untilMs) {
      const pipe = await RawSignalling.open(port, addressOf(at, addresses))
      if (pipe === undefined) {
        await wait(200)
        continue
      }
      count.opened++
      pipe.socket.pause()
      // A paused socket does not hear that it was closed; a write that is never taken tells.
      const isOver = () => performance.now() > untilMs
      while (!isOver() && (await Promise.race([writeAll(pipe.socket, chunk), wait(2_000)]))) {
        count['MB sent'] += chunk.length / 1_000_000
      }
      pipe.socket.destroy()
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => attack(at)))
  return { ...count, 'MB sent': Math.round(count['MB sent']) }
}
