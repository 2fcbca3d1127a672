import { describe, expect, test } from 'vitest'
import { testConfig } from '../relay/testing/match-kit.ts'
import type { SystemEvent } from '../sim/game/run/bundle.ts'
import type { LobbyConfig, PaceConfig } from '../wire/messages/match-config.ts'
import { lobbyDefaults, paceDefaults } from '../wire/messages/match-config.ts'
import type { MessageBody, MessageName } from '../wire/messages/messages.ts'
import { decodeMessage } from '../wire/messages/messages.ts'
import type { RoomAction } from '../wire/messages/room-actions.ts'
import { roomActionTypes } from '../wire/messages/room-actions.ts'
import type { Member } from './members.ts'
import { Members } from './members.ts'
import { Room } from './room.ts'
import type { RoomAnswer } from './room-answer.ts'
import type { FakeSession } from './testing/room-kit.ts'
import { addMember } from './testing/room-kit.ts'

type Changes = {
  readonly lobby?: Partial<LobbyConfig>
  readonly pace?: Partial<PaceConfig>
  readonly seats?: number
}

/** A room whose match does what a match must, and remembers what it was asked for. */
class Bench {
  readonly room: Room
  nowMs = 0
  readonly sealed: SystemEvent[] = []
  readonly speeds: number[] = []
  readonly switched: string[] = []
  readonly expelled: string[] = []
  readonly phases: string[] = []
  readonly members: Members<FakeSession>
  /** Everybody who ever came. */
  readonly #members: Member<FakeSession>[] = []

  constructor({ lobby, pace, seats = 4 }: Changes = {}) {
    const config = {
      ...testConfig,
      seats,
      lobby: { ...lobbyDefaults, start: 'by-owner' as const, countdownMs: 0, ...lobby },
      pace: { ...paceDefaults, ...pace },
    }
    this.members = new Members(seats)
    this.room = new Room(
      config,
      this.members,
      {
        seal: (event) => this.sealed.push(event),
        setSpeed: (percent) => this.speeds.push(percent),
        switchSeat: ({ seat, holder }) => this.switched.push(`${seat} ${holder?.id ?? 'bot'}`),
        expel: ({ id }, reason, _, nowMs) => {
          this.expelled.push(`${id} ${reason}`)
          this.leave(id, nowMs)
        },
        enter: (phase) => this.phases.push(phase),
        noteSaid: () => {},
      },
      0,
    )
  }

  /** Where bots moved since the last call, the oldest turns first. */
  takeBots(): (readonly [number, number | undefined, number])[] {
    return this.take('RelayBots')
      .flatMap(({ bots }) => bots.map(({ seat, runner, turn }) => [seat, runner, turn] as const))
      .sort((one, other) => one[2] - other[2])
  }

