import { describe, expect, test } from 'vitest'
import { undecided } from '../../../desync/verdict.ts'
import type { MatchConfig } from '../../../wire/messages/match-config.ts'
import { strikesMax } from '../../guard/strikes.ts'
import { MatchBench } from '../../testing/match-kit.ts'
import { patienceMsMax, settleMs, settleTicks, tellBurst, tellEveryMs } from './desync-patience.ts'

/** A match in which each tick takes 450 ms: it waits for inputs, and everybody is there and sends none. */
const slow = { missing: { kind: 'wait', waitMs: 400 } } as const

/** A match of so many that runs, at twenty ticks per second. */
function make(seats: number, spectators = 0, options: Partial<MatchConfig> = {}) {
  const bench = new MatchBench({ seats, ...options })
  const players = Array.from({ length: seats }, () => bench.admit())
  const watchers = Array.from({ length: spectators }, () => bench.admit('spectator'))
  bench.runTo(1_000)
  const everybody = [...players, ...watchers]
  /** Somebody reports a hash. */
  const say = (index: number, tick: number, hash: number, executedTick = tick) => {
    const { session } = everybody[index]!
    const received = Math.max(executedTick, session.ackedTick)
    const { token } = session.guard.liveness
    const report = { token: token < 0 ? undefined : token }
    return bench.turn(session, { received, report, hash: { executedTick, tick, lo: hash, hi: 0 } })
  }
  /** Time passes in which everybody is heard, though without inputs. */
  const pass = (ms: number) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= 1_000) {
      for (const { session } of everybody) session.guard.liveness.handlePacket(bench.nowMs)
      bench.runTo(bench.nowMs + Math.min(leftMs, 1_000))
    }
  }
  /** A moment passes, shorter than a tick. */
  const rest = () => bench.match.handleTime(bench.nowMs)
  const heard = (index: number) => everybody[index]!.channel.takeControls('RelayDesync')
  return { bench, everybody, say, pass, rest, heard }
}

const mismatch = { type: 'hash-mismatch', spectator: undefined, verdict: undecided, witnesses: [] }

function culprits(...seats: number[]) {
  return { verdict: { kind: 'culprit', seats } }
}

