/** Downloads that nobody reads to their end. */
import { largePath } from '../loopback/site.ts'
import { addressOf, closedWithin, connectFrom, openFrom, wait } from '../loopback/sockets.ts'
import { upgradeRequest } from '../loopback/upgrade.ts'
import type { Attack, AttackCase, AttackResult, Target } from './attack.ts'
import { commonPromises } from './promises.ts'

/** Requests in one segment. */
const pipelined = 300

const download = `GET ${largePath} HTTP/1.1\r\nHost: localhost\r\n\r\n`

const solo = ['--webrtc', 'off']
const workers = ['--workers', '2']

function caseOf(
  title: string,
  flags: readonly string[],
  run: (target: Target) => Promise<AttackResult>,
): AttackCase {
  return {
    title,
    flags,
    hasPages: true,
    run,
    promises: (outcome) => commonPromises(outcome, { growthMibMax: 150 }),
  }
}

const abort = (target: Target) => abortAgain(target, download.repeat(pipelined))
const abortUpgrade = (target: Target) =>
  abortAgain(target, `${download.repeat(pipelined)}${upgradeRequest()}`)

/** Starts downloads and drops or ignores them. */
export const pages: Attack = {
  name: 'pages',
  what: 'asks for a large file many times on one connection, and hangs up or stops reading',
  cases: [
    caseOf('aborted', solo, abort),
    caseOf('aborted, 2 workers', workers, abort),
    caseOf('aborted behind an upgrade', solo, abortUpgrade),
    caseOf('aborted behind an upgrade, 2 workers', workers, abortUpgrade),
    caseOf('not read', solo, hold),
  ],
}

/** One connection at a time sends everything in one segment, and resets the connection. */
async function abortAgain(target: Target, text: string): Promise<AttackResult> {
  const { port, seconds, addresses } = target
  const count = { rounds: 0, requests: 0 }
  const untilMs = performance.now() + seconds * 1_000
  while (performance.now() < untilMs) {
    const socket = await connectFrom(addressOf(count.rounds, addresses), port)
    if (socket === undefined) {
      await wait(50)
      continue
    }
    socket.pause()
    socket.write(text)
    // Long enough for the first to be under way, in some rounds.
    await wait(count.rounds % 2 === 0 ? 100 : 5)
    socket.resetAndDestroy()
    count.rounds++
    count.requests += pipelined
  }
  return count
}

/** As many downloads at once as the relay allows, none of which is read. */
async function hold({ port, seconds, addresses }: Target): Promise<AttackResult> {
  const count = { opened: 0, 'most at once': 0 }
  const open = new Set<ReturnType<typeof openFrom>>()
  const untilMs = performance.now() + seconds * 1_000
  while (performance.now() < untilMs) {
    while (open.size < 300) {
      const socket = openFrom(addressOf(count.opened, addresses), port)
      open.add(socket)
      socket.once('connect', () => {
        count.opened++
        socket.pause()
        socket.write(download)
      })
      socket.once('close', () => open.delete(socket))
    }
    count['most at once'] = Math.max(count['most at once'], open.size)
    await wait(250)
  }
  const left = [...open]
  for (const socket of left) socket.resetAndDestroy()
  await Promise.all(left.map((socket) => closedWithin(socket, 1_000)))
  return count
}
