import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BitWriter } from '../../base/bit-writer.ts'
import type { ClientTurn } from '../../wire/ticks/client-turn.ts'
import { heldMsMax } from '../../wire/ticks/client-turn.ts'
import { marginUnknown, writeRelayBundles } from '../../wire/ticks/relay-bundles.ts'
import type { PlainContent } from '../testing/client-world.ts'
import { ClientWorld, calm } from '../testing/client-world.ts'
import { addBytes, ownOrder } from '../testing/counter.ts'
import { calmStats } from '../testing/rooms.ts'

const kinds = ['stream', 'datagram'] as const

/** Seals what the client sent for each tick, as a relay does: the first that comes for it counts. */
class InputKeeper {
  readonly world: ClientWorld
  /** What was kept, by tick: dx and fire. */
  readonly kept = new Map<number, readonly [number, number]>()
  #readTurns = 0

  constructor(world: ClientWorld) {
    this.world = world
  }

  /** Takes in what came. Gives the ticks of shots that came for the first time. */
  take(): number[] {
    const { turns, sealed } = this.world
    const shots: number[] = []
    for (; this.#readTurns < turns.length; this.#readTurns++) {
      const { firstInputTick, inputs, inputCount } = turns[this.#readTurns] as ClientTurn
      for (let index = 0; index < inputCount; index++) {
        const tick = firstInputTick + index
        const input = [inputs[index * 2] as number, inputs[index * 2 + 1] as number] as const
        const known = this.kept.get(tick)
        // A repeated input says the same.
        if (known !== undefined) expect([tick, ...input]).toEqual([tick, ...known])
        if (known !== undefined || tick <= sealed.length) continue
        this.kept.set(tick, input)
        if (input[1] === 1) shots.push(tick)
      }
    }
    return shots
  }

  /** Seals the next tick, and sends nothing. */
  seal(events: NonNullable<PlainContent['events']> = []): number {
    const input = this.kept.get(this.world.sealed.length + 1)
    return this.world.seal(
      input === undefined ? { events, missing: [0] } : { events, inputs: { 0: input } },
    )
  }
}

/** One step of a player and a relay: press, or steer, change the delay, then so many ticks at once. */
const steps = fc.array(
  fc.record({
    isPressed: fc.boolean(),
    dx: fc.option(fc.integer({ min: -2, max: 2 }), { nil: undefined }),
    delay: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined, freq: 3 }),
    burst: fc.oneof({ weight: 4, arbitrary: fc.constant(1) }, fc.integer({ min: 2, max: 9 })),
  }),
  { minLength: 1, maxLength: 60 },
)

describe('the input delay', () => {
  test.each(kinds)(
    'may change at every tick: each press is in exactly one sealed tick, on a %s',
    (kind) => {
      fc.assert(
        fc.property(steps, (plan) => {
          const world = new ClientWorld().sit(kind)
          const keeper = new InputKeeper(world)
          const { client } = world
          let presses = 0
          let isArmed = false
          const shots = () => {
            for (const _ of keeper.take()) isArmed = false
          }
          shots()
          for (const { isPressed, dx, delay, burst } of plan) {
            if (dx !== undefined) client.setInput({ dx })
            // Pressed twice before it is sampled is pressed once.
            if (isPressed && !isArmed) presses += 1
            if (isPressed) client.setInput({ fire: true })
            isArmed ||= isPressed
            const first = keeper.seal(delay === undefined ? [] : [{ type: 'delay', ticks: delay }])
            for (let more = 1; more < burst; more++) keeper.seal()
            world.send(first, first + burst - 1)
            shots()
          }
          // Enough for the longest delay to shrink to the shortest, and for the last press to run.
          for (let count = 0; count < 30; count++) {
            world.send(keeper.seal())
            shots()
          }
          expect(isArmed).toBe(false)
          expect(client.simulation?.state.sum.fired).toBe(presses)
        }),
        { numRuns: 150 },
      )
    },
  )

  test.each(kinds)('leaves no tick without an input when nothing is late, on a %s', (kind) => {
    fc.assert(
      fc.property(steps, (plan) => {
        const world = new ClientWorld().sit(kind)
        const keeper = new InputKeeper(world)
        keeper.take()
        let moved = 0
        for (const { dx, delay } of plan) {
          if (dx !== undefined) world.client.setInput({ dx })
          const [slot = 2] = keeper.kept.get(world.sealed.length + 1) ?? []
          moved += slot - 2
          world.send(keeper.seal(delay === undefined ? [] : [{ type: 'delay', ticks: delay }]))
          keeper.take()
        }
        expect(world.eventsOf('input-missed')).toEqual([])
        expect(world.client.simulation?.state.sum.moved).toBe(moved)
      }),
      { numRuns: 60 },
    )
  })

  test('that grows is filled with what is held; that shrinks is waited for', () => {
    const world = new ClientWorld().sit()
    world.client.setInput({ dx: 1 })
    world.tick({ events: [{ type: 'delay', ticks: 6 }] })
    expect(world.client.cursors.inputTick).toBe(7)
    expect(world.client.statistics.inputDelay).toBe(6)
    world.tick({ events: [{ type: 'delay', ticks: 2 }] })
    const { inputTick } = world.client.cursors
    expect(inputTick).toBe(8)
    world.turns.splice(0)
    for (let tick = 3; tick <= 6; tick++) world.tick()
    expect(world.client.cursors.inputTick).toBe(8)
    expect(world.turns.every(({ inputCount }) => inputCount === 0)).toBe(true)
    world.tick()
    expect(world.client.cursors.inputTick).toBe(9)
  })
})