describe('a difference', () => {
  test('T-45 is told to all with its tick and the seats by what they say, as soon as all spoke', () => {
    const { bench, say, rest, heard } = make(3, 1)
    for (const seat of [0, 1, 2]) say(seat, 3, 30)
    for (const seat of [0, 1]) say(seat, 4, seat)
    rest()
    expect(heard(0)).toEqual([])
    say(2, 4, 0)
    rest()
    const told = { tick: 4, agreedTick: 3, groups: [[0, 2], [1]] }
    expect(bench.told('hash-mismatch')).toEqual([{ ...mismatch, ...told, ...culprits(1) }])
    for (const index of [0, 1, 2, 3])
      expect(heard(index)).toEqual([{ ...told, culprits: [1], isSpectator: false }])
  })

  test.each([0, 1])(
    'a liar is not made the truth by being quick: seat %i speaks first',
    (quick) => {
      const { bench, say, rest } = make(2)
      say(quick, 4, quick)
      say(1 - quick, 4, 1 - quick)
      rest()
      const told = { tick: 4, agreedTick: undefined, groups: [[0], [1]] }
      expect(bench.told('hash-mismatch')).toEqual([{ ...mismatch, ...told }])
    },
  )

  test('HSH-17 of tick 0 is found', () => {
    const { bench, say, rest } = make(2)
    for (const seat of [0, 1]) say(seat, 0, seat, 1)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([{ tick: 0, groups: [[0], [1]] }])
  })

  test('is told without those who keep silent when their time is over', () => {
    const { bench, say } = make(3)
    for (const seat of [0, 1]) say(seat, 4, seat)
    bench.runTo(bench.nowMs + settleMs - 1)
    expect(bench.told('hash-mismatch')).toEqual([])
    bench.runTo(bench.nowMs + 1)
    expect(bench.told('hash-mismatch')).toMatchObject([{ tick: 4, groups: [[0], [1]] }])
  })

  describe('where each tick takes 450 ms', () => {
    test('is told when all had ticks enough to report one in common, not before', () => {
      const { bench, say, pass, rest } = make(3, 0, slow)
      pass(7_000)
      const tick = bench.match.log.sealedTick
      for (const seat of [0, 1]) say(seat, tick, seat)
      pass(2 * settleMs)
      expect(bench.told('hash-mismatch')).toEqual([])
      for (const seat of [0, 1, 2]) say(seat, tick + 4, seat === 1 ? 1 : 0)
      rest()
      const groups = [[0, 2], [1]]
      expect(bench.told('hash-mismatch')).toMatchObject([{ tick, groups, ...culprits(1) }])
    })

    test('is told without those who keep silent all that time', () => {
      const { bench, say, pass } = make(3, 0, slow)
      pass(7_000)
      const tick = bench.match.log.sealedTick
      for (const seat of [0, 1]) say(seat, tick, seat)
      pass(450 * (settleTicks - 1))
      expect(bench.told('hash-mismatch')).toEqual([])
      pass(2 * 450)
      expect(bench.told('hash-mismatch')).toMatchObject([{ tick, groups: [[0], [1]] }])
    })

    test('is told when its time is over, however slow the ticks are', () => {
      const { bench, say, pass } = make(3, 0, { missing: { kind: 'wait', waitMs: 4_000 } })
      pass(19_000)
      const tick = bench.match.log.sealedTick
      for (const seat of [0, 1]) say(seat, tick, seat)
      pass(patienceMsMax - 1)
      expect(bench.told('hash-mismatch')).toEqual([])
      pass(1)
      expect(bench.told('hash-mismatch')).toMatchObject([{ tick, groups: [[0], [1]] }])
    })
  })

  test('names a later tick for its groups when not all report the first', () => {
    const { bench, say, rest } = make(3)
    for (const seat of [0, 1, 2]) say(seat, 4, 40)
    for (const tick of [5, 6, 7, 8]) for (const seat of [0, 1]) say(seat, tick, tick + seat)
    rest()
    expect(bench.told('hash-mismatch')).toEqual([])
    say(2, 8, 8, 9)
    rest()
    const told = { tick: 5, agreedTick: 4, groups: [[0, 2], [1]] }
    expect(bench.told('hash-mismatch')).toEqual([{ ...mismatch, ...told, ...culprits(1) }])
  })

  test('that stays the same is told once, and one more when somebody else goes apart', () => {
    const { bench, say } = make(3)
    const run = (toTick: number, hash: (seat: number) => number) => {
      for (let tick = bench.match.log.sealedTick - 4; tick <= toTick; tick++) {
        for (const seat of [0, 1, 2]) say(seat, tick, 10 * tick + hash(seat))
      }
      bench.runTo(50 * (toTick + 5))
    }
    for (let tick = 20; tick < 40; tick++) run(tick, () => 0)
    for (let tick = 40; tick < 300; tick++) run(tick, (seat) => (seat === 1 ? 1 : 0))
    expect(bench.told('hash-mismatch')).toEqual([
      { ...mismatch, tick: 40, agreedTick: 39, groups: [[0, 2], [1]], ...culprits(1) },
    ])
    for (let tick = 300; tick < 320; tick++) run(tick, (seat) => seat)
    expect(bench.told('hash-mismatch').slice(1)).toEqual([
      { ...mismatch, tick: 300, agreedTick: 299, groups: [[0], [1], [2]] },
    ])
  })

  test('T-52 that liars make anew all the time is told at intervals', () => {
    const { bench, say, rest } = make(16)
    for (let tick = 4; tick < 16; tick++) {
      // Each of four ticks splits seats that were in one group before.
      for (let seat = 0; seat < 16; seat++) say(seat, tick, (seat >> (tick % 4)) & 1)
      rest()
    }
    expect(bench.told('hash-mismatch')).toHaveLength(tellBurst)
    bench.runTo(bench.nowMs + tellEveryMs)
    expect(bench.told('hash-mismatch').length).toBeLessThanOrEqual(tellBurst + 1)
  })

  test('T-52 is told at once although two liars differ in turns', () => {
    const { bench, say, rest } = make(5)
    for (let tick = 4; tick < 18; tick++) {
      for (let seat = 0; seat < 5; seat++) say(seat, tick, seat === tick % 2 ? 1 : 0)
      rest()
    }
    expect(bench.told('hash-mismatch')).toMatchObject([
      { tick: 4, groups: [[0], [1, 2, 3, 4]] },
      { tick: 5, groups: [[0, 2, 3, 4], [1]] },
    ])
    for (let seat = 0; seat < 5; seat++) say(seat, 18, seat === 0 || seat === 4 ? seat : 9)
    rest()
    expect(bench.told('hash-mismatch').slice(2)).toMatchObject([
      { tick: 18, groups: [[0], [1, 2, 3], [4]], ...culprits(0, 4) },
    ])
  })

  test('is told again to whoever comes back', () => {
    const { bench, everybody, say, rest, heard } = make(2)
    for (const seat of [0, 1]) say(seat, 4, seat)
    rest()
    expect(heard(1)).toHaveLength(1)
    const { session, channel } = everybody[1]!
    bench.match.handleDetached(session, bench.nowMs)
    session.attach(9, channel, session.ackedTick)
    bench.match.handleAttached(session, session.ackedTick, bench.nowMs)
    expect(heard(1)).toHaveLength(1)
  })
})

