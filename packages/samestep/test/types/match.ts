/** Type tests of matches: compiled, never run. What plays one kind of match plays them all. */

import type {
  Blame,
  IssuedOrder,
  LeaveReason,
  PresenceChange,
  SimulationView,
} from '../../src/driver/types/index.ts'
import { joinMatchInWorker } from '../../src/driver/worker/index.ts'
import type {
  Game,
  LocalMatch,
  Match,
  MatchAction,
  MatchEvents,
  OrderEvent,
  OrderHandle,
  Picture,
  RoomView,
} from '../../src/index.ts'
import { joinMatch, playLocal, runHeadless } from '../../src/index.ts'
import type { Simulation, TickTimings } from '../../src/sim/debug/index.ts'
import { game } from './game.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
function same<_T extends true>(): void {}

type Shape = typeof game extends Game<infer G, infer _> ? G : never
type Render = typeof game extends Game<infer _, infer R> ? R : never

declare const worker: Worker

const alone = playLocal(game, { seed: 1 })
const online = await joinMatch(game, { url: 'ws://localhost:7777', match: 'friday' })
await joinMatch(game, { url: 'ws://localhost:7777', match: 'friday', preset: 'rts' })
await joinMatch(game, { match: 'friday', preset: 'turns', missing: { kind: 'idle', waitMs: 0 } })
await joinMatch(game, { match: 'friday', advanced: { retryMs: 100 } })
// @ts-expect-error no such preset
await joinMatch(game, { match: 'friday', preset: 'chess' })
// @ts-expect-error what only an insider sets right is under `advanced`
await joinMatch(game, { match: 'friday', retryMs: 100 })
const served = await joinMatchInWorker(game, { worker, url: 'ws://localhost:7777/#match=friday' })

/** All a game does with a match, written once. */
function play(match: Match<Shape, Render>): void {
  same<Equal<ReturnType<typeof match.advance>, Picture<Shape, Render>>>()
  same<Equal<typeof match.room, RoomView<Shape> | undefined>>()
  if (match.room !== undefined) {
    const { options } = match.room
    same<Equal<typeof options, Readonly<{ size: number }>>>()
    // @ts-expect-error options are changed by asking for it
    options.size = 3
  }
  same<Equal<typeof match.transport, string | undefined>>()
  same<Equal<typeof match.botSeats, readonly number[]>>()
  const handle: OrderHandle = match.order('move', { units: [1], x: 2 })
  void handle.settled
  match.order('quit', {}, { precheck: true })
  match.on('order', (event) => {
    same<Equal<typeof event, OrderEvent<Shape>>>()
    const { order } = event
    same<Equal<typeof order.name, 'move' | 'quit'>>()
    if (order.name === 'move') same<Equal<typeof order.data.units, number[]>>()
    if (event.result === 'refused') same<Equal<typeof event.reason, string>>()
    if (event.result === 'executed') same<Equal<typeof event.tick, number>>()
  })
  same<Equal<typeof match.pendingOrders, readonly IssuedOrder<Shape>[]>>()
  same<Equal<ReturnType<typeof match.canOrder>, true | string>>()
  match.canOrder('move', { units: [1], x: 2 })
  // @ts-expect-error no such order
  match.canOrder('fly', {})
  // @ts-expect-error no such field
  match.canOrder('move', { y: 2 })
  const isTaken: boolean = match.orderAs(1, 'quit', {})
  void isTaken
  match.input({ up: true })
  match.act({ type: 'set-ready', isReady: true, optionsRevision: 0 })
  match.act({ type: 'set-ready', isReady: true })
  match.act({ type: 'propose', vote: 'kick', target: 1 })
  match.act({ type: 'propose', vote: 'pause' })
  match.act({ type: 'propose', vote: 'speed', percent: 150 })
  // @ts-expect-error whom to kick
  match.act({ type: 'propose', vote: 'kick' })
  // @ts-expect-error a pause has no speed
  match.act({ type: 'propose', vote: 'pause', percent: 150 })
  match.act({ type: 'set-options', options: { size: 3 } })
  match.act({ type: 'set-options', options: {} })
  // @ts-expect-error no such option
  match.act({ type: 'set-options', options: { colour: 3 } })
  // @ts-expect-error an option of another type
  match.act({ type: 'set-options', options: { size: 'large' } })
  // @ts-expect-error options are no bytes
  match.act({ type: 'set-options', options: new Uint8Array(1) })
  const wish: MatchAction<Shape> = { type: 'take-seat', seat: 1 }
  match.act(wish)
  match.on('room', (room) => {
    same<Equal<typeof room, MatchEvents<Shape>['room']>>()
    same<Equal<typeof room.options.size, number>>()
  })
  match.on('presence', ({ change, seat, reason }) => {
    same<Equal<typeof change, PresenceChange>>()
    same<Equal<typeof seat, number | undefined>>()
    same<Equal<typeof reason, LeaveReason | undefined>>()
  })
  match.on('blame', (blame) => same<Equal<typeof blame, Blame>>())
  same<Equal<typeof match.blame.seats, readonly number[]>>()
  const state = match.playState()
  if (state.name === 'waiting') same<Equal<typeof state.room, RoomView<Shape> | undefined>>()
  match.reportLoad(100)
  match.setHidden(false)
  match.noteDraw(2)
  match.measureTicks()()
  same<Equal<typeof match.timings, TickTimings | undefined>>()
  match.on('launched', ({ seat }) => same<Equal<typeof seat, number | undefined>>())()
  runHeadless(match, {
    mode: 'as-fast-as-possible',
    untilTick: 9,
    onTick: (picture) => same<Equal<typeof picture, Picture<Shape, Render>>>(),
  }).then(({ reason }) => same<Equal<typeof reason, 'tick' | 'closed' | 'aborted'>>())
  match.close()
  // @ts-expect-error no such order
  match.order('fly', {})
  // @ts-expect-error no such field
  match.orderAs(1, 'move', { y: 1 })
  // @ts-expect-error no such input
  match.input({ left: true })
  // @ts-expect-error no such event
  match.on('lunch', () => {})
  // @ts-expect-error a view is not written to
  match.simulation.view.units.hp[0] = 1
}

play(alone)
play(online)
play(served)

// In this thread the simulation itself can be reached, from a worker a view of it.
same<Equal<typeof online, Match<Shape, Render, Simulation<Shape, Render>>>>()
// Here are all who play at this machine.
same<Equal<typeof alone, LocalMatch<Shape, Render>>>()
same<Equal<(typeof alone.players)[number], typeof online>>()
same<Equal<typeof served, Match<Shape, Render, SimulationView<Shape, Render>>>>()

// What only our own worker needs is nobody else's.
// @ts-expect-error not for players
online.announce('status', 'active')
// @ts-expect-error not for players
online.handleRan = () => {}
// @ts-expect-error not for players
served.end('left', '')

// One set of options for a game with a lobby and bots, alone and online.
const setup = {
  name: 'Ada',
  seats: 2,
  lobby: { start: 'by-owner', countdownMs: 0 },
  loadsItself: true,
} as const
play(playLocal(game, setup))
play(await joinMatch(game, { ...setup, url: 'ws://localhost:7777', match: 'friday' }))
