/** What strangers who get in can do to a relay and to others, over real sockets. */
import { afterEach, describe, expect, test } from 'vitest'
import { pauseMs, Recorder, until } from '../transport/testing/recorder.ts'
import { dialUdp } from '../transport/udp/index.ts'
import { dialWebSocket } from '../transport/websocket-client.ts'
import { closeCodes } from '../wire/codes.ts'
import { lobbyDefaults, makeMatchConfig } from '../wire/messages/match-config.ts'
import { makeLineLog } from './logs/logging.ts'
import type { RelayServer, RelayServerOptions } from './relay-server.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'
import { newMatchName, RawPlayer } from './testing/raw-player.ts'

const endings: (() => void | Promise<void>)[] = []

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function start(options: RelayServerOptions = {}): Promise<RelayServer> {
  const relay = await startRelay({ port: 0, webrtc: false, udp: false, log: false, ...options })
  endings.push(() => relay.close())
  return relay
}

async function join(relay: RelayServer, ...args: JoinArguments): Promise<RawPlayer> {
  const player = await RawPlayer.join(relay.url, ...args)
  endings.push(() => player.close())
  return player
}

type JoinArguments = Parameters<typeof RawPlayer.join> extends [string, ...infer Rest] ? Rest : []

describe('matches', () => {
  test('one address makes as many as it may, and more again when some are over', async () => {
    const relay = await start({ matchesPerAddress: 2 })
    const [first] = [
      await join(relay, { match: newMatchName() }),
      await join(relay, { match: newMatchName() }),
    ]
    const third = await join(relay, { match: newMatchName() })
    expect(third.body('RelayRefuse')).toMatchObject({
      reason: 'match-full',
      item: 'matches of your address',
    })
    first.say('ClientLeave', { reason: '' })
    await until(async () => (await relay.status()).matches < 2, 'a match that is over')
    const fourth = await join(relay, { match: newMatchName() })
    expect(fourth.body('RelaySeated')).toBeDefined()
  })

  test('one that everybody hung up on seals nothing until somebody is back', async () => {
    const relay = await start()
    const match = newMatchName()
    const player = await join(relay, { match })
    await until(() => player.tickPackets > 5, 'ticks')
    player.close()
    await until(async () => (await relay.status()).links === 0, 'a link that is gone')
    const tick = (await relay.matches())[0]!.tick
    await pauseMs(300)
    expect((await relay.matches())[0]).toMatchObject({ phase: 'running', tick })
    const { ticket } = player.body('RelaySeated')!
    const again = await join(relay, { match, ticket, nextTick: 1 })
    await until(() => again.tickPackets > 5, 'ticks again')
    expect((await relay.matches())[0]!.tick).toBeGreaterThan(tick)
  })
})

test('connections of one address count together, whatever their transport', async () => {
  const relay = await start({ udp: { port: 0 }, connectionsPerAddress: 2 })
  await join(relay, { match: newMatchName() })
  const byUdp = () => dialUdp(relay.urls.udp!)()
  const first = new Recorder(await byUdp())
  const second = new Recorder(await byUdp())
  await until(() => second.ends.length > 0, 'the end of one too many')
  expect(second.ends[0]?.code).toBe(closeCodes.rate)
  expect(first.ends).toEqual([])
  first.close(1000, '')
  await until(async () => (await relay.status()).links === 1, 'a place that is free')
  const third = new Recorder(await byUdp())
  await pauseMs(100)
  expect(third.ends).toEqual([])
  third.close(1000, '')
})

describe('texts', () => {
  test.each([
    ['a title for the terminal', '\u001b]0;pwned\u0007'],
    ['a colour in C1', '\u009b31mRED'],
    ['a turned direction', 'fri\u202eyad'],
  ])('no match is made whose name has %s', async (_what, match) => {
    const relay = await start()
    const player = await join(relay, { match })
    expect(player.body('RelayRefuse')).toMatchObject({ item: 'match name' })
    expect((await relay.status()).matches).toBe(0)
  })

  test('no game has an id that others could not read', async () => {
    const relay = await start()
    const player = await join(relay, { match: newMatchName() }, { gameId: '\u001b]0;x\u0007' })
    expect(player.body('RelayRefuse')).toMatchObject({ item: 'game id' })
  })
})