/** A client whose inputs come early enough that they are held back, and the time between ticks. */
function holding(kind: 'stream' | 'datagram' = 'stream') {
  const world = new ClientWorld().sit(kind)
  for (let count = 0; count < 400; count++) {
    world.wait(50)
    const control = { version: count % 255, marginMinMs: 60, marginMedianMs: 60 }
    world.tick({}, count % 20 === 0 ? control : undefined)
  }
  world.turns.splice(0)
  return world
}

describe('inputs that come early', () => {
  test.each(kinds)('are sampled later, and the relay is told by how much, on a %s', (kind) => {
    const world = holding(kind)
    const { holdMs, marginMs } = world.client.statistics
    expect(holdMs).toBeGreaterThan(30)
    expect(marginMs).toBe(60)
    world.wait(50)
    world.turns.splice(0)
    const { inputTick } = world.client.cursors
    world.tick()
    expect(world.client.cursors.inputTick).toBe(inputTick)
    // What is held when the input is sampled counts, not what was when its bundle came.
    world.client.setInput({ dx: 2 })
    world.wait(50)
    expect(world.client.cursors.inputTick).toBe(inputTick + 1)
    const turn = world.turns.find(({ inputCount }) => inputCount > 0)
    expect(turn?.inputs.at(-2)).toBe(4)
    expect(turn?.heldMs).toBeGreaterThanOrEqual(Math.floor(holdMs))
    expect(turn?.heldMs).toBeLessThanOrEqual(Math.ceil(holdMs) + 1)
  })

  test('do not keep an order back: it leaves at once, without the next input', () => {
    const world = holding()
    world.wait(50)
    world.tick()
    world.turns.splice(0)
    const { inputTick } = world.client.cursors
    world.client.issue('add', { amount: 4 })
    world.settle()
    expect(world.turns).toMatchObject([{ orders: [addBytes(4)], inputCount: 0 }])
    expect(world.client.cursors.inputTick).toBe(inputTick)
    world.wait(50)
    expect(world.turns.slice(1)).toMatchObject([{ orders: [], inputCount: 1 }])
  })

  test('are no longer held back after one that was missing, nor over a new link', () => {
    const late = holding()
    late.tick({ missing: [0] })
    expect(late.client.statistics.holdMs).toBe(0)
    const again = holding()
    again.breakLink()
    again.sit()
    expect(again.client.statistics.holdMs).toBe(0)
  })

  test('nothing is held before a first bundle calls for an input', () => {
    const world = new ClientWorld()
    world.wait(400)
    world.sit()
    expect(world.turns[0]).toMatchObject({ inputCount: 3, heldMs: 0 })
    world.tick()
    world.breakLink()
    world.wait(700)
    world.turns.splice(0)
    world.sit()
    expect(world.turns[0]?.heldMs).toBe(0)
  })

  test('no longer time is told than can be', () => {
    const world = new ClientWorld().sit('datagram')
    world.tick()
    world.turns.splice(0)
    world.wait(900)
    world.client.handleTime(world.nowMs)
    world.client.issue('add', { amount: 1 })
    world.settle()
    expect(world.turns.at(-1)?.heldMs).toBe(heldMsMax)
  })

  test('a margin that is not known is none', () => {
    const world = new ClientWorld().sit()
    world.tick({}, { version: 1, marginMinMs: marginUnknown, marginMedianMs: marginUnknown })
    expect(world.client.statistics.marginMs).toBeUndefined()
  })
})