describe('the verdict', () => {
  test('T-46 between two is undecided', () => {
    const { bench, say, rest, heard } = make(2)
    for (const seat of [0, 1]) say(seat, 4, seat)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([{ verdict: undecided }])
    expect(heard(0)).toMatchObject([{ culprits: [] }])
  })

  test('T-49 counts who keeps silent: two of four are no majority', () => {
    const { bench, say } = make(4)
    for (const seat of [0, 1, 2]) say(seat, 4, seat === 2 ? 1 : 0)
    bench.runTo(bench.nowMs + settleMs)
    expect(bench.told('hash-mismatch')).toMatchObject([
      { groups: [[0, 1], [2]], verdict: undecided },
    ])
  })

  test('T-63 does not count whom one player alone gave the state, for what was before', () => {
    const { bench, everybody, say, rest } = make(3)
    everybody[2]!.session.givenTick = 5
    for (const [seat, hash] of [9, 4, 4].entries()) say(seat, 6, hash)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([
      { groups: [[0], [1, 2]], verdict: undecided },
    ])
  })

  test('counts whom one player alone gave the state, once all agreed after it', () => {
    const { bench, everybody, say, rest } = make(3)
    everybody[2]!.session.givenTick = 5
    for (const seat of [0, 1, 2]) say(seat, 5, 5)
    for (const [seat, hash] of [9, 4, 4].entries()) say(seat, 6, hash)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([{ agreedTick: 5, ...culprits(0) }])
  })

  test('does not count who is away', () => {
    const { bench, everybody, say, rest } = make(4)
    bench.match.handleDetached(everybody[3]!.session, bench.nowMs)
    for (const seat of [0, 1, 2]) say(seat, 4, seat === 2 ? 1 : 0)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([culprits(2)])
  })

  test('does not count spectators, whatever they say', () => {
    const { bench, say, rest } = make(2, 3)
    for (const index of [0, 1, 2, 3, 4]) say(index, 4, index === 1 ? 1 : 0)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([{ groups: [[0], [1]], verdict: undecided }])
  })
})

test('is reported in the end, also when nobody answers what the relay asks', () => {
  const { bench, say, rest } = make(3)
  for (const seat of [0, 1, 2]) say(seat, 4, seat === 1 ? 1 : 0)
  rest()
  expect(bench.told('desync-report')).toEqual([])
  for (let second = 0; second < 60; second++) bench.runTo(bench.nowMs + 1_000)
  expect(bench.told('desync-report')).toMatchObject([
    { file: { tick: 4, groups: [[0, 2], [1]], culprits: [1], pairs: [], gameId: 'chess' } },
  ])
  expect(bench.told('desync-found')).toEqual([])
})

test('a second difference is looked into when the first one has been for ten seconds', () => {
  const { bench, everybody, say, rest } = make(5)
  const numbers = () =>
    everybody.flatMap(({ channel }) =>
      channel.takeControls('RelayProbe').map((body) => body.number),
    )
  for (const seat of [0, 1, 2, 3, 4]) say(seat, 4, seat === 1 ? 1 : 0)
  rest()
  const first = numbers()
  expect(first.length).toBeGreaterThan(0)
  for (const seat of [0, 1, 2, 3, 4]) say(seat, 5, seat === 1 || seat === 3 ? seat : 0)
  rest()
  expect(bench.told('hash-mismatch')).toHaveLength(2)
  const startMs = bench.nowMs
  bench.runTo(startMs + 9_000)
  // They are there, and take their time with the answers.
  for (const seat of [0, 1, 2, 3, 4]) say(seat, 6, seat === 1 || seat === 3 ? seat : 0)
  bench.runTo(startMs + 9_999)
  expect(bench.told('desync-report')).toEqual([])
  bench.runTo(startMs + 10_000)
  expect(bench.told('desync-report')).toMatchObject([{ file: { tick: 4, culprits: [1] } }])
  bench.runTo(startMs + 60_000)
  expect(bench.told('desync-report').slice(1)).toMatchObject([
    { file: { tick: 5, culprits: [1, 3] } },
  ])
  // A late answer about the first is none about the second.
  for (const number of numbers()) expect(first).not.toContain(number)
})

