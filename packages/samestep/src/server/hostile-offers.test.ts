/** Offers of strangers against a relay in a process of its own: nothing that they send may end it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { until } from '../transport/testing/recorder.ts'
import { encodeSignalling } from '../transport/webrtc/signalling.ts'
import { chromiumOffer } from '../transport/webrtc/testing/descriptions.ts'
import { TestPlayer } from './testing/player.ts'
import { RelayProcess, type StartedLine } from './testing/relay-process.ts'

let relay: RelayProcess
let urls: StartedLine['urls']
let player: TestPlayer

beforeAll(async () => {
  const flags = ['--port', '0', '--udp', 'off', '--webrtc', '0', '--strangers-per-address', '1000']
  relay = new RelayProcess([...flags, '--json', '--log', 'error'])
  urls = (await relay.started()).urls
  player = new TestPlayer(urls.websocket, { match: 'honest' })
  await until(() => player.ticks > 2, 'ticks')
})

afterAll(async () => {
  player.stop()
  relay.kill('SIGTERM')
  await relay.ended()
})

/** Sends a description, and waits until the relay ends the talk, or says something. */
async function offer(sdp: string): Promise<{ code: number; messages: number }> {
  const socket = new WebSocket(`${urls.websocket}/rtc`, 'samestep-rtc-1')
  let messages = 0
  socket.on('error', () => {})
  socket.on('message', () => {
    messages += 1
    socket.close()
  })
  const ended = new Promise<number>((resolve) => socket.once('close', resolve))
  await Promise.race([new Promise((resolve) => socket.once('open', resolve)), ended])
  socket.send(encodeSignalling({ type: 'offer', sdp, proof: new Uint8Array(0) }))
  const code = await ended
  return { code, messages }
}

const withMid = (mid: string): string => chromiumOffer.replaceAll('a=mid:0', `a=mid:${mid}`)

test.each([
  ['a section name of 33 characters', withMid('m'.repeat(33))],
  ['a section name of 4 000 characters', withMid('m'.repeat(4_000))],
  ['a section name with a blank', withMid('a b')],
  ['an empty section name', withMid('')],
  ['an ICE name of 2 000 characters', chromiumOffer.replace('x8Lk', 'x'.repeat(2_000))],
  ['an ICE password of two characters', chromiumOffer.replace(/a=ice-pwd:\w+/, 'a=ice-pwd:ab')],
  ['an unknown role', chromiumOffer.replace('actpass', 'everything')],
  ['a port beyond all ports', chromiumOffer.replace('sctp-port:5000', 'sctp-port:500000')],
])('%s is refused before the native library sees it, and the match goes on', async (_what, sdp) => {
  const { messages } = await offer(sdp)
  expect(messages).toBe(0)
  const { ticks } = player
  await until(() => player.ticks > ticks + 3 || relay.exitCode !== undefined, 'more ticks')
  expect(relay.exitCode).toBe(undefined)
  expect(player.closed).toBe(undefined)
})

test.each([
  ['an attribute of 6 000 characters', `${chromiumOffer}a=x:${'x'.repeat(6_000)}\r\n`],
  ['500 attributes', chromiumOffer.concat('a=x-y:z\r\n'.repeat(500))],
  ['a group of many names', chromiumOffer.replace('BUNDLE 0', `BUNDLE 0${' m'.repeat(1_000)}`)],
  [
    'candidates without end',
    chromiumOffer.concat('a=candidate:1 1 udp 1 10.0.0.1 1 typ host\r\n'.repeat(100)),
  ],
])('of %s nothing comes back, and the match goes on', async (_what, sdp) => {
  const { messages } = await offer(sdp)
  expect(messages).toBeGreaterThan(0)
  const { ticks } = player
  await until(() => player.ticks > ticks + 3 || relay.exitCode !== undefined, 'more ticks')
  expect(relay.exitCode).toBe(undefined)
})

test('nothing of it was an error of the relay itself', () => {
  // At this level the log has nothing but errors, and tells each of them.
  expect(relay.lines.map(({ event }) => event)).toEqual(['started'])
  expect(relay.stderr).toBe('')
})
