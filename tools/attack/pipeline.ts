/** Requests that do not wait for answers. */
import { pagePath } from '../loopback/site.ts'
import { addressOf, connectFrom, wait, writeAll } from '../loopback/sockets.ts'
import type { Attack, AttackCase, AttackResult, Target } from './attack.ts'
import { commonPromises } from './promises.ts'

interface Stream {
  readonly path: string
  readonly connections: number
  /** How much each connection sends; as fast as it is taken when left out. */
  readonly kbPerSecond?: number
  readonly workers?: number
}

/** Sent in one go where nothing limits it. */
const burstBytes = 65_536

/** How often a stream with a limit sends its share. */
const shareEveryMs = 50

const streams: readonly (readonly [string, Stream])[] = [
  ['/health at 600 KB/s', { path: '/health', connections: 1, kbPerSecond: 600 }],
  ['/health, unlimited', { path: '/health', connections: 1 }],
  ['/nope, unlimited', { path: '/nope', connections: 1 }],
  ['a page, unlimited', { path: pagePath, connections: 1 }],
  ['/health by 8 connections', { path: '/health', connections: 8 }],
  [
    '/health at 600 KB/s, 2 workers',
    { path: '/health', connections: 1, kbPerSecond: 600, workers: 2 },
  ],
  ['/health by 8 connections, 2 workers', { path: '/health', connections: 8, workers: 2 }],
]

/** Sends HTTP requests without waiting for the answers. */
export const pipeline: Attack = {
  name: 'pipeline',
  what: 'sends HTTP requests on one connection without waiting for answers',
  cases: streams.map(
    ([title, stream]): AttackCase => ({
      title,
      flags:
        stream.workers === undefined ? ['--webrtc', 'off'] : ['--workers', `${stream.workers}`],
      hasPages: true,
      run: (target) => pour(target, stream),
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 100 }),
    }),
  ),
}

async function pour(target: Target, stream: Stream): Promise<AttackResult> {
  const { port, seconds, addresses } = target
  const { path, connections, kbPerSecond } = stream
  const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
  const shareBytes =
    kbPerSecond === undefined ? burstBytes : (kbPerSecond * 1_000 * shareEveryMs) / 1_000
  const share = Buffer.from(request.repeat(Math.ceil(shareBytes / request.length)))
  const count = { opened: 0, 'requests sent': 0, 'MB sent': 0, 'MB heard': 0 }
  const untilMs = performance.now() + seconds * 1_000
  const attack = async (at: number) => {
    while (performance.now() < untilMs) {
      const socket = await connectFrom(addressOf(at, addresses), port)
      if (socket === undefined) {
        await wait(20)
        continue
      }
      count.opened++
      socket.on('data', (chunk) => {
        count['MB heard'] += chunk.length / 1_000_000
      })
      while (performance.now() < untilMs && (await writeAll(socket, share))) {
        count['requests sent'] += Math.floor(share.length / request.length)
        count['MB sent'] += share.length / 1_000_000
        await wait(kbPerSecond === undefined ? 0 : shareEveryMs)
      }
      socket.resetAndDestroy()
    }
  }
  await Promise.all(Array.from({ length: connections }, (_, at) => attack(at)))
  return {
    ...count,
    'MB sent': Math.round(count['MB sent']),
    'MB heard': Math.round(count['MB heard']),
  }
}