describe('a report', () => {
  const reports = (world: ClientWorld) => world.turns.flatMap(({ report }) => report ?? [])

  test('goes out every half second', () => {
    const world = new ClientWorld().sit()
    world.turns.splice(0)
    for (let count = 0; count < 60; count++) {
      world.wait(50)
      world.tick()
    }
    expect(reports(world)).toHaveLength(6)
    expect(reports(world)[0]).toMatchObject({ activity: 'active', rttMs: 65_535, loadPercent: 0 })
  })

  test('goes out at once when the client is busy with something else', () => {
    const world = new ClientWorld().sit()
    world.wait(50)
    world.tick()
    world.turns.splice(0)
    world.client.setHidden(true)
    world.settle()
    expect(reports(world)).toMatchObject([{ activity: 'hidden' }])
    world.wait(50)
    world.tick()
    expect(reports(world)).toHaveLength(1)
    world.client.setHidden(false)
    world.settle()
    expect(reports(world)).toMatchObject([{ activity: 'hidden' }, { activity: 'active' }])
  })

  test('sends no token of a link that the session has left, however late that delivers it', () => {
    const world = new ClientWorld().sit('datagram')
    world.tick({}, { version: 1, token: 77 })
    world.tick({}, { version: 2, token: 78 })
    const told = reports(world).length
    const writer = new BitWriter()
    const bundleAt = (tick: number) => world.sealed[tick - 1] as Uint8Array
    writeRelayBundles(writer, 1, 1, bundleAt, { ...calm, version: 1, token: 77 })
    world.client.running?.handleBundles(writer.finish(), false, world.nowMs, 1, true)
    world.tick()
    world.tick({}, { version: 3, token: 78 })
    const tokens = reports(world).map(({ token }) => token)
    expect(tokens.slice(told)).not.toContain(77)
    expect(tokens.at(-1)).toBe(78)
  })

  test('sends the newest token back, and none before there is one', () => {
    const world = new ClientWorld().sit()
    const tick = (token: number, version: number) => {
      world.wait(600)
      world.tick({}, { version, token })
    }
    tick(0, 1)
    expect(reports(world).every(({ token }) => token === undefined)).toBe(true)
    world.turns.splice(0)
    tick(77, 2)
    tick(78, 3)
    // Old news, without a word about it.
    tick(0, 4)
    expect(reports(world).map(({ token }) => token)).toEqual([77, 78, 78])
  })

  test('tells the round trip and the load', () => {
    const world = new ClientWorld().sit()
    const [first] = reports(world)
    world.wait(100)
    world.client.running?.pacer.load.noteTicks(1, 25)
    world.tick({}, { version: 1, echoStamp: first?.stamp as number, echoHeldMs: 40 })
    world.wait(1_100)
    world.tick()
    expect(reports(world).at(-1)).toMatchObject({ rttMs: 60, loadPercent: 50 })
  })
})

