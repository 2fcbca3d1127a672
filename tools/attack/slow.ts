/** Sockets that send a request by one byte per second. */
import type { Socket } from 'node:net'
import { addressOf, openFrom, wait } from '../loopback/sockets.ts'
import type { Attack, AttackResult, Outcome, Target } from './attack.ts'
import { commonPromises, joinPromise, promise } from './promises.ts'

const flags = ['--webrtc', 'off']

/** They come once. What T-22 promises of them is judged. */
export const wave: Attack = {
  name: 'wave',
  what: 'opens --sockets connections at once, each of which sends one byte per second',
  cases: [
    {
      title: 'once',
      flags,
      // Opening all of them takes some seconds, and each may live for 5.5 s.
      secondsMin: 20,
      run: (target) => dribble(target, false),
      promises: (outcome) => [
        ...commonPromises(outcome, { growthMibMax: 50 }),
        joinPromise(outcome, 1_000),
        ...wavePromises(outcome),
      ],
    },
  ],
}

/** They come again when they are closed. */
export const slowloris: Attack = {
  name: 'slowloris',
  what: 'the same, and opens another one for each that is closed',
  cases: [
    {
      title: 'again and again',
      flags,
      run: (target) => dribble(target, true),
      promises: (outcome) => commonPromises(outcome, { growthMibMax: 120 }),
    },
  ],
}

function wavePromises({ did }: Outcome) {
  const lifeMs = did['longest life in ms'] ?? Number.POSITIVE_INFINITY
  return [
    promise(
      `all sockets opened: ${did.opened} of ${did.wanted}`,
      (did.opened ?? 0) > 0 && did.opened === did.wanted,
    ),
    promise(`all are closed: ${did['open at the end']} left`, did['open at the end'] === 0),
    promise(`closed within 6 s: the last after ${lifeMs} ms`, lifeMs <= 6_000),
  ]
}

async function dribble(target: Target, isInsistent: boolean): Promise<AttackResult> {
  const { port, seconds, addresses, processes } = target
  const sockets = Math.ceil(target.sockets / processes)
  const request = 'GET /?match=honest HTTP/1.1\r\nHost: localhost\r\nX-Slow: '
  const open = new Map<Socket, number>()
  const count = { opened: 0, closed: 0, 'longest life in ms': 0, 'most at once': 0 }
  const start = () => {
    const socket = openFrom(addressOf(count.opened, addresses), port)
    let bornMs = performance.now()
    // Waiting for the kernel is not living.
    socket.on('connect', () => {
      bornMs = performance.now()
    })
    count.opened++
    open.set(socket, 0)
    socket.on('close', () => {
      open.delete(socket)
      count.closed++
      const life = Math.round(performance.now() - bornMs)
      count['longest life in ms'] = Math.max(count['longest life in ms'], life)
    })
    socket.resume()
  }
  const untilMs = performance.now() + seconds * 1_000
  while (performance.now() < untilMs) {
    // Opened in portions: a burst beyond the backlog would only attack the kernel.
    const room = Math.min(1_000, isInsistent ? sockets - open.size : sockets - count.opened)
    for (let at = 0; at < room; at++) start()
    count['most at once'] = Math.max(count['most at once'], open.size)
    for (const [socket, sent] of open) {
      if (socket.connecting) continue
      socket.write(request[sent % request.length]!)
      open.set(socket, sent + 1)
    }
    await wait(room > 0 ? 100 : 1_000)
  }
  const left = open.size
  for (const socket of open.keys()) socket.destroy()
  return { wanted: sockets, ...count, 'open at the end': left }
}
