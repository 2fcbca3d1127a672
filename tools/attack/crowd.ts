/** One address that wants every place there is. */
import { RawMember } from '../loopback/raw-member.ts'
import { addressOf, closedWithin, wait } from '../loopback/sockets.ts'
import type { Attack, AttackCase, AttackResult, Target } from './attack.ts'
import { commonPromises, joinPromise, promise } from './promises.ts'

/** Members of one match: few matches, so that only the limit of connections is in the way. */
const membersPerMatch = 60

/** Joins at the same time: below what one address may have of strangers. */
const joinsAtOnce = 8

/** Members in all, above every limit of the cases below. */
const wantedMax = 500

/** Before somebody who was refused asks again. */
const retryMs = 200

/** A member that says nothing for longer is thrown out. */
const hereEveryMs = 5_000

/** Joins from one address until every place is taken. */
export const crowd: Attack = {
  name: 'crowd',
  what: 'joins from one address until there is no place left, and stays',
  cases: [
    caseOf('the usual limits', ['--webrtc', 'off'], 256),
    caseOf('300 connections, 256 per address', limits(300, 256), 256),
    // Each worker may count for itself: even then, others must find a place.
    caseOf(
      '300 connections, 100 per address, 2 workers',
      ['--workers', '2', ...limits(300, 100).slice(2)],
      200,
    ),
  ],
}

function limits(connections: number, perAddress: number): string[] {
  return [
    ...['--webrtc', 'off', '--connections-max', String(connections)],
    ...['--connections-per-address', String(perAddress)],
  ]
}

function caseOf(title: string, flags: readonly string[], placesMax: number): AttackCase {
  return {
    title,
    flags,
    run: occupy,
    promises: (outcome) => [
      ...commonPromises(outcome, { growthMibMax: 120 }),
      joinPromise(outcome, 1_000),
      promise(
        `one address gets at most ${placesMax} places: ${outcome.did['most at once']}`,
        (outcome.did['most at once'] ?? 0) <= placesMax * (outcome.did.addresses ?? 1),
      ),
      promise(`the others are refused: ${outcome.did.refused}`, (outcome.did.refused ?? 0) > 0),
    ],
  }
}

async function occupy({ port, seconds, addresses }: Target): Promise<AttackResult> {
  const members = new Set<RawMember>()
  const count = { addresses, joined: 0, refused: 0, 'most at once': 0 }
  const untilMs = performance.now() + seconds * 1_000
  let tried = 0
  let hereAtMs = performance.now() + hereEveryMs
  const join = async () => {
    const at = tried++
    const match = `crowd ${Math.floor(count.joined / membersPerMatch)}`
    const lobby = { start: 'by-owner' } as const
    const plan = { match, seats: 64, lobby }
    const member = await RawMember.join(port, addressOf(at, addresses), plan)
    if (!(member instanceof RawMember)) {
      count.refused++
      // Whoever wants a place asks again, and is no flood.
      await wait(retryMs)
      return
    }
    count.joined++
    members.add(member)
    member.socket.once('close', () => members.delete(member))
  }
  while (performance.now() < untilMs) {
    const room = Math.min(joinsAtOnce, wantedMax - members.size)
    await Promise.all(Array.from({ length: room }, join))
    count['most at once'] = Math.max(count['most at once'], members.size)
    if (performance.now() > hereAtMs) {
      hereAtMs = performance.now() + hereEveryMs
      for (const member of members) member.sayHere()
    }
    await wait(20)
  }
  const left = [...members]
  for (const member of left) member.leave()
  await Promise.all(left.map(({ socket }) => closedWithin(socket, 3_000)))
  return { ...count, 'still in at the end': left.length }
}
