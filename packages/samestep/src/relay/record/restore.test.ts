import { describe, expect, test } from 'vitest'
import { relaySeat, spectatorSeat } from '../../sim/game/run/bundle.ts'
import { closeCodes } from '../../wire/codes.ts'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import { orderOf, testConfig } from '../testing/match-kit.ts'
import { RelayWorld } from '../testing/relay-world.ts'
import type { JoinOptions, ScriptedClient } from '../testing/scripted-client.ts'

function ticketOf(client: ScriptedClient): Uint8Array {
  return client.body('RelaySeated')?.ticket as Uint8Array
}

function start(options: JoinOptions = {}) {
  const world = new RelayWorld({ isRecorded: true })
  const [ada, bob] = [world.join(options), world.join({ ...options, name: 'bob' })]
  ada.isConfirming = true
  bob.isConfirming = true
  return { world, ada, bob }
}

/** Comes back with the ticket of a client of before. */
function comeBack(world: RelayWorld, client: ScriptedClient, options: JoinOptions = {}) {
  const nextTick = client.receivedTick + 1
  const back = world.join({ ...options, ticket: ticketOf(client), nextTick })
  back.receivedTick = client.receivedTick
  back.isConfirming = true
  return back
}

const sealedBytes = (world: RelayWorld) =>
  world.events.flatMap((event) => (event.type === 'sealed' ? [event.bundle] : []))

