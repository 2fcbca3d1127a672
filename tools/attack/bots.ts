/** A match of the attacker's own in which little that is said makes much that is sent. */
import { playerNameBytesMax } from '../../packages/samestep/src/wire/limits.ts'
import { type MemberPlan, RawMember } from '../loopback/raw-member.ts'
import { addressOf, closedWithin, wait } from '../loopback/sockets.ts'
import type { Attack, AttackResult, Outcome, Target } from './attack.ts'
import { commonPromises } from './promises.ts'

/** A lobby that begins only when its owner says so, which he never does. */
const lobby = { start: 'by-owner', spectatorsMax: 192 } as const

/** Joins at the same time: below what one address may have of strangers. */
const joinsAtOnce = 8

/** Wishes of one member per second that the relay grants for long. */
const wishesPerSecond = 10

const flags = ['--webrtc', 'off']
const promises = (outcome: Outcome) => commonPromises(outcome, { growthMibMax: 120 })

/** Makes a lobby multiply what its members send. */
export const bots: Attack = {
  name: 'bots',
  what: 'fills a lobby of its own: bots that change hands, wishes, chat',
  cases: [
    { title: '60 bots, 150 watchers, 40 flips/s', flags, run: flip, isPrepared: true, promises },
    { title: '194 members, 15 wishes/s', flags, run: wish, isPrepared: true, promises },
    { title: '150 watchers, a line each per second', flags, run: chat, isPrepared: true, promises },
  ],
}

/** Two players say `hidden` and `active` in turns: with each word, the bots move to the other one. */
async function flip(target: Target): Promise<AttackResult> {
  const seats = 62
  const match = 'flips'
  const players = await joinAll(target, 2, () => ({ match, seats, lobby }))
  for (let seat = 2; seat < seats && players[0] !== undefined; seat++) {
    players[0].act({ type: 'add-bot', seat })
    if (seat % wishesPerSecond === 0) await wait(1_000)
  }
  const watchers = await joinAll(target, 150, () => ({ match, seats, role: 'spectator', lobby }))
  const count = { players: players.length, watchers: watchers.length, flips: 0 }
  target.begin()
  await every(target.seconds, 25, () => {
    // The one is back before the other goes: there is always somebody for the bots to move to.
    const [first, second] = count.flips % 2 === 0 ? players : [...players].reverse()
    first?.sayHere('active')
    second?.sayHere('hidden')
    count.flips++
    if (count.flips % 80 === 0) for (const watcher of watchers) watcher.sayHere()
  })
  return endWith(count, [...players, ...watchers])
}

/** One wish changes something that everybody is told all about, with long names. */
async function wish(target: Target): Promise<AttackResult> {
  const match = 'wishes'
  const name = 'ü'.repeat(Math.min(30, playerNameBytesMax / 2))
  const owners = await joinAll(target, 2, () => ({ match, seats: 4, name, lobby }))
  const rest = await joinAll(target, 192, (at) => ({
    match,
    seats: 4,
    name: `${name}${at % 100}`,
    role: 'spectator',
    lobby,
  }))
  const count = { members: owners.length + rest.length, wishes: 0 }
  target.begin()
  await every(target.seconds, 1_000 / 15, () => {
    owners[0]?.act({ type: 'choose-team', team: count.wishes % 4 })
    count.wishes++
    if (count.wishes % 30 === 0) for (const member of [...owners, ...rest]) member.sayHere()
  })
  return endWith(count, [...owners, ...rest])
}

/** A crowd in which everybody talks. */
async function chat(target: Target): Promise<AttackResult> {
  const match = 'chat'
  const owners = await joinAll(target, 1, () => ({ match, seats: 4, lobby }))
  const crowd = await joinAll(target, 150, () => ({ match, seats: 4, role: 'spectator', lobby }))
  const count = { members: crowd.length, lines: 0 }
  const line = '🎲'.repeat(500)
  target.begin()
  await every(target.seconds, 1_000 / 150, () => {
    crowd[count.lines % crowd.length]?.act({
      type: 'say',
      scope: 'spectators',
      text: `${count.lines} ${line}`,
    })
    count.lines++
    if (count.lines % 150 === 0) owners[0]?.sayHere()
  })
  return endWith(count, [...owners, ...crowd])
}

/** Members of one plan; those who are refused are missing. */
async function joinAll(
  { port, addresses }: Target,
  wanted: number,
  planOf: (at: number) => MemberPlan,
): Promise<RawMember[]> {
  const members: RawMember[] = []
  for (let at = 0; at < wanted; at += joinsAtOnce) {
    const count = Math.min(joinsAtOnce, wanted - at)
    const joins = Array.from({ length: count }, (_, index) =>
      RawMember.join(port, addressOf(at + index, addresses), planOf(at + index)),
    )
    for (const member of await Promise.all(joins)) {
      if (member instanceof RawMember) members.push(member)
    }
  }
  return members
}

/** Calls `act` as often as is due until the time is up. */
async function every(seconds: number, everyMs: number, act: () => void): Promise<void> {
  const fromMs = performance.now()
  const wanted = (seconds * 1_000) / everyMs
  for (let done = 0; done < wanted; ) {
    const due = Math.min(wanted, (performance.now() - fromMs) / everyMs)
    for (; done < due; done++) act()
    await wait(5)
  }
}

/** Everybody hangs up; how many were still there tells whom the relay had thrown out. */
async function endWith(
  count: Record<string, number>,
  members: readonly RawMember[],
): Promise<AttackResult> {
  const stayed = members.filter(({ isClosed }) => !isClosed)
  let bytes = 0
  for (const { socket } of members) bytes += socket.bytesRead
  for (const member of stayed) member.leave()
  // A process that ends with something unread resets the connection, and the farewell is lost.
  await Promise.all(stayed.map(({ socket }) => closedWithin(socket, 3_000)))
  return { ...count, 'still in at the end': stayed.length, 'MB heard': Math.round(bytes / 1e6) }
}