describe('no difference', () => {
  test('is made of a report before the first tick: a launch may be called off', () => {
    const bench = new MatchBench({ seats: 2 })
    const ada = bench.admit()
    bench.turn(ada.session, { hash: { tick: 0, lo: 1, hi: 1 } })
    const bob = bench.admit()
    bench.runTo(200)
    bench.turn(ada.session, { received: 3, hash: { tick: 0, executedTick: 3, lo: 2, hi: 2 } })
    bench.turn(bob.session, { received: 3, hash: { tick: 0, executedTick: 3, lo: 2, hi: 2 } })
    bench.runTo(2_000)
    expect(bench.told('hash-mismatch')).toEqual([])
    expect(ada.session.guard.strikes.total).toBe(0)
  })

  test('is made of what somebody said who lost his state and begins anew', () => {
    const { bench, everybody, say, rest } = make(2)
    for (const tick of [4, 5]) for (const seat of [0, 1]) say(seat, tick, tick)
    const { session, channel } = everybody[1]!
    bench.match.handleDetached(session, bench.nowMs)
    session.attach(9, channel, 0)
    bench.match.handleAttached(session, 0, bench.nowMs)
    bench.runTo(bench.nowMs + 50)
    expect(say(1, 4, 4)).toBeUndefined()
    rest()
    expect(session.guard.strikes.total).toBe(0)
    say(0, 6, 6)
    say(1, 6, 7)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([{ tick: 6, agreedTick: 4 }])
  })
})

describe('who only watches', () => {
  test('HSH-13 is told privately that he differs, once, and counts for nothing', () => {
    const { bench, say, rest, heard, everybody } = make(2, 2)
    for (const index of [0, 1, 3]) say(index, 4, 4)
    say(2, 4, 9)
    say(2, 5, 9)
    rest()
    const told = { tick: 4, agreedTick: undefined, groups: [[0, 1]] }
    const member = everybody[2]!.session.member.id
    expect(bench.told('hash-mismatch')).toEqual([{ ...mismatch, ...told, spectator: member }])
    expect(heard(2)).toEqual([{ ...told, culprits: [], isSpectator: true }])
    for (const index of [0, 1, 3]) expect(heard(index)).toEqual([])
  })

  test('is told once more after somebody else has got a seat', () => {
    const { bench, say, rest, everybody } = make(3, 1)
    for (const index of [0, 1, 2]) say(index, 4, 4)
    say(3, 4, 9)
    rest()
    bench.match.remove(everybody[2]!.session, 'left', bench.nowMs)
    for (const index of [0, 1]) say(index, 5, 5)
    say(3, 5, 9)
    say(3, 6, 9)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([
      { groups: [[0, 1, 2]] },
      { groups: [[0, 1]] },
    ])
  })

  test('is compared although he is always first', () => {
    const { bench, say } = make(1, 1)
    for (let tick = 1; tick < 20; tick++) {
      say(1, tick, tick < 10 ? tick : 99)
      say(0, tick, tick)
    }
    expect(bench.told('hash-mismatch')).toMatchObject([{ groups: [[0]] }])
    expect(bench.told('hash-mismatch')[0]!.tick).toBeGreaterThanOrEqual(10)
  })

  test('is not told by one liar that he differs from those who have not spoken', () => {
    const { bench, say, rest } = make(2, 1)
    say(0, 4, 99)
    say(2, 4, 4)
    say(1, 4, 4)
    say(2, 5, 5)
    rest()
    expect(bench.told('hash-mismatch')).toMatchObject([
      { spectator: undefined, groups: [[0], [1]] },
    ])
  })
})

test('T-50 two hashes for one tick are struck for, and five end the session', () => {
  const { say } = make(2)
  say(0, 4, 4)
  for (let count = 1; count < strikesMax; count++) expect(say(0, 4, 5)).toBeUndefined()
  expect(say(0, 4, 5)).toMatchObject({
    reason: 'bad-message',
    message: 'Your client broke the rules too often: two-hashes',
  })
})

