import { describe, expect, test } from 'vitest'
import { playTogether } from '../../src/driver/together/index.ts'
import { defineGame } from '../../src/sim/game/definition/define-game.ts'
import { order } from '../../src/sim/game/orders/order.ts'
import { i32, range } from '../../src/sim/schema/index.ts'
import { table } from '../../src/sim/state/table.ts'
import type { LobbyConfig } from '../../src/wire/messages/match-config.ts'

/** What each seat did, and what happened to it. */
const race = defineGame({
  id: 'race',
  version: 1,
  tickRate: 30,
  seats: { min: 1, max: 4 },
  state: { cars: table(4, { x: i32, jumps: i32, handed: i32, left: i32 }) },
  input: { dx: range(-1, 1).default(0) },
  orders: { jump: {}, cheer: order({}, { by: 'spectator' }) },
  setup({ state }) {
    for (let seat = 0; seat < 4; seat++) state.cars.add()
  },
  apply({ state, seat, order }) {
    // Cheers count for the first car.
    state.cars.jumps[order.type === 'cheer' ? 0 : seat]! += 1
  },
  step({ state, inputs, events }) {
    inputs.forEach(({ dx }, seat) => {
      state.cars.x[seat]! += dx
    })
    for (const event of events) {
      if (event.type === 'hand-over') state.cars.handed[event.seat]! += 1
      if (event.type === 'leave') state.cars.left[event.seat]! += 1
    }
  },
})

async function begun(players: number, rules: Partial<LobbyConfig> = {}, more: object = {}) {
  const lobby = { start: 'by-owner', countdownMs: 0, ...rules } as const
  const world = await playTogether(race, { players, seats: 4, lobby, ...more })
  world.matches[0]?.act({ type: 'start' })
  await world.advanceUntil(() =>
    world.matches.every((match) => match.playState().name === 'active'),
  )
  return world
}

type World = Awaited<ReturnType<typeof begun>>

function match(world: World, player: number): World['matches'][number] {
  return world.matches[player] as World['matches'][number]
}

function cars(world: World, player = 0) {
  return match(world, player).simulation.state.cars
}

/** The line of a player is dead, until it is reset. */
function cutOff(world: World, player: number): void {
  world.lines[player]?.set({ isCut: true })
  world.lines[player]?.breakConnections()
}

/** Bots that think at the first player jump once; gives what is heard of them. */
function letBotsJump(world: World): readonly string[] {
  const heard: string[] = []
  match(world, 0).on('bot', ({ seat, isHere }) => {
    heard.push(`${seat} ${isHere ? 'here' : 'gone'}`)
    if (isHere) match(world, 0).orderAs(seat, 'jump', {})
  })
  return heard
}

const ofMember = (world: World, member: number | undefined) =>
  match(world, 0).room?.members.find(({ id }) => id === member)