describe('[F-16] after a crash', () => {
  test('members come back to their seats, and ticks go on behind the last one', () => {
    const { world, ada, bob } = start()
    world.run(1_000)
    world.crash()
    world.run(2_000)
    const match = world.relay.matches.get('friday')!
    expect(match.log.sealedTick).toBe(ada.receivedTick)
    const [ada2, bob2] = [comeBack(world, ada), comeBack(world, bob)]
    expect(ada2.body('RelaySeated')).toMatchObject({ seat: 0, member: 0, isLaunched: true })
    expect(bob2.body('RelaySeated')).toMatchObject({ seat: 1, member: 1 })
    world.run(1_000)
    expect(ada2.receivedTick).toBeGreaterThan(ada.receivedTick + 15)
    expect(bob2.receivedTick).toBe(ada2.receivedTick)
    expect([ada2.closedWith, bob2.closedWith]).toEqual([undefined, undefined])
    expect(world.events.some(({ type }) => type === 'left')).toBe(false)
  })

  test('[I-02] whoever lacked ticks gets the same as everybody else', () => {
    const { world, bob } = start()
    world.run(500)
    bob.isDeaf = true
    world.run(500)
    const before = sealedBytes(world)
    world.crash()
    const back = comeBack(world, bob)
    world.run(60)
    const missed = before.slice(bob.receivedTick)
    const got = back.bundles.flatMap(({ bundles }) => bundles)
    expect(missed.length).toBeGreaterThan(5)
    expect(got.slice(0, missed.length)).toEqual(missed)
  })

  test('[I-04] an order that was sealed is not taken again', () => {
    const { world, ada } = start()
    world.run(500)
    ada.issue(orderOf(1), orderOf(2))
    world.run(100)
    world.crash()
    const back = comeBack(world, ada)
    expect(back.body('RelaySeated')?.orderNumber).toBe(2)
    back.turn({ received: back.receivedTick, orders: [orderOf(1), orderOf(2), orderOf(3)] })
    world.run(200)
    expect(world.sealed().flatMap(({ orders }) => orders)).toHaveLength(3)
  })

  test('[I-04] an order that was answered and waits for room is sealed by the next relay', () => {
    const orderKinds = [
      { by: 'player', maxBytes: 1_024, whenPaused: true, maxPerTick: 1, classIndex: 0 },
    ] as const
    const config = {
      ...testConfig,
      orderKinds: [...orderKinds],
      orderClasses: [{ perSecond: 0, burst: 0 }],
    }
    const { world, ada } = start({ config })
    world.run(500)
    ada.issue(orderOf(1), orderOf(2), orderOf(3))
    world.run(60)
    expect(world.sealed(config).flatMap(({ orders }) => orders)).toHaveLength(1)
    world.crash()
    const back = comeBack(world, ada, { config })
    expect(back.body('RelaySeated')?.orderNumber).toBe(3)
    world.run(500)
    expect(world.sealed(config).flatMap(({ orders }) => orders)).toHaveLength(3)
  })

  test('an order that nobody was told of is asked for again', () => {
    const { world, ada } = start()
    world.run(500)
    ada.issue(orderOf(1))
    world.crash()
    expect(comeBack(world, ada).body('RelaySeated')?.orderNumber).toBe(0)
  })

  test('a pause holds on, and so do speed, mutes, owner and locked seats', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const { world, ada, bob } = start({ config })
    ada.act({ type: 'lock-seat', seat: 2, isLocked: true })
    world.run(500)
    ada.act({ type: 'set-speed', percent: 50 })
    ada.act({ type: 'mute', member: 1, isMuted: true })
    ada.act({ type: 'give-ownership', member: 1 })
    ada.act({ type: 'pause' })
    world.run(200)
    world.crash()
    const match = world.relay.matches.get('friday')!
    expect(match.room.pace).toMatchObject({ isPaused: true, effectivePercent: 50 })
    expect(match.room.pace.pausesLeft(0)).toBe(2)
    expect(match.members.owner?.id).toBe(1)
    expect(match.members.get(1)?.speech.isMuted(world.nowMs)).toBe(true)
    expect(match.members.lockedSeats()).toEqual([2])
    const [ada2] = [comeBack(world, ada, { config }), comeBack(world, bob, { config })]
    ada2.act({ type: 'resume' })
    world.run(1_000)
    expect(match.room.pace.isPaused).toBe(false)
    expect(ada2.receivedTick - ada.receivedTick).toBeLessThan(20)
  })

  test('ORD-10 orders that wait for the end of a pause still wait after a crash', () => {
    const kind = {
      by: 'player',
      maxBytes: 1_024,
      whenPaused: false,
      maxPerTick: 9,
      classIndex: 0,
    } as const
    const orderKinds = [kind, { ...kind, whenPaused: true }]
    const orderClasses = [{ perSecond: 0, burst: 0 }]
    const config = makeMatchConfig({ ...testConfig, orderKinds, orderClasses })
    const { world, ada, bob } = start({ config })
    const sealed = () =>
      world.sealed(config).flatMap(({ orders }) => orders.map(({ bytes }) => bytes[0]))
    ada.act({ type: 'pause' })
    world.run(200)
    ada.issue(Uint8Array.of(2))
    ada.issue(Uint8Array.of(3))
    world.run(200)
    expect(sealed()).toEqual([3])
    world.crash()
    const [ada2] = [comeBack(world, ada, { config }), comeBack(world, bob, { config })]
    world.run(500)
    expect([sealed(), ada2.body('RelaySeated')?.orderNumber]).toEqual([[3], 2])
    ada2.act({ type: 'resume' })
    world.run(200)
    expect(sealed()).toEqual([3, 2])
  })

  test('ORD-08 orders of a spectator and of the relay still wait after a crash, once each', () => {
    const kind = { maxBytes: 1_024, whenPaused: false, maxPerTick: 9, classIndex: 0 } as const
    const orderKinds = (['player', 'everybody', 'relay'] as const).map((by) => ({ ...kind, by }))
    const orderClasses = [{ perSecond: 0, burst: 0 }]
    const config = makeMatchConfig({ ...testConfig, orderKinds, orderClasses })
    const { world, ada, bob } = start({ config })
    const eve = world.join({ config, name: 'eve', role: 'spectator' })
    eve.isConfirming = true
    ada.act({ type: 'pause' })
    world.run(200)
    eve.issue(Uint8Array.of(1))
    expect(world.act((relay, nowMs) => relay.order('friday', Uint8Array.of(2), nowMs))).toBe(true)
    world.run(200)
    world.crash()
    const [ada2] = [ada, bob].map((client) => comeBack(world, client, { config }))
    const eve2 = comeBack(world, eve, { config, role: 'spectator' })
    expect(eve2.body('RelaySeated')?.orderNumber).toBe(1)
    ada2?.act({ type: 'resume' })
    world.run(200)
    const sealed = world.sealed(config).flatMap(({ orders }) => orders)
    expect(sealed.map(({ seat, number }) => [seat, number]).sort()).toEqual(
      [
        [relaySeat, 0],
        [spectatorSeat(eve2.body('RelaySeated')?.member as number), 0],
      ].sort(),
    )
  })

  test('ORD-18 a bot holds on to what it held before a crash, until its runner says otherwise', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const world = new RelayWorld({ isRecorded: true })
    const [ada, bob] = [world.join({ config }), world.join({ config, name: 'bob' })]
    ada.isConfirming = true
    bob.isConfirming = true
    ada.act({ type: 'add-bot', seat: 2 })
    world.run(300)
    const turnOf = (client: ScriptedClient) => {
      const bot = client.body('RelayBots')?.bots.find(({ seat }) => seat === 2)
      return bot?.turn as number
    }
    ada.say('ClientBotInput', { seat: 2, turn: turnOf(ada), slots: [7, 1, 9] })
    world.run(200)
    const hands = () => world.sealed(config).at(-1)?.inputs[2]
    expect(hands()).toEqual([7, 1, 5])
    world.crash()
    const [ada2] = [comeBack(world, ada, { config }), comeBack(world, bob, { config })]
    world.run(2_000)
    expect(hands()).toEqual([7, 1, 5])
    ada2.say('ClientBotInput', { seat: 2, turn: turnOf(ada2), slots: [8, 0, 5] })
    world.run(200)
    expect(hands()).toEqual([8, 0, 5])
  })

  test('[I-19] somebody whose coming was not sealed yet is sealed as joining', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const { world, ada } = start({ config })
    ada.act({ type: 'start' })
    world.run(500)
    const carl = world.join({ config, name: 'carl' })
    expect(world.sealedEvents(config).filter(({ type }) => type === 'join')).toHaveLength(2)
    world.crash()
    expect(comeBack(world, carl, { config }).body('RelaySeated')?.seat).toBe(2)
    world.run(100)
    expect(world.sealedEvents(config)).toContainEqual(
      expect.objectContaining({ type: 'join', seat: 2 }),
    )
  })

  test('a match that was loading goes on loading', () => {
    const lobby = { ...testConfig.lobby, start: 'by-owner', countdownMs: 0 } as const
    const config = makeMatchConfig({ ...testConfig, lobby })
    const { world, ada, bob } = start({ config })
    ada.act({ type: 'start' })
    ada.act({ type: 'report-load', progress: 100 })
    bob.act({ type: 'report-load', progress: 40 })
    world.crash()
    expect(world.relay.matches.get('friday')?.phase).toBe('loading')
    const [ada2, bob2] = [comeBack(world, ada, { config }), comeBack(world, bob, { config })]
    expect(ada2.body('RelaySeated')).toMatchObject({ isLaunched: true, seat: 0 })
    bob2.act({ type: 'report-load', progress: 100 })
    world.run(500)
    expect(ada2.receivedTick).toBeGreaterThan(5)
  })

  test('a lobby is as it was: options, seats, teams and who is ready', () => {
    const config = makeMatchConfig({
      ...testConfig,
      seats: 4,
      lobby: { ...testConfig.lobby, start: 'by-owner' },
    })
    const { world, ada, bob } = start({ config })
    bob.act({ type: 'take-seat', seat: 3 })
    bob.act({ type: 'choose-team', team: 2 })
    ada.act({ type: 'set-options', options: Uint8Array.of(4, 5) })
    ada.act({ type: 'set-ready', isReady: true, optionsRevision: 1 })
    const before = world.relay.matches.get('friday')!.room.lobby.view(world.nowMs)
    world.crash()
    const after = world.relay.matches.get('friday')!.room.lobby.view(world.nowMs)
    const seen = ({ members, ...rest }: typeof before) => ({
      ...rest,
      revision: 0,
      members: members.map(({ presence: _, ...member }) => member),
    })
    expect(seen(after)).toEqual(seen(before))
  })

  test('a seat that was handed over is still that of who took it, and the claim is kept', () => {
    const { world, ada, bob } = start()
    const eve = world.join({ role: 'spectator' })
    world.run(500)
    const [seat, member] = [1, eve.body('RelaySeated')?.member as number]
    bob.act({ type: 'hand-over', seat, member })
    world.run(500)
    const who = () => {
      const { members } = world.relay.matches.get('friday')!.room.lobby.view(world.nowMs)
      return members.map(({ role, seat, claim }) => [role, seat, claim])
    }
    const before = who()
    expect(before).toEqual([
      ['player', 0, undefined],
      ['spectator', undefined, 1],
      ['player', 1, undefined],
    ])
    world.crash()
    expect(who()).toEqual(before)
    const [ada2, bob2] = [comeBack(world, ada), comeBack(world, bob)]
    bob2.act({ type: 'reclaim-seat' })
    world.run(500)
    expect(who()[1]).toEqual(['player', 1, undefined])
    expect(ada2.receivedTick).toBeGreaterThan(ada.receivedTick)
  })

  test('[T-57] who was removed stays out, whichever relay is asked', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const ticket = new Uint8Array(16).fill(7)
    const { world, ada, bob } = start({ config })
    const eve = world.join({ config, name: 'eve', ticket })
    world.run(500)
    world.act((relay, nowMs) => relay.kick('friday', 2, nowMs))
    expect(eve.closedWith).toBe(closeCodes.kicked)
    for (let round = 0; round < 3; round++) {
      world.run(200)
      // The second time from a file that was begun after the kick.
      if (round === 1) world.turnFile()
      world.run(100)
      world.crash(world.files.slice(-1))
      for (const client of [ada, bob]) comeBack(world, client, { config })
      expect(world.join({ config, ticket }).body('RelayRefuse')?.reason).toBe('reconnect-budget')
    }
    expect(world.join({ config, name: 'carl' }).body('RelaySeated')?.seat).toBe(2)
  })

  test('[T-57] who was removed by identity stays out with another ticket', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const world = new RelayWorld({ isRecorded: true, isAuthorizing: true })
    const come = (identity: string) => {
      const client = world.join({ config, name: identity })
      world.answer(client, { identity })
      client.isConfirming = true
      return client
    }
    const [ada, bob] = [come('ada'), come('bob')]
    come('eve')
    world.run(500)
    world.crash()
    // Whoever it is, it is still known: it goes on with its own seat, and can be removed by its name.
    expect(come('bob').body('RelaySeated')?.seat).toBe(1)
    world.act((relay, nowMs) => relay.kick('friday', 2, nowMs))
    world.run(100)
    world.crash()
    expect(come('eve').body('RelayRefuse')?.reason).toBe('reconnect-budget')
    expect([ada, bob].map((client) => client.body('RelaySeated')?.seat)).toEqual([0, 1])
  })

  test('[T-55] a vote goes on: ballots count, nobody votes twice, its time is what was left', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 5 })
    const world = new RelayWorld({ isRecorded: true })
    const names = ['ada', 'bob', 'carl', 'dora', 'eve']
    const all = names.map((name) => world.join({ config, name }))
    for (const client of all) client.isConfirming = true
    world.run(500)
    all[0]?.act({ type: 'propose', vote: 'kick', target: 4, percent: 0 })
    all[1]?.act({ type: 'cast', id: 1, isYes: true })
    world.run(10_000)
    world.crash()
    const [ada, bob, carl] = all.map((client) => comeBack(world, client, { config }))
    const vote = carl?.last('RelayVote')
    expect(vote).toMatchObject({ id: 1, yes: 2, no: 1, electors: 5, needed: 3, state: 'open' })
    expect(vote?.remainingMs).toBeGreaterThan(19_000)
    expect(vote?.remainingMs).toBeLessThan(21_000)
    bob?.act({ type: 'cast', id: 1, isYes: true })
    expect(bob?.last('RelayDenied')).toMatchObject({ reason: 'already-voted' })
    carl?.act({ type: 'cast', id: 1, isYes: true })
    expect(ada?.last('RelayVote')).toMatchObject({ id: 1, state: 'passed' })
    expect(world.relay.matches.get('friday')?.members.seats[4]).toBeUndefined()
    // What was used up stays used up (T-56).
    ada?.act({ type: 'propose', vote: 'mute', target: 3, percent: 0 })
    expect(ada?.last('RelayDenied')).toMatchObject({ reason: 'too-soon' })
  })

  test('[T-57] who was silenced by a vote still is, also after leaving and coming again', () => {
    const config = makeMatchConfig({ ...testConfig, seats: 3 })
    const ticket = new Uint8Array(16).fill(7)
    const world = new RelayWorld({ isRecorded: true })
    const [ada, bob] = ['ada', 'bob'].map((name) => world.join({ config, name }))
    const eve = world.join({ config, name: 'eve', ticket })
    for (const client of [ada, bob, eve]) client!.isConfirming = true
    world.run(500)
    ada?.act({ type: 'propose', vote: 'mute', target: 2, percent: 0 })
    bob?.act({ type: 'cast', id: 1, isYes: true })
    world.run(60_000)
    world.crash()
    const eve2 = comeBack(world, eve, { config })
    comeBack(world, ada!, { config })
    const say = (client: ScriptedClient) => client.act({ type: 'say', scope: 'all', text: 'psst' })
    say(eve2)
    expect(eve2.last('RelayDenied')).toMatchObject({ reason: 'muted' })
    eve2.say('ClientLeave', { reason: '' })
    world.run(200)
    world.crash()
    const eve3 = world.join({ config, name: 'eve', ticket })
    eve3.isConfirming = true
    say(eve3)
    expect(eve3.last('RelayDenied')).toMatchObject({ reason: 'muted' })
    // Ten minutes in all, of which a minute had passed before.
    world.run(545_000)
    say(eve3)
    expect(eve3.messages.filter(({ name }) => name === 'RelayDenied')).toHaveLength(1)
  })

  test('strikes of before count, as long as they would have', () => {
    const strike = (client: ScriptedClient) =>
      client.act({ type: 'say', scope: 'all', text: '\u0007' })
    const { world, ada, bob } = start()
    world.run(500)
    for (let count = 0; count < 3; count++) strike(bob)
    world.run(5_000)
    world.crash()
    const bob2 = comeBack(world, bob)
    comeBack(world, ada)
    strike(bob2)
    expect(bob2.closedWith).toBeUndefined()
    strike(bob2)
    expect(bob2.closedWith).toBe(closeCodes['bad-message'])
  })

  test('strikes of long ago do not', () => {
    const strike = (client: ScriptedClient) =>
      client.act({ type: 'say', scope: 'all', text: '\u0007' })
    const { world, ada, bob } = start()
    world.run(500)
    for (let count = 0; count < 4; count++) strike(bob)
    world.run(61_000)
    world.crash()
    const bob2 = comeBack(world, bob)
    comeBack(world, ada)
    strike(bob2)
    expect(bob2.closedWith).toBeUndefined()
  })

  test('those who do not come back are given up after the usual time, and the match ends', () => {
    const { world } = start()
    world.run(500)
    world.crash()
    world.run(200_000)
    expect(world.relay.matches.size).toBe(0)
    expect(world.histories().every(({ end }) => end !== undefined)).toBe(true)
  })
})