test('T-49 who reports old ticks only, to be compared with nobody, is struck for it', () => {
  const { bench, say } = make(2)
  say(0, 4, 4)
  const ends = []
  for (let tick = 5; tick < 5 + 2 + strikesMax; tick++) ends.push(say(0, 4, 4, tick))
  expect(ends.slice(0, -1)).toEqual(Array(ends.length - 1).fill(undefined))
  expect(ends.at(-1)).toMatchObject({
    message: 'Your client broke the rules too often: hash-missing',
  })
  // In groups, each of which reports the roundest of its ticks, nobody withholds anything.
  for (const [executed, tick] of [
    [6, 4],
    [7, 7],
    [9, 8],
    [13, 12],
  ] as const) {
    expect(say(1, tick, 4, executed)).toBeUndefined()
  }
  expect(bench.match.sessions[1]?.guard.strikes.total).toBe(0)
})

test('T-48 no message of the relay tells what anybody reported', () => {
  const { everybody, say, rest } = make(3, 1)
  const hash = 0x5eed_cafe
  for (const seat of [0, 1]) say(seat, 4, hash)
  rest()
  say(2, 4, 7)
  rest()
  const secret = [0xfe, 0xca, 0xed, 0x5e]
  for (const { channel } of everybody) {
    expect(channel.controls.length).toBeGreaterThan(0)
    for (const bytes of channel.controls) {
      // At any bit: messages are packed.
      const bits = [...bytes]
        .map((byte) => byte.toString(2).padStart(8, '0').split('').reverse().join(''))
        .join('')
      const wanted = secret
        .map((byte) => byte.toString(2).padStart(8, '0').split('').reverse().join(''))
        .join('')
      expect(bits).not.toContain(wanted)
    }
  }
})

describe('a witness', () => {
  function makeWatched(referee: 'nobody' | 'witness' = 'nobody') {
    const bench = new MatchBench({ seats: 2, referee })
    const everybody = [bench.admit(), bench.admit(), bench.admit('witness')]
    bench.runTo(1_000)
    const say = (index: number, tick: number, hash: number) => {
      const { session } = everybody[index]!
      const received = Math.max(tick, session.ackedTick)
      const { token } = session.guard.liveness
      const report = { token: token < 0 ? undefined : token }
      const words = { executedTick: tick, tick, lo: hash, hi: 0 }
      return bench.turn(session, { received, report, hash: words })
    }
    return { bench, say }
  }

  test('is told to agree with one of two who differ, once it has spoken', () => {
    const { bench, say } = makeWatched()
    for (const index of [0, 1, 2]) say(index, 3, 30)
    say(1, 4, 1)
    say(0, 4, 0)
    bench.match.handleTime(bench.nowMs)
    expect(bench.told('hash-mismatch')).toEqual([])
    say(2, 4, 1)
    bench.match.handleTime(bench.nowMs)
    const [told] = bench.told('hash-mismatch')
    expect(told).toMatchObject({
      tick: 4,
      groups: [[0], [1]],
      witnesses: [{ member: 2, group: 1 }],
    })
  })

  test.each([
    ['nobody', undecided],
    ['witness', culprits(0).verdict],
  ] as const)('T-46 decides between two players where the referee is %s', (referee, verdict) => {
    const { bench, say } = makeWatched(referee)
    for (const index of [0, 1, 2]) say(index, 4, Math.min(index, 1))
    bench.match.handleTime(bench.nowMs)
    expect(bench.told('hash-mismatch')).toMatchObject([{ groups: [[0], [1]], verdict }])
  })

  test('who differs from both is told so, and decides nothing', () => {
    const { bench, say } = makeWatched('witness')
    for (const index of [0, 1, 2]) say(index, 4, index)
    bench.match.handleTime(bench.nowMs)
    const told = bench.told('hash-mismatch').find(({ spectator }) => spectator === undefined)
    expect(told?.verdict).toEqual(undecided)
    expect(told?.witnesses).toEqual([{ member: 2, group: undefined }])
  })

  test('who says nothing is not waited for longer than anybody', () => {
    const { bench, say } = makeWatched()
    say(2, 3, 30)
    for (const index of [0, 1]) say(index, 4, index)
    bench.runTo(bench.nowMs + settleMs + 100)
    expect(bench.told('hash-mismatch')).toMatchObject([{ groups: [[0], [1]], witnesses: [] }])
  })
})

