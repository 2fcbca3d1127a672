import { afterEach, describe, expect, test, vi } from 'vitest'
import { LinkTable } from '../relay/links/link-table.ts'
import { Match } from '../relay/match/match.ts'
import { engineVersion } from '../sim/game/copies/version.ts'
import { makeMemoryPair } from '../transport/memory.ts'
import { Recorder, until } from '../transport/testing/recorder.ts'
import { encodeMessage, helloMagic, protocols } from '../wire/messages/messages.ts'
import { makeLineLog } from './logs/logging.ts'
import { matchRulesOf } from './match-rules.ts'
import { RelayCore } from './relay-core.ts'
import { TestPlayer } from './testing/player.ts'
import { guardTimers } from './workers/guarded-timing.ts'

const cores: RelayCore[] = []
const players: TestPlayer[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  for (const player of players.splice(0)) player.stop()
  for (const core of cores.splice(0)) await core.stop()
})

function makeCore() {
  const lines: Record<string, unknown>[] = []
  const log = makeLineLog('debug', (line) => lines.push(JSON.parse(line)))
  const core = new RelayCore({
    log,
    ...matchRulesOf({ matchesMax: 10, matchesPerAddress: 10 }),
    mayCreate: () => true,
    addressOf: (remote) => remote,
  })
  cores.push(core)
  return { core, lines }
}

function join(core: RelayCore, match: string, seats = 1, build = ''): TestPlayer {
  const player = new TestPlayer('ws://unused', {
    match,
    seats,
    build,
    dial: async () => {
      const [mine, theirs] = makeMemoryPair()
      core.accept(theirs)
      return mine
    },
  })
  players.push(player)
  return player
}

describe('an error of the relay itself', () => {
  test('in serving one match ends that match, and no other', async () => {
    const { core, lines } = makeCore()
    const [bad, good] = [join(core, 'bad'), join(core, 'good')]
    await until(() => bad.ticks > 3 && good.ticks > 3, 'ticks')
    const real = Match.prototype.handleTime
    vi.spyOn(Match.prototype, 'handleTime').mockImplementation(function (this: Match, nowMs) {
      if (this.name === 'bad') throw new Error('planted')
      real.call(this, nowMs)
    })
    await until(() => bad.closed !== undefined, 'the end of the bad match')
    const ticks = good.ticks
    await until(() => good.ticks > ticks + 10, 'ticks of the good match')
    expect(good.closed).toBeUndefined()
    expect(core.numbers.faults).toBeGreaterThan(0)
    const told = lines.find(({ msg }) => msg === 'an error of the relay itself')
    expect(told).toMatchObject({ level: 50, err: { message: 'planted' } })
    expect(lines.map(({ msg }) => msg)).toContain('the match failed and was ended')
  })

  test('in taking a packet ends that connection, and is told with where it came from', async () => {
    const { core, lines } = makeCore()
    const [bad, good] = [join(core, 'bad'), join(core, 'good')]
    await until(() => bad.ticks > 3 && good.ticks > 3, 'ticks')
    const real = LinkTable.prototype.letWait
    vi.spyOn(LinkTable.prototype, 'letWait').mockImplementation(function (
      this: LinkTable,
      ...given
    ) {
      const { state } = given[0]
      if (state.name === 'seated' && state.match.name === 'bad') throw new Error('planted')
      return real.apply(this, given)
    })
    await until(() => bad.ends.length > 0, 'the end of the connection')
    expect(bad.ends[0]?.code).toBe(4001)
    const ticks = good.ticks
    await until(() => good.ticks > ticks + 10, 'ticks of the good match')
    const told = lines.find(({ msg }) => msg === 'an error of the relay itself')
    expect(told).toMatchObject({ err: { message: 'planted' }, remote: expect.any(String) })
  })

  test('of a transport in sending ends that connection, and no other', async () => {
    const { core, lines } = makeCore()
    const good = join(core, 'good')
    const [mine, theirs] = makeMemoryPair()
    const far = new Recorder(mine)
    vi.spyOn(theirs, 'send').mockImplementation(() => {
      throw new Error('planted')
    })
    core.accept(theirs)
    const hello = { magic: helloMagic, protocols: [...protocols], gameId: 'g', gameVersion: 1 }
    far.send(encodeMessage('ClientHello', { ...hello, fingerprint: new Uint8Array(32) }))
    await until(() => far.ends.length > 0, 'the end of the connection')
    expect(far.ends[0]?.code).toBe(4001)
    const ticks = good.ticks
    await until(() => good.ticks > ticks + 10, 'ticks of the good match')
    const told = lines.find(({ msg }) => msg === 'an error of the relay itself')
    expect(told).toMatchObject({ err: { message: 'planted' }, remote: expect.any(String) })
  })

  test('that comes in floods is counted, but written out only now and then', async () => {
    const { core, lines } = makeCore()
    for (let at = 0; at < 1_000; at++) core.faults.note(new Error('planted'))
    expect(core.numbers.faults).toBe(1_000)
    // At most two seconds' worth, should a second end in between.
    expect(lines.length).toBeLessThanOrEqual(10)
    expect(lines.length).toBeGreaterThan(0)
  })
})

test('a timer that throws is told, and others run', () => {
  const callbacks: (() => void)[] = []
  const faults: string[] = []
  const timing = {
    nowMs: () => 0,
    schedule(callback: () => void, _delayMs: number) {
      callbacks.push(callback)
      return () => {}
    },
  }
  const guarded = guardTimers(timing, (error) => faults.push((error as Error).message))
  guarded.schedule(() => {
    throw new Error('planted')
  }, 0)
  guarded.schedule(() => faults.push('the other'), 0)
  for (const callback of callbacks) callback()
  expect(faults).toEqual(['planted', 'the other'])
})

test('the log says what players run on when they join, and of each seat when machines disagree', async () => {
  const { core, lines } = makeCore()
  const [ada, bob] = [join(core, 'a', 2, '1.4.2'), join(core, 'a', 2, '1.4.3')]
  await until(() => ada.ticks > 3 && bob.ticks > 3, 'ticks')
  const joins = lines.filter(({ msg }) => msg === 'player joined')
  expect(joins).toMatchObject([
    { match: 'a', member: 0, seat: 0, library: engineVersion, build: '1.4.2' },
    { match: 'a', member: 1, seat: 1, library: engineVersion, build: '1.4.3' },
  ])
  expect(core.summaries()[0]?.players[1]?.software).toMatchObject({ build: '1.4.3' })
  bob.spoil()
  await until(() => lines.some(({ msg }) => msg === 'machines disagree'), 'the desync')
  expect(lines.find(({ msg }) => msg === 'machines disagree')).toMatchObject({
    software: { 0: `1.4.2; ${engineVersion}`, 1: `1.4.3; ${engineVersion}` },
  })
})

test('the log says what somebody was told who is sent away', async () => {
  const { core, lines } = makeCore()
  const [ada, bob] = [join(core, 'a', 2), join(core, 'a', 2)]
  await until(() => ada.ticks > 3 && bob.ticks > 3, 'ticks')
  core.kick('a', 1)
  await until(() => lines.some(({ msg }) => msg === 'player left'), 'the end')
  const told = 'You were removed from the match'
  expect(lines.find(({ msg }) => msg === 'player left')).toMatchObject({ seat: 1, told })
})