describe('the record', () => {
  test('[F-16] of every moment is enough to go on from, wherever the last write is torn', () => {
    const { world, ada } = start()
    for (let round = 0; round < 20; round++) {
      const before = world.files[0]!.length
      const sealedBefore = world.histories()[0]!.sealedTick
      if (round % 3 === 0) ada.issue(orderOf(round))
      world.run(33)
      const file = world.files[0]!
      for (let cut = before; cut <= file.length; cut++) {
        const [history] = world.histories([file.subarray(0, cut)])
        expect(history?.sealedTick).toBeGreaterThanOrEqual(sealedBefore)
      }
    }
  })

  test('comes before everything that relies on it', () => {
    const { world, ada } = start()
    world.run(1_000)
    // Whatever a client has, the record has.
    expect(world.histories()[0]!.sealedTick).toBeGreaterThanOrEqual(ada.receivedTick)
    expect(world.histories()[0]!.bundles).toEqual(sealedBytes(world))
  })

  test('goes on in another file, which has everything from the first touch on', () => {
    const { world, ada, bob } = start()
    world.run(20_000)
    ada.issue(orderOf(1))
    world.run(100)
    world.turnFile()
    world.run(100)
    const [history] = world.histories(world.files.slice(1))
    expect(history?.sealedTick).toBe(ada.receivedTick)
    expect(history!.firstTick).toBeGreaterThan(300)
    world.crash(world.files.slice(1))
    const [ada2] = [comeBack(world, ada), comeBack(world, bob)]
    expect(ada2.body('RelaySeated')?.orderNumber).toBe(1)
    world.run(500)
    expect(ada2.receivedTick).toBeGreaterThan(ada.receivedTick)
  })

  test('of a match that is over says so, also in a file that did not have it', () => {
    const { world, ada, bob } = start()
    world.run(500)
    world.turnFile()
    ada.say('ClientLeave', { reason: '' })
    bob.say('ClientLeave', { reason: '' })
    expect(world.relay.matches.size).toBe(0)
    expect(world.histories()).toMatchObject([{ end: { reason: 'over' } }])
  })
})