describe('what whole states hash to', () => {
  function makeStates(seats: number, options: Partial<MatchConfig> = {}) {
    const made = make(seats, 0, options)
    const tell = (seat: number, tick: number, hash: number, lastByte = 0) => {
      const { session } = made.everybody[seat]!
      const bytes = new Uint8Array(32).fill(hash)
      bytes[31] = lastByte
      return made.bench.match.handleMessage(
        session,
        { name: 'ClientState', body: { tick, hash: bytes } },
        made.bench.nowMs,
      )
    }
    made.bench.runTo(4_000)
    return { ...made, tell }
  }

  test('HSH-07 is compared in all its bits, though the hashes of the ticks agree', () => {
    const { bench, tell, rest, heard } = makeStates(3)
    for (const seat of [0, 1, 2]) tell(seat, 30, 7)
    for (const seat of [0, 1]) tell(seat, 60, 8)
    tell(2, 60, 8, 1)
    rest()
    bench.runTo(bench.nowMs + settleMs)
    const told = { tick: 60, agreedTick: 30, groups: [[0, 1], [2]] }
    expect(bench.told('hash-mismatch')).toEqual([{ ...mismatch, ...told, ...culprits(2) }])
    expect(heard(0)).toEqual([{ ...told, culprits: [2], isSpectator: false }])
  })

  test('HSH-17 of ticks 0 and 1 is compared', () => {
    const { bench, tell, rest } = makeStates(2)
    for (const seat of [0, 1]) tell(seat, 0, 7)
    for (const seat of [0, 1]) tell(seat, 1, seat)
    rest()
    bench.runTo(bench.nowMs + settleMs)
    expect(bench.told('hash-mismatch')).toMatchObject([{ tick: 1, agreedTick: 0 }])
  })

  test('is told without those who keep silent when their time is over', () => {
    const { bench, tell, rest } = makeStates(3)
    for (const seat of [0, 1]) tell(seat, 60, seat)
    rest()
    expect(bench.told('hash-mismatch')).toEqual([])
    bench.runTo(bench.nowMs + settleMs)
    expect(bench.told('hash-mismatch')).toMatchObject([{ groups: [[0], [1]], verdict: undecided }])
  })

  test('that differs is no second news where the hashes of ticks told it', () => {
    const { bench, say, tell, rest } = makeStates(3)
    for (const seat of [0, 1, 2]) say(seat, 50, seat >> 1)
    for (const seat of [0, 1, 2]) tell(seat, 60, seat >> 1)
    rest()
    bench.runTo(bench.nowMs + 2 * tellEveryMs)
    expect(bench.told('hash-mismatch')).toMatchObject([{ tick: 50, groups: [[0, 1], [2]] }])
  })

  test('waits without wake-ups while a difference of ticks is not settled', () => {
    const { bench, say, tell, rest } = makeStates(3, slow)
    const tick = bench.match.log.sealedTick
    for (const seat of [0, 1]) say(seat, tick, seat)
    for (const seat of [0, 1]) tell(seat, 0, seat)
    // Step by step: a wake-up in the past would keep the bench from getting further.
    for (let ms = 0; ms < 2 * settleMs; ms += 10) {
      bench.nowMs += 10
      rest()
    }
    expect(bench.told('hash-mismatch')).toEqual([])
    expect(bench.match.wakeAtMs()).toBeGreaterThan(bench.nowMs)
  })

  test('T-49 that is told twice, and differs, is a strike', () => {
    const { tell } = makeStates(2)
    for (let strike = 1; strike < strikesMax; strike++) {
      expect(tell(0, 60, strike)).toBeUndefined()
    }
    tell(0, 60, 99)
    expect(tell(0, 60, 100)).toMatchObject({ reason: 'bad-message' })
  })

  test('of a tick that was not sent, or of no tick that counts, is nothing', () => {
    const { bench, tell, rest } = makeStates(2)
    for (const seat of [0, 1]) tell(seat, 3_000, seat)
    for (const seat of [0, 1]) tell(seat, 59, seat)
    rest()
    bench.runTo(bench.nowMs + 2 * settleMs)
    expect(bench.told('hash-mismatch')).toEqual([])
  })

  test('is void when somebody else sits there', () => {
    const { bench, everybody, tell, rest } = makeStates(3)
    tell(0, 60, 1)
    tell(1, 60, 2)
    bench.match.remove(everybody[1]!.session, 'left', bench.nowMs)
    tell(2, 60, 1)
    rest()
    bench.runTo(bench.nowMs + 2 * settleMs)
    expect(bench.told('hash-mismatch')).toEqual([])
  })
})