describe('RJN-12 a seat is handed over', () => {
  test.each(['stream', 'datagram'] as const)(
    'to a spectator, who plays on at the same tick for everybody, over a %s',
    async (kind) => {
      const world = await begun(2, {}, { kind })
      const bob = await world.join({ role: 'spectator' })
      await world.advance(2_000)
      const ada = match(world, 1)
      ada.input({ dx: 1 })
      await world.advance(1_000)
      ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
      await world.advance(1_000)
      expect([ada.seat, bob.seat]).toEqual([undefined, 1])
      expect(cars(world).handed[1]).toBe(1)
      expect(cars(world).left[1]).toBe(0)
      const x = cars(world).x[1] as number
      bob.input({ dx: -1 })
      const order = bob.order('jump', {})
      await world.advance(2_000)
      expect(order.end?.result).toBe('executed')
      expect(cars(world).x[1]).toBeLessThan(x)
      expect(() => ada.order('jump', {})).toThrow('a spectator has no seat')
      expect(ofMember(world, ada.member)).toMatchObject({ role: 'spectator', claim: 1 })
      world.expectInSync()
      world.close()
    },
  )

  test('what its new player ordered as a spectator and a pause held back is lost, never late', async () => {
    const world = await begun(2)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(2_000)
    match(world, 0).act({ type: 'pause' })
    await world.advance(1_000)
    const cheer = bob.order('cheer', {})
    await world.advance(1_000)
    match(world, 1).act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await world.advance(1_000)
    expect([bob.seat, cheer.end?.result]).toEqual([1, 'lost'])
    const jump = bob.order('jump', {})
    match(world, 0).act({ type: 'resume' })
    await world.advance(2_000)
    expect(jump.end?.result).toBe('executed')
    expect([cars(world).jumps[0], cars(world).jumps[1]]).toEqual([0, 1])
    world.expectInSync()
    world.close()
  })

  test('whoever sat there first takes it back when he wants to', async () => {
    const world = await begun(2)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(1_000)
    const ada = match(world, 1)
    const seats: (number | undefined)[] = []
    ada.on('seat', ({ seat }) => seats.push(seat))
    ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await world.advance(1_000)
    ada.act({ type: 'reclaim-seat' })
    await world.advance(1_000)
    expect(seats).toEqual([undefined, 1])
    expect([ada.seat, bob.seat]).toEqual([1, undefined])
    const order = ada.order('jump', {})
    await world.advance(1_000)
    expect(order.end?.result).toBe('executed')
    expect(ofMember(world, ada.member)).toMatchObject({ role: 'player', seat: 1, claim: undefined })
    world.expectInSync()
    world.close()
  })

  test('when the one who took over leaves, it falls back to who has the claim', async () => {
    const world = await begun(2)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(1_000)
    const ada = match(world, 1)
    ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await world.advance(1_000)
    bob.close()
    await world.advance(1_000)
    expect(ada.seat).toBe(1)
    expect(cars(world).left[1]).toBe(0)
    world.expectInSync()
    world.close()
  })

  test('the page of who took over is loaded again: the seat is still its', async () => {
    const world = await begun(2)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(1_000)
    match(world, 1).act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await world.advance(20_000)
    const back = await world.reload(2)
    await world.advanceUntil(() => back.playState().name === 'active', 20_000)
    expect(back.seat).toBe(1)
    const order = back.order('jump', {})
    await world.advance(1_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('an order that was on its way ends, once, and is nobody else’s', async () => {
    const world = await begun(2, {}, { conditions: { latencyMs: 100 } })
    const bob = await world.join({ role: 'spectator' })
    await world.advance(2_000)
    const ada = match(world, 1)
    ada.act({ type: 'hand-over', seat: 1, member: bob.member as number })
    const orders = [ada.order('jump', {}), ada.order('jump', {})]
    await world.advance(50)
    orders.push(ada.order('jump', {}))
    await world.advance(3_000)
    expect(orders.every(({ end }) => end !== undefined)).toBe(true)
    const executed = orders.filter(({ end }) => end?.result === 'executed').length
    expect(cars(world).jumps[1]).toBe(executed)
    ada.act({ type: 'reclaim-seat' })
    await world.advance(2_000)
    const again = ada.order('jump', {})
    await world.advance(2_000)
    expect(again.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('nobody gives away what is not his, nor to who plays already', async () => {
    const world = await begun(3)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(1_000)
    const denied: string[] = []
    match(world, 1).on('denied', ({ reason }) => denied.push(reason))
    const member = bob.member as number
    match(world, 1).act({ type: 'hand-over', seat: 0, member })
    match(world, 1).act({ type: 'hand-over', seat: 3, member })
    match(world, 1).act({ type: 'hand-over', seat: 1, member: match(world, 2).member as number })
    match(world, 1).act({ type: 'hand-over', seat: 1, member: 99 })
    match(world, 1).act({ type: 'reclaim-seat' })
    await world.advance(1_000)
    expect(denied).toEqual([
      'not-allowed',
      'no-such-seat',
      'wrong-target',
      'unknown-member',
      'not-allowed',
    ])
    world.close()
  })
})

describe('a player is away', () => {
  test('the owner gives the seat to another one; the claim is kept', async () => {
    const world = await begun(2)
    const bob = await world.join({ role: 'spectator' })
    await world.advance(1_000)
    const { member } = match(world, 1)
    cutOff(world, 1)
    await world.advance(5_000)
    match(world, 0).act({ type: 'hand-over', seat: 1, member: bob.member as number })
    await world.advance(1_000)
    expect(bob.seat).toBe(1)
    expect(ofMember(world, member)).toMatchObject({ claim: 1 })
    world.close()
  })

  test('where the match wants it a bot plays, until he is back', async () => {
    const world = await begun(2, { onAway: 'bot' })
    await world.advance(1_000)
    const bots = letBotsJump(world)
    const { member } = match(world, 1)
    cutOff(world, 1)
    await world.advance(2_000)
    expect(bots).toEqual([])
    await world.advance(5_000)
    expect(bots).toEqual(['1 here'])
    expect(cars(world).jumps[1]).toBe(1)
    expect(cars(world).left[1]).toBe(0)
    expect(ofMember(world, member)).toMatchObject({ role: 'spectator', claim: 1 })
    world.lines[1]?.reset()
    const back = match(world, 1)
    await world.advanceUntil(() => back.seat === 1 && back.playState().name === 'active', 20_000)
    expect(bots).toEqual(['1 here', '1 gone'])
    const order = back.order('jump', {})
    await world.advance(1_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('who loads the page again has the seat back with the state', async () => {
    const world = await begun(3, { onAway: 'bot' })
    await world.advance(20_000)
    cutOff(world, 2)
    await world.advance(6_000)
    expect(match(world, 0).room?.members[2]).toMatchObject({ claim: 2 })
    world.lines[2]?.reset()
    const back = await world.reload(2)
    await world.advanceUntil(() => back.playState().name === 'active', 20_000)
    await world.advance(1_000)
    expect(back.seat).toBe(2)
    const order = back.order('jump', {})
    await world.advance(1_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('a bot has nobody to play for when he does not come back', async () => {
    const world = await begun(2, { onAway: 'bot' })
    letBotsJump(world)
    await world.advance(1_000)
    cutOff(world, 1)
    await world.advance(70_000)
    expect(match(world, 0).room?.members).toHaveLength(1)
    expect(match(world, 0).room?.lockedSeats).toEqual([])
    expect(cars(world).left[1]).toBe(1)
    const late = await world.join()
    await world.advanceUntil(() => late.playState().name === 'active')
    world.expectInSync()
    world.close()
  })

  test('the last player is waited for: no match is played by bots alone', async () => {
    const world = await begun(1, { onAway: 'bot' })
    await world.join({ role: 'spectator' })
    await world.advance(1_000)
    cutOff(world, 0)
    await world.advance(10_000)
    world.lines[0]?.reset()
    const back = match(world, 0)
    await world.advanceUntil(() => back.playState().name === 'active', 20_000)
    expect(back.seat).toBe(0)
    world.expectInSync()
    world.close()
  })
})

describe('a player does nothing', () => {
  test('others are told, and told again when he is back', async () => {
    const world = await begun(2, { afkMs: 10_000 })
    match(world, 0).input({ dx: 1 })
    const isAfk = () => match(world, 0).room?.members.map((each) => each.isAfk)
    for (let second = 0; second < 12; second++) {
      match(world, 0).input({ dx: second % 2 === 0 ? 1 : 0 })
      await world.advance(1_000)
    }
    expect(isAfk()).toEqual([false, true])
    match(world, 1).input({ dx: 1 })
    await world.advance(500)
    expect(isAfk()).toEqual([false, false])
    world.close()
  })

  test('a bot plays for him where the match wants it, until he asks for the seat', async () => {
    const world = await begun(2, { afkMs: 5_000, onAfk: 'bot' })
    const jumps: number[] = []
    match(world, 0).on('bot', ({ seat, isHere }) => {
      if (isHere) match(world, 0).orderAs(seat, 'jump', {})
      jumps.push(isHere ? seat : -1)
    })
    for (let second = 0; second < 8; second++) {
      match(world, 0).input({ dx: second % 2 === 0 ? 1 : 0 })
      await world.advance(1_000)
    }
    const idle = match(world, 1)
    expect(idle.seat).toBeUndefined()
    expect(cars(world).jumps[1]).toBe(1)
    idle.act({ type: 'reclaim-seat' })
    await world.advance(1_000)
    expect(idle.seat).toBe(1)
    expect(jumps).toEqual([1, -1])
    const order = idle.order('jump', {})
    await world.advance(1_000)
    expect(order.end?.result).toBe('executed')
    world.expectInSync()
    world.close()
  })

  test('he is removed where the match wants that', async () => {
    const world = await begun(2, { afkMs: 5_000, onAfk: 'remove' })
    for (let second = 0; second < 8; second++) {
      match(world, 0).input({ dx: second % 2 === 0 ? 1 : 0 })
      await world.advance(1_000)
    }
    expect(match(world, 1).playState()).toMatchObject({ name: 'closed', reason: 'too-slow' })
    expect(cars(world).left[1]).toBe(1)
    world.close()
  })
})