  add(role: 'player' | 'spectator' = 'player'): number {
    const member = addMember(this.members, this.#members.length, this.nowMs)
    this.#members.push(member)
    this.room.add(member, role, this.nowMs)
    return member.id
  }

  leave(id: number, nowMs = this.nowMs): void {
    const member = this.members.get(id)
    if (member === undefined) return
    this.members.remove(member)
    this.room.remove(member, nowMs)
  }

  setPresence(id: number, presence: FakeSession['presence']): void {
    this.#members[id]!.session.presence = presence
    this.room.handlePresence(this.nowMs)
  }

  /** A link is lost and back. */
  reconnect(id: number): void {
    const member = this.members.get(id)!
    for (const isConnected of [false, true]) {
      member.session.isConnected = isConnected
      member.session.presence = isConnected ? 'active' : 'silent'
      if (isConnected) this.room.handleLinkUp(member, this.nowMs)
      else this.room.handleLinkDown(member, this.nowMs)
    }
  }

  answer(id: number, action: RoomAction): RoomAnswer {
    return this.room.handle(this.#members[id]!, action, this.nowMs)
  }

  /** What is refused, or `undefined`. */
  act(id: number, action: RoomAction): string | undefined {
    return this.answer(id, action).refusal
  }

  wait(ms: number): void {
    const untilMs = this.nowMs + ms
    while (this.room.wakeAtMs() <= untilMs) {
      this.nowMs = this.room.wakeAtMs()
      this.room.handleTime(this.nowMs)
      this.room.show(this.nowMs)
    }
    this.nowMs = untilMs
  }

  /** Players in a match that runs. */
  run(players: number): this {
    for (let count = 0; count < players; count++) this.add()
    expect(this.act(0, { type: 'start' })).toBeUndefined()
    for (const id of this.#members.keys()) this.act(id, { type: 'report-load', progress: 100 })
    expect(this.room.lobby.phase).toBe('running')
    return this
  }

  /** Messages of a kind since the last call, each with whom it was for. */
  take<N extends MessageName>(name: N): (MessageBody<N> & { readonly to: readonly number[] })[] {
    const sent = this.#members.map(({ session }) => session.sent.splice(0))
    const all = [...new Set(sent.flat())]
    return all.flatMap((bytes) => {
      const message = decodeMessage(bytes)
      const to = [...sent.keys()].filter((id) => sent[id]!.includes(bytes))
      return message.name === name ? [{ ...(message.body as MessageBody<N>), to }] : []
    })
  }
}

const say = (scope: 'all' | 'team' | 'spectators', text = 'hello') =>
  ({ type: 'say', scope, text }) as const
const propose = (vote: 'kick' | 'mute' | 'pause' | 'resume' | 'speed', target = 0, percent = 0) =>
  ({ type: 'propose', vote, target, percent }) as const

/** One of each, as its own sender could mean it. */
const wishes: { readonly [T in RoomAction['type']]: Extract<RoomAction, { type: T }> } = {
  'take-seat': { type: 'take-seat', seat: 3 },
  'leave-seat': { type: 'leave-seat' },
  'choose-team': { type: 'choose-team', team: 1 },
  'set-ready': { type: 'set-ready', isReady: true, optionsRevision: 0 },
  'report-load': { type: 'report-load', progress: 50 },
  'set-options': { type: 'set-options', options: Uint8Array.of(4) },
  'lock-seat': { type: 'lock-seat', seat: 3, isLocked: true },
  kick: { type: 'kick', member: 2 },
  'give-ownership': { type: 'give-ownership', member: 1 },
  'set-visibility': { type: 'set-visibility', visibility: 'public' },
  'set-late-join': { type: 'set-late-join', lateJoin: 'nobody' },
  start: { type: 'start' },
  cancel: { type: 'cancel' },
  say: say('all'),
  mute: { type: 'mute', member: 1, isMuted: true },
  pause: { type: 'pause' },
  resume: { type: 'resume' },
  'set-speed': { type: 'set-speed', percent: 50 },
  propose: propose('pause'),
  cast: { type: 'cast', id: 1, isYes: true },
  'add-bot': { type: 'add-bot', seat: 3 },
  'remove-bot': { type: 'remove-bot', seat: 3 },
  'hand-over': { type: 'hand-over', seat: 0, member: 2 },
  'reclaim-seat': { type: 'reclaim-seat' },
}

const own = 'owner'
const any = 'member'

/** What each wish of the owner and of another player meets in the lobby and in the match. */
const answers: readonly (readonly [RoomAction['type'], typeof own | typeof any, string, string])[] =
  [
    ['take-seat', any, '', 'wrong-phase'],
    ['leave-seat', any, '', 'wrong-phase'],
    ['choose-team', any, '', 'wrong-phase'],
    ['set-ready', any, '', 'wrong-phase'],
    ['report-load', any, 'wrong-phase', ''],
    ['set-options', own, '', 'wrong-phase'],
    ['set-options', any, 'not-owner', 'not-owner'],
    ['lock-seat', own, '', ''],
    ['lock-seat', any, 'not-owner', 'not-owner'],
    ['kick', own, '', ''],
    ['kick', any, 'not-owner', 'not-owner'],
    ['give-ownership', own, '', ''],
    ['give-ownership', any, 'not-owner', 'not-owner'],
    ['set-visibility', own, '', ''],
    ['set-visibility', any, 'not-owner', 'not-owner'],
    ['set-late-join', own, '', ''],
    ['set-late-join', any, 'not-owner', 'not-owner'],
    ['start', own, '', 'wrong-phase'],
    ['start', any, 'not-owner', 'not-owner'],
    ['cancel', own, 'wrong-phase', 'wrong-phase'],
    ['cancel', any, 'not-owner', 'not-owner'],
    ['say', any, '', ''],
    ['mute', own, '', ''],
    ['mute', any, 'not-owner', 'not-owner'],
    ['pause', own, 'wrong-phase', ''],
    ['pause', any, 'wrong-phase', ''],
    ['resume', any, 'wrong-phase', 'already'],
    ['set-speed', own, 'wrong-phase', ''],
    ['set-speed', any, 'wrong-phase', 'not-allowed'],
    ['propose', any, 'wrong-phase', ''],
    ['cast', any, 'no-vote', 'no-vote'],
    ['add-bot', own, '', ''],
    ['add-bot', any, 'not-owner', 'not-owner'],
    ['remove-bot', own, 'no-such-seat', 'no-such-seat'],
    ['remove-bot', any, 'no-such-seat', 'no-such-seat'],
    ['hand-over', own, 'wrong-phase', 'wrong-target'],
    ['hand-over', any, 'wrong-phase', 'not-allowed'],
    ['reclaim-seat', any, 'wrong-phase', 'not-allowed'],
  ]

describe('a wish', () => {
  test.each(answers)('%s of the %s', (type, who, inLobby, running) => {
    const id = who === own ? 0 : 1
    const lobby = new Bench()
    for (let count = 0; count < 3; count++) lobby.add()
    expect(lobby.act(id, wishes[type]) ?? '').toBe(inLobby)
    const match = new Bench().run(3)
    expect(match.act(id, wishes[type]) ?? '').toBe(running)
  })

  test('of every kind is in this table', () => {
    const named = new Set(answers.map(([type]) => type))
    expect(roomActionTypes.filter((type) => !named.has(type))).toEqual([])
  })

  test.each(roomActionTypes)('%s of somebody who has left is refused', (type) => {
    const bench = new Bench().run(3)
    bench.leave(2)
    expect(bench.act(2, wishes[type])).toBe('unknown-member')
  })

  test.each(['take-seat', 'leave-seat', 'set-options'] as const)(
    '%s is refused where everybody began to load when he came in',
    (type) => {
      const bench = new Bench({ lobby: { start: 'when-full' } })
      bench.add()
      expect(bench.act(0, wishes[type])).toBe('wrong-phase')
    },
  )
})

describe('chat', () => {
  test('all hear what is for all, also who said it', () => {
    const bench = new Bench().run(3)
    const watcher = bench.add('spectator')
    expect(bench.act(1, say('all'))).toBeUndefined()
    const [said] = bench.take('RelaySaid')
    expect(said).toEqual({ member: 1, scope: 'all', text: 'hello', to: [0, 1, 2, watcher] })
  })

  test('a team is heard by its own players only', () => {
    const bench = new Bench()
    for (let count = 0; count < 3; count++) bench.add()
    bench.add('spectator')
    for (const id of [0, 2]) bench.act(id, { type: 'choose-team', team: 1 })
    bench.act(1, { type: 'choose-team', team: 0 })
    bench.act(0, say('team'))
    expect(bench.take('RelaySaid').map(({ to }) => to)).toEqual([[0, 2]])
  })

  test('who only watches is heard by those who only watch', () => {
    const bench = new Bench().run(2)
    const [one, other] = [bench.add('spectator'), bench.add('spectator')]
    expect(bench.act(one, say('all'))).toBe('wrong-scope')
    expect(bench.act(one, say('team'))).toBe('wrong-scope')
    expect(bench.act(0, say('spectators'))).toBe('wrong-scope')
    expect(bench.act(one, say('spectators'))).toBeUndefined()
    expect(bench.take('RelaySaid').map(({ to }) => to)).toEqual([[one, other]])
  })

  test('where the match says so, who only watches is heard by everybody', () => {
    const bench = new Bench({ lobby: { spectatorsReach: 'all' } }).run(2)
    const [one, other] = [bench.add('spectator'), bench.add('spectator')]
    expect(bench.act(one, say('all'))).toBeUndefined()
    expect(bench.act(one, say('spectators'))).toBeUndefined()
    expect(bench.act(one, say('team'))).toBe('wrong-scope')
    expect(bench.take('RelaySaid').map(({ to }) => to)).toEqual([
      [0, 1, one, other],
      [one, other],
    ])
  })

  test('too many lines are refused, and cost no strike', () => {
    const bench = new Bench().run(2)
    const answered = Array.from({ length: 7 }, () => bench.answer(1, say('all')))
    expect(answered.filter(({ refusal }) => refusal === 'rate')).toHaveLength(2)
    expect(answered.every(({ strike }) => strike === undefined)).toBe(true)
  })

  test('text that no client of ours sends is struck for; what a keyboard can do is not', () => {
    const bench = new Bench().run(2)
    expect(bench.answer(0, say('all', 'a\u0000b'))).toMatchObject({ strike: 'wrong-text' })
    expect(bench.answer(0, say('all', 'e\u0301'))).toEqual({
      refusal: 'not-normal',
      strike: undefined,
    })
  })

  test('the owner mutes and unmutes; who came after him may do neither', () => {
    const bench = new Bench().run(3)
    expect(bench.act(1, { type: 'mute', member: 2, isMuted: true })).toBe('not-owner')
    expect(bench.act(0, { type: 'mute', member: 9, isMuted: true })).toBe('unknown-member')
    bench.act(0, { type: 'mute', member: 2, isMuted: true })
    bench.wait(3_600_000)
    expect(bench.act(2, say('team'))).toBe('muted')
    bench.act(0, { type: 'mute', member: 2, isMuted: false })
    expect(bench.act(2, say('team'))).toBeUndefined()
  })

  test('a vote mutes for ten minutes, and the owner cannot take that back', () => {
    const bench = new Bench().run(3)
    bench.act(0, propose('mute', 2))
    bench.act(1, { type: 'cast', id: 1, isYes: true })
    bench.act(0, { type: 'mute', member: 2, isMuted: false })
    expect(bench.act(2, say('all'))).toBe('muted')
    bench.wait(600_000)
    expect(bench.act(2, say('all'))).toBeUndefined()
  })
})

describe('T-39 pace', () => {
  test('pauses are events of a tick, three of a seat, and go on by themselves after a minute', () => {
    const bench = new Bench().run(2)
    for (let count = 0; count < 3; count++) {
      expect(bench.act(1, { type: 'pause' })).toBeUndefined()
      expect(bench.act(0, { type: 'pause' })).toBe('already')
      expect(bench.room.pace.isPaused).toBe(true)
      bench.wait(59_999)
      expect(bench.room.pace.isPaused).toBe(true)
      bench.wait(1)
    }
    expect(bench.act(1, { type: 'pause' })).toBe('no-pause-left')
    expect(bench.sealed).toEqual(
      Array.from({ length: 3 }, () => [
        { type: 'pause', seat: 1 },
        { type: 'resume', seat: undefined },
      ]).flat(),
    )
    expect(bench.act(0, { type: 'pause' })).toBeUndefined()
  })

  test('who paused may resume, and the owner; nobody else', () => {
    const bench = new Bench().run(3)
    bench.act(1, { type: 'pause' })
    expect(bench.act(2, { type: 'resume' })).toBe('not-allowed')
    expect(bench.act(1, { type: 'resume' })).toBeUndefined()
    bench.act(1, { type: 'pause' })
    expect(bench.act(0, { type: 'resume' })).toBeUndefined()
    expect(bench.sealed.map(({ type }) => type)).toEqual(['pause', 'resume', 'pause', 'resume'])
  })

  test('who only watches stops nothing, unless the match is his', () => {
    const bench = new Bench().run(2)
    const watcher = bench.add('spectator')
    expect(bench.act(watcher, { type: 'pause' })).toBe('not-player')
    bench.act(0, { type: 'give-ownership', member: watcher })
    expect(bench.act(watcher, { type: 'pause' })).toBeUndefined()
    expect(bench.sealed).toEqual([{ type: 'pause', seat: undefined }])
  })

  test('the owner sets the speed: an event of a tick, and the clock hears of it', () => {
    const bench = new Bench().run(2)
    expect(bench.act(0, { type: 'set-speed', percent: 200 })).toBeUndefined()
    expect(bench.act(0, { type: 'set-speed', percent: 150 })).toBe('too-soon')
    bench.wait(1_000)
    expect(bench.act(0, { type: 'set-speed', percent: 5 })).toBe('bad-value')
    expect(bench.act(0, { type: 'set-speed', percent: 100 })).toBeUndefined()
    expect(bench.sealed).toEqual([
      { type: 'speed', percent: 200 },
      { type: 'speed', percent: 100 },
    ])
    expect(bench.speeds).toEqual([200, 100])
  })

  test('a match where only votes pause is paused by a vote', () => {
    const bench = new Bench({ pace: { pauseBy: 'vote' } }).run(3)
    expect(bench.act(0, { type: 'pause' })).toBe('not-allowed')
    bench.act(1, propose('pause'))
    bench.act(2, { type: 'cast', id: 1, isYes: true })
    expect(bench.sealed).toEqual([{ type: 'pause', seat: undefined }])
    bench.act(0, propose('resume'))
    bench.act(1, { type: 'cast', id: 2, isYes: true })
    expect(bench.sealed.at(-1)).toEqual({ type: 'resume', seat: undefined })
  })

  test('a vote sets the speed', () => {
    const bench = new Bench({ pace: { speedBy: 'vote' } }).run(2)
    bench.act(0, propose('speed', 0, 300))
    bench.act(1, { type: 'cast', id: 1, isYes: true })
    expect([bench.sealed, bench.speeds]).toEqual([[{ type: 'speed', percent: 300 }], [300]])
  })
})

describe('T-55 votes', () => {
  test('more than half throw somebody out; all are told how it stands and how it ended', () => {
    const bench = new Bench().run(4)
    expect(bench.act(0, propose('kick', 3))).toBeUndefined()
    expect(bench.take('RelayVote')).toEqual([
      {
        id: 1,
        kind: 'kick',
        target: 3,
        percent: 0,
        proposer: 0,
        yes: 1,
        no: 1,
        electors: 4,
        needed: 3,
        remainingMs: 30_000,
        state: 'open',
        to: [0, 1, 2, 3],
      },
    ])
    bench.wait(1_000)
    bench.act(1, { type: 'cast', id: 1, isYes: true })
    expect(bench.take('RelayVote')).toMatchObject([{ yes: 2, remainingMs: 29_000, state: 'open' }])
    expect(bench.expelled).toEqual([])
    bench.act(2, { type: 'cast', id: 1, isYes: true })
    expect(bench.take('RelayVote')).toMatchObject([{ yes: 3, state: 'passed' }])
    expect(bench.expelled).toEqual(['3 voted-out'])
  })

  test('one seat has one ballot, and who only watches has none', () => {
    const bench = new Bench().run(4)
    const watcher = bench.add('spectator')
    bench.act(0, propose('kick', 3))
    expect(bench.act(0, { type: 'cast', id: 1, isYes: true })).toBe('already-voted')
    expect(bench.act(3, { type: 'cast', id: 1, isYes: false })).toBe('already-voted')
    expect(bench.act(watcher, { type: 'cast', id: 1, isYes: true })).toBe('not-elector')
    expect(bench.act(watcher, propose('pause'))).toBe('not-elector')
    expect(bench.act(1, { type: 'cast', id: 7, isYes: true })).toBe('no-vote')
    expect(bench.expelled).toEqual([])
  })

  test('who comes after a proposal, or is away at it, has no ballot', () => {
    const bench = new Bench({ seats: 5 }).run(4)
    bench.setPresence(2, 'hidden')
    bench.act(0, propose('kick', 3))
    const late = bench.add()
    bench.setPresence(2, 'active')
    expect(bench.act(late, { type: 'cast', id: 1, isYes: true })).toBe('not-elector')
    expect(bench.act(2, { type: 'cast', id: 1, isYes: true })).toBe('not-elector')
  })

  test('silence is a no, a tie fails, and who leaves takes his ballot along', () => {
    const bench = new Bench().run(4)
    bench.act(0, propose('kick', 3))
    bench.act(1, { type: 'cast', id: 1, isYes: true })
    bench.leave(1)
    expect(bench.take('RelayVote').at(-1)).toMatchObject({ yes: 1, electors: 3, state: 'open' })
    bench.wait(30_000)
    expect(bench.take('RelayVote')).toMatchObject([{ state: 'timeout', remainingMs: 0 }])
    bench.act(2, propose('pause'))
    bench.act(0, { type: 'cast', id: 2, isYes: false })
    bench.act(3, { type: 'cast', id: 2, isYes: false })
    expect(bench.take('RelayVote').at(-1)).toMatchObject({ state: 'denied' })
    expect([bench.expelled, bench.sealed]).toEqual([[], []])
  })

  test('when the target goes by himself the vote is over', () => {
    const bench = new Bench().run(4)
    bench.act(0, propose('kick', 3))
    bench.leave(3)
    expect(bench.take('RelayVote').at(-1)).toMatchObject({ state: 'target-left' })
    expect(bench.expelled).toEqual([])
  })

  test('T-56 one at a time, three of a seat, and three minutes between two of them', () => {
    const bench = new Bench().run(4)
    for (let count = 1; count <= 3; count++) {
      expect(bench.act(0, propose('pause'))).toBeUndefined()
      expect(bench.act(1, propose('pause'))).toBe('vote-running')
      bench.wait(30_000)
      expect(bench.act(0, propose('pause'))).toBe(count === 3 ? 'too-many' : 'too-soon')
      bench.wait(150_000)
    }
    expect(bench.act(0, propose('pause'))).toBe('too-many')
    expect(bench.act(1, propose('pause'))).toBeUndefined()
  })

  test('F-14 a standstill of the relay lets no vote pass its time', () => {
    const bench = new Bench().run(4)
    bench.act(0, propose('pause'))
    bench.room.excuse(20_000)
    bench.wait(49_000)
    expect(bench.take('RelayVote')).toHaveLength(1)
    bench.wait(1_000)
    expect(bench.take('RelayVote')).toMatchObject([{ state: 'timeout' }])
  })
})

describe('the owner', () => {
  test('is the first player, and then who has been there longest', () => {
    const bench = new Bench()
    bench.add('spectator')
    for (let count = 0; count < 3; count++) bench.add()
    expect(bench.members.owner?.id).toBe(1)
    bench.leave(1)
    expect(bench.members.owner?.id).toBe(2)
    expect(bench.act(2, { type: 'give-ownership', member: 9 })).toBe('unknown-member')
    bench.act(2, { type: 'give-ownership', member: 0 })
    expect([bench.act(2, { type: 'start' }), bench.members.owner?.id]).toEqual(['not-owner', 0])
  })

  test('removes somebody, in the lobby and in the match, but not himself', () => {
    for (const bench of [new Bench().run(3), new Bench()]) {
      if (bench.room.lobby.phase === 'lobby') for (let n = 0; n < 3; n++) bench.add()
      expect(bench.act(0, { type: 'kick', member: 0 })).toBe('bad-value')
      expect(bench.act(0, { type: 'kick', member: 9 })).toBe('unknown-member')
      expect(bench.act(0, { type: 'kick', member: 2 })).toBeUndefined()
      expect(bench.expelled).toEqual(['2 kicked'])
      expect(bench.act(0, { type: 'kick', member: 2 })).toBe('unknown-member')
    }
  })
})

describe('loading', () => {
  test('who shows no progress is let go, and under abort everybody is back in the lobby', () => {
    const bench = new Bench()
    for (let count = 0; count < 2; count++) bench.add()
    bench.act(0, { type: 'start' })
    bench.act(0, { type: 'report-load', progress: 100 })
    bench.wait(30_000)
    expect(bench.expelled).toEqual(['1 timeout'])
    expect(bench.phases).toEqual(['loading', 'lobby'])
  })

  test('under continue the others go on', () => {
    const bench = new Bench({ lobby: { onLoadDrop: 'continue' } })
    for (let count = 0; count < 2; count++) bench.add()
    bench.act(0, { type: 'start' })
    bench.act(0, { type: 'report-load', progress: 100 })
    bench.leave(1)
    expect(bench.phases).toEqual(['loading', 'running'])
  })
})

describe('bots', () => {
  test('think where they were asked for, and move to who runs the fewest when he goes', () => {
    const bench = new Bench().run(2)
    expect(bench.act(0, { type: 'add-bot', seat: 2 })).toBeUndefined()
    expect(bench.act(0, { type: 'add-bot', seat: 2 })).toBe('seat-taken')
    expect(bench.act(0, { type: 'add-bot', seat: 1 })).toBe('seat-taken')
    expect(bench.act(0, { type: 'add-bot', seat: 4 })).toBe('no-such-seat')
    bench.reconnect(0)
    bench.wait(1_000)
    bench.leave(1)
    bench.wait(1_000)
    bench.setPresence(0, 'hidden')
    bench.wait(1_000)
    expect(bench.takeBots()).toEqual([
      [2, 0, 1],
      [2, 1, 2],
      [2, 0, 3],
      [2, undefined, 4],
    ])
  })

  test('move at once, and again after a second, whatever their runners do in between', () => {
    const bench = new Bench({ seats: 4 }).run(2)
    for (const seat of [2, 3]) bench.act(0, { type: 'add-bot', seat })
    bench.takeBots()
    for (let flip = 0; flip < 20; flip++) {
      bench.setPresence(flip % 2, 'hidden')
      bench.setPresence(1 - (flip % 2), 'active')
    }
    expect(bench.takeBots()).toEqual([
      [2, 1, 2],
      [3, 1, 2],
    ])
    bench.wait(999)
    expect(bench.takeBots()).toEqual([])
    bench.wait(1)
    expect(bench.takeBots()).toEqual([
      [2, 0, 3],
      [3, 0, 3],
    ])
  })

  test('are told to their runner again when it comes back, so that it knows where to go on', () => {
    const bench = new Bench().run(2)
    bench.act(0, { type: 'add-bot', seat: 2 })
    bench.setPresence(0, 'hidden')
    bench.takeBots()
    // Within the second in which bots stay where they are.
    bench.reconnect(1)
    expect(bench.takeBots()).toEqual([[2, 1, 2]])
  })

  test('are removed: the seat is free for people again', () => {
    const bench = new Bench({ seats: 2 })
    bench.add()
    bench.act(0, { type: 'add-bot', seat: 1 })
    expect(bench.room.lobby.joinFault('player')).toBe('full')
    expect(bench.act(0, { type: 'remove-bot', seat: 1 })).toBeUndefined()
    expect(bench.takeBots()).toEqual([
      [1, undefined, 0],
      [1, 0, 1],
    ])
    expect([bench.room.bots.at(1), bench.room.lobby.joinFault('player')]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('keep their seats: unlocking one would let a person sit on it', () => {
    const bench = new Bench()
    bench.add()
    bench.act(0, { type: 'add-bot', seat: 1 })
    expect(bench.act(0, { type: 'lock-seat', seat: 1, isLocked: false })).toBe('seat-taken')
    expect(bench.act(0, { type: 'take-seat', seat: 1 })).toBe('seat-locked')
  })

  test('count as taken seats where all must be', () => {
    const bench = new Bench({ seats: 2, lobby: { start: 'when-full' } })
    bench.add()
    bench.act(0, { type: 'add-bot', seat: 1 })
    expect(bench.phases).toEqual(['running'])
  })

  test('are neither electors nor to be voted out', () => {
    const bench = new Bench().run(3)
    bench.act(0, { type: 'add-bot', seat: 3 })
    expect(bench.act(0, propose('kick', 3))).toBe('wrong-target')
  })
})