describe('ticks that come several at a time', () => {
  const figuresOf = (ticksPerPacket: number) => ({
    inputDelay: 3,
    requestedPercent: 100,
    effectivePercent: 100,
    comparedTick: 0,
    mismatches: 0,
    seats: [
      {
        seat: 0,
        rttMs: 65_535,
        jitterMs: 65_535,
        lossPercent: 0,
        marginMs: -32_768,
        loadPercent: 0,
        behindTicks: 0,
        orderWaitMs: 0,
        orderWaitP95Ms: 0,
        ticksPerPacket,
      },
    ],
  })

  /** Over a line of which the relay says that it is narrow. */
  const sit = () => {
    const world = new ClientWorld().sit('datagram')
    world.say('RelayStats', figuresOf(4))
    return world
  }

  test('are answered once, with the inputs that they all called for and the newest hash', () => {
    const world = sit()
    for (let count = 0; count < 4; count++) world.tick()
    for (let count = 0; count < 4; count++) world.seal()
    world.turns.splice(0)
    world.send(5, 8)
    // The input is held back a little, the ticks run one after the other.
    world.wait(49)
    expect(world.turns.map(({ received }) => received)).toEqual([8])
    expect(world.turns[0]).toMatchObject({ firstInputTick: 8, inputCount: 4 })
    for (let count = 0; count < 4; count++) world.seal()
    world.send(9, 12)
    world.wait(49)
    expect(world.turns.at(-1)).toMatchObject({ received: 12, hash: { tick: 8 } })
    expect(world.turns).toHaveLength(2)
  })

  test('slow down the repeating of orders that are not answered', () => {
    const world = sit()
    world.tick()
    for (let count = 0; count < 4; count++) world.seal()
    world.send(2, 5)
    world.client.issue('add', { amount: 1 })
    world.settle()
    world.turns.splice(0)
    world.wait(1_000)
    // Every 200 ms instead of every 50.
    expect(world.turns.filter(({ orders }) => orders.length > 0)).toHaveLength(5)
  })
})

describe('the pace', () => {
  test('follows the events of the match, from their tick on', () => {
    const world = new ClientWorld().sit()
    world.tick()
    expect(world.client.running?.pacer.speedPercent).toBe(100)
    world.tick({ events: [{ type: 'speed', percent: 40 }] })
    expect([
      world.client.running?.pacer.speedPercent,
      world.client.simulation?.speedPercent,
    ]).toEqual([40, 40])
  })

  test.each([0, 9, 1_001, 1_023])('of %i %% is none of a match: the session ends', (percent) => {
    const world = new ClientWorld().sit()
    world.tick({ events: [{ type: 'speed', percent }] })
    world.settle()
    expect(world.eventsOf('closed')).toMatchObject([{ reason: 'bad-message' }])
    expect(world.client.simulation?.tick).toBe(0)
  })

  test('that players ask for is what a machine is judged by', () => {
    const world = new ClientWorld().sit()
    world.say('RelayStats', { ...calmStats, requestedPercent: 150 })
    expect(world.client.running?.pacer.requestedPercent).toBe(150)
  })

  test('of a pause stops the game and neither the ticks nor the inputs', () => {
    const world = new ClientWorld().sit()
    world.tick({ events: [{ type: 'pause', seat: 1 }], inputs: { 0: [4, 0] } })
    world.tick({ inputs: { 0: [4, 0] } })
    const { simulation, cursors } = world.client
    expect([simulation?.isPaused, simulation?.matchTick, cursors.inputTick]).toEqual([true, 2, 5])
    expect([simulation?.tick, cursors.simulatedTick]).toEqual([0, 2])
    expect(simulation?.state.sum.moved).toBe(0)
    world.tick({ events: [{ type: 'resume', seat: 1 }], inputs: { 0: [4, 0] } })
    expect([simulation?.isPaused, simulation?.state.sum.moved]).toEqual([false, 2])
  })
})

describe('a session that is older than the client', () => {
  test('goes on with the number that the relay expects, and finds its orders by it', () => {
    const world = new ClientWorld()
    world.seal({ orders: [ownOrder(4, addBytes(1))] })
    world.sit('stream', { orderNumber: 5, sealedTick: 1 })
    world.send(1)
    let result = ''
    const order = world.client.issue('add', { amount: 10 }, (end) => {
      result = end.result
    })
    world.settle()
    expect([order.number, world.turns.at(-1)?.firstOrderNumber]).toEqual([5, 5])
    world.tick({ orders: [ownOrder(5, addBytes(10))] })
    expect([result, world.client.simulation?.state.sum.value]).toEqual(['executed', 14])
  })
})