describe('floods of who is in', () => {
  test('signs of life without end are closed with 4002, and the others play on', async () => {
    const relay = await start()
    const honest = new TestPlayer(relay.url, { match: 'honest' })
    endings.push(() => honest.stop())
    const player = await join(relay, { match: newMatchName() })
    for (let count = 0; count < 5_000; count++) player.say('ClientHere', { activity: 'active' })
    await until(() => player.end !== undefined, 'the end of a flood')
    expect(player.end?.code).toBe(closeCodes.rate)
    await until(() => honest.ticks > 5, 'ticks of the honest one')
    expect(honest.ends).toEqual([])
  })

  test('bots move at most once per second, however often their runners hide', async () => {
    const relay = await start()
    const match = newMatchName()
    const config = makeMatchConfig({
      seats: 8,
      tickRate: 30,
      lobby: { ...lobbyDefaults, start: 'by-owner' },
    })
    const owner = await join(relay, { match, config })
    const other = await join(relay, { match, config, name: 'Other' })
    for (let seat = 2; seat < 8; seat++) owner.act({ type: 'add-bot', seat })
    await until(() => countMoves(other) === 6, 'bots')
    const fromMs = performance.now()
    for (let flip = 0; flip < 40; flip++) {
      const [hides, shows] = flip % 2 === 0 ? [owner, other] : [other, owner]
      hides.say('ClientHere', { activity: 'hidden' })
      shows.say('ClientHere', { activity: 'active' })
      await pauseMs(10)
    }
    await pauseMs(100)
    // All six together, once at the beginning and once per second after it.
    const rounds = 2 + Math.floor((performance.now() - fromMs) / 1_000)
    expect(countMoves(other) - 6).toBeLessThanOrEqual(6 * rounds)
  })
})

describe('what one member makes the relay send to all', () => {
  const lobby = { ...lobbyDefaults, start: 'by-owner' as const }
  const config = makeMatchConfig({ seats: 4, tickRate: 30, lobby })

  test('the lobby is shown ten times per second at most, however often it changes', async () => {
    const relay = await start()
    const match = newMatchName()
    const owner = await join(relay, { match, config })
    const watcher = await join(relay, { match, config, role: 'spectator' })
    const fromMs = performance.now()
    for (let team = 0; team < 100; team++) {
      owner.act({ type: 'choose-team', team: team % 4 })
      await pauseMs(5)
    }
    await pauseMs(200)
    const shown = watcher.messages.filter(({ name }) => name === 'RelayRoom').length
    expect(shown).toBeGreaterThan(1)
    expect(shown).toBeLessThanOrEqual(3 + (performance.now() - fromMs) / 100)
  })

  test('chat is five lines at once and one per second; more is denied', async () => {
    const relay = await start()
    const match = newMatchName()
    const talker = await join(relay, { match, config })
    const listener = await join(relay, { match, config, name: 'Other' })
    const fromMs = performance.now()
    for (let line = 0; line < 12; line++) talker.act({ type: 'say', scope: 'all', text: `${line}` })
    await until(() => talker.body('RelayDenied')?.reason === 'rate', 'a line that is denied')
    const heard = listener.messages.filter(({ name }) => name === 'RelaySaid').length
    expect(heard).toBeLessThanOrEqual(6 + (performance.now() - fromMs) / 1_000)
  })

  test('an owner who only watches has as many pauses as a player, and no more', async () => {
    const relay = await start()
    const match = newMatchName()
    const running = makeMatchConfig({ seats: 2, tickRate: 30 })
    const [ada, eve] = [
      await join(relay, { match, config: running }),
      await join(relay, { match, config: running, role: 'spectator' }),
    ]
    await join(relay, { match, config: running, name: 'Bob' })
    await until(() => ada.tickPackets > 3, 'ticks')
    ada.act({ type: 'give-ownership', member: eve.body('RelaySeated')!.member })
    for (let pause = 0; pause < 4; pause++) {
      eve.act({ type: 'pause' })
      eve.act({ type: 'resume' })
    }
    await until(() => eve.body('RelayDenied')?.reason === 'already', 'the last answer')
    const denied = eve.messages.flatMap((message) =>
      message.name === 'RelayDenied' ? [message.body.reason] : [],
    )
    expect(denied).toEqual(['no-pause-left', 'already'])
  })
})

test('log lines that strangers cause are 500 at once and 50 per second', async () => {
  const lines: { readonly msg: string }[] = []
  const log = makeLineLog('info', (line) => lines.push(JSON.parse(line)))
  const relay = await start({ log, matchesPerMinute: 10_000, strangersPerAddress: 1_000 })
  const fromMs = performance.now()
  // Each visit causes six lines: somebody joins, a match is made, starts, is left and ends.
  for (let visit = 0; visit < 160; visit++) {
    const player = await join(relay, { match: newMatchName() })
    player.say('ClientLeave', { reason: '' })
    await until(() => player.end !== undefined, 'the end')
  }
  const about = lines.filter(({ msg }) => /^(match|player) /.test(msg))
  expect(about.length).toBeLessThanOrEqual(505 + (performance.now() - fromMs) / 20)
})

test.each([
  ['a goodbye without a code', [0x3f]],
  ['a goodbye with more than a code', [0x3f, 1, 2, 3]],
  ['bulk without content', [0x3e]],
])('%s over a WebSocket ends the link with 4001', async (_what, bytes) => {
  const relay = await start()
  const connection = await dialWebSocket(relay.url)()
  const recorder = new Recorder(connection)
  connection.send(Uint8Array.from(bytes))
  await until(() => recorder.ends.length > 0, 'the end')
  expect(recorder.ends[0]?.code).toBe(closeCodes['bad-message'])
})

function countMoves(player: RawPlayer): number {
  return player.messages.reduce(
    (sum, message) => sum + (message.name === 'RelayBots' ? message.body.bots.length : 0),
    0,
  )
}
