import { UsageError } from '../base/errors.ts'
import type { Client } from '../client/client.ts'
import type { OrderEnd } from '../client/order-outbox.ts'
import type { PlayState } from '../client/play-state.ts'
import type { GameShape } from '../sim/game/context.ts'
import type { Simulation } from '../sim/game/simulation.ts'
import type { RoomAction } from '../wire/room-actions.ts'
import type { MatchEvents } from './match.ts'
import type { OnlineMatch } from './online-match.ts'
import { PictureMemory } from './picture-memory.ts'
import type { Timing } from './timing.ts'
import { packFaults } from './worker-errors.ts'
import type {
  AnyEvent,
  PageMessage,
  SentPicture,
  Standing,
  WorkerMessage,
} from './worker-messages.ts'

/** What a served match needs around it. */
export interface ServedMatchHooks {
  readonly timing: Timing
  post(message: WorkerMessage, transfer?: readonly ArrayBuffer[]): void
  /** Nothing is said any more. */
  handleOver(): void
}

/**
 * A match that runs in this worker and is shown on a page. What the page is told of, it can see: the
 * end of an order and the report of a tick wait until the picture of that tick is on its way.
 */
export class ServedMatch<G extends GameShape, R> {
  readonly #client: Client<G, R>
  readonly #match: OnlineMatch<G, R>
  readonly #hooks: ServedMatchHooks
  readonly #memory = new PictureMemory<G, R>()
  /** What waits for the picture that it belongs to. */
  readonly #held: ((standing: Standing) => WorkerMessage)[] = []
  #simulation: Simulation<G, R> | undefined
  #launchCount = 0
  /** The tick of the newest picture; −1 before the first. */
  #shownTick = -1
  #shownAtMs = Number.NEGATIVE_INFINITY
  /** Whether the page has answered the vitals that it got last. */
  #isFelt = true
  #isPageHidden = false
  #isOver = false
  #beatAtMs = 0
  #cancelBeat = () => {}

  constructor(client: Client<G, R>, match: OnlineMatch<G, R>, hooks: ServedMatchHooks) {
    this.#client = client
    this.#match = match
    this.#hooks = hooks
    for (const name of Object.keys(eventNames) as (keyof MatchEvents)[]) {
      match.on(name, (value) => this.#tell({ name, value } as AnyEvent))
    }
    match.handleRan = () => this.#show()
    const { statistics, room } = match
    hooks.post({ type: 'joined', standing: this.#standing(), statistics, room })
    this.#scheduleBeat()
  }

  /** Does what the page wants. It was checked there, by what the page knew then. */
  handle(message: PageMessage): void {
    if (this.#isOver) return
    switch (message.type) {
      case 'order':
        this.#order(message.number, message.bytes)
        return
      case 'order-as': {
        const { name, data } = this.#decode(message.bytes)
        this.#match.orderAs(message.seat, name, data)
        return
      }
      case 'input':
        unlessLate(() => this.#match.input(message.changes as never))
        return
      case 'act':
        this.#act(message.action)
        return
      case 'load':
        unlessLate(() => this.#match.reportLoad(message.percent))
        return
      case 'hidden':
        this.#isPageHidden = message.isHidden
        if (!message.isHidden) this.#match.setHidden(false)
        this.#show()
        return
      case 'seen':
        this.#memory.giveBack(message.buffer)
        this.#show()
        return
      case 'felt':
        this.#isFelt = true
        return
      case 'close':
        this.close()
    }
  }

  /** The page has left, or is gone, and with it the player. */
  close(): void {
    if (this.#isOver) return
    this.#end()
    this.#match.close()
  }

  #order(number: number, bytes: Uint8Array): void {
    const settle = (end: OrderEnd) => {
      this.#say((standing) => ({ type: 'settled', standing, number, end }))
    }
    const { name, data } = this.#decode(bytes)
    const isIssued = unlessLate(() => {
      this.#match.order(name, data).settled.then(settle)
    })
    if (!isIssued) settle({ result: 'lost' })
  }

  /** The page encoded it to see that it can be, and so that nothing odd has to cross. */
  #decode(bytes: Uint8Array): { readonly name: never; readonly data: never } {
    const { type, data } = this.#client.game.orderCodec.decode(bytes)
    return { name: type.name as never, data: data as never }
  }

  #act(action: RoomAction): void {
    if (unlessLate(() => this.#match.act(action))) return
    const value = { type: 'denied', action: action.type, reason: 'not-connected' } as const
    this.#tell({ name: 'denied', value })
  }

  #tell(event: AnyEvent): void {
    if (this.#isOver) return
    if (event.name === 'tick') {
      if (this.#held.length >= heldMax) return
      const packed: AnyEvent = { name: 'tick', value: packFaults(event.value) }
      this.#say((standing) => ({ type: 'event', standing, event: packed }))
      return
    }
    // The last picture is shown in any case: there will be no other.
    if (event.name === 'closed') this.#show('surely')
    this.#say((standing) => ({ type: 'event', standing, event }))
    if (event.name === 'closed') this.#end()
  }

  /** Says something now, or behind the picture in which it can be seen. */
  #say(message: (standing: Standing) => WorkerMessage): void {
    if (this.#isOver) return
    const standing = this.#standing()
    if (this.#isShown) {
      this.#hooks.post(message(standing))
      return
    }
    this.#held.push(message)
    this.#show()
  }

  /** Whether the page has, or gets, a picture of where the simulation is. */
  get #isShown(): boolean {
    return this.#simulation === undefined || this.#simulation.tick === this.#shownTick
  }

  /** Sends a picture of the newest tick, if there is one and memory for it. */
  #show(how: 'soon' | 'surely' = 'soon'): void {
    const standing = this.#standing()
    const simulation = this.#simulation
    if (simulation === undefined || this.#isShown) return
    if (how === 'soon' && !(this.#memory.isFree && this.#isWanted)) return
    const picture = this.#makePicture(simulation)
    this.#hooks.post({ type: 'picture', standing, picture }, [picture.buffer])
    for (const message of this.#held.splice(0)) this.#hooks.post(message(standing))
  }

  /** Nobody looks at a hidden page: now and then is enough, and where there is something to tell. */
  get #isWanted(): boolean {
    if (!this.#isPageHidden || this.#held.length > 0) return true
    return this.#hooks.timing.nowMs() - this.#shownAtMs >= hiddenPictureMs
  }

  #makePicture(simulation: Simulation<G, R>): SentPicture {
    const { buffer, layout } = this.#memory.write(simulation, this.#shownTick)
    const sentAtMs = this.#hooks.timing.nowMs()
    this.#shownTick = simulation.tick
    this.#shownAtMs = sentAtMs
    const { head, atMs, ticksPerMs } = this.#client.pacer?.motion ?? standstill
    // The client counts a time of its own, in which leaps of the clock are less.
    const aheadMs = sentAtMs - this.#client.timeOf(sentAtMs)
    return { buffer, layout, sentAtMs, motion: { head, atMs: atMs + aheadMs, ticksPerMs } }
  }

  #standing(): Standing {
    this.#noticeLaunch()
    const { status, seat, member, transport, cursors } = this.#match
    const { botSeats } = this.#client
    return {
      status,
      seat,
      member,
      transport,
      cursors,
      botSeats,
      playState: withoutRoom(this.#match.playState()),
      launch: this.#simulation === undefined ? 0 : this.#launchCount,
    }
  }

  /** A simulation is announced before anything else is said of it, with a picture to draw from. */
  #noticeLaunch(): void {
    const { simulation } = this.#client
    if (simulation === this.#simulation) return
    this.#simulation = simulation
    this.#shownTick = -1
    if (simulation === undefined) return
    this.#launchCount += 1
    const { matchId, seats, options } = simulation
    const picture = this.#makePicture(simulation)
    const mirror = { matchId, seats, options }
    const standing = this.#standing()
    this.#hooks.post({ type: 'launch', standing, mirror, picture }, [picture.buffer])
    for (const message of this.#held.splice(0)) this.#hooks.post(message(standing))
  }

  #scheduleBeat(): void {
    this.#beatAtMs = this.#hooks.timing.nowMs() + beatMs
    this.#cancelBeat = this.#hooks.timing.schedule(this.#beat, beatMs)
  }

  readonly #beat = (): void => {
    const lateMs = this.#hooks.timing.nowMs() - this.#beatAtMs
    this.#scheduleBeat()
    // Timers of workers go on when those of their page do not; where they are held back as well, the
    // relay is told what it would be told of the page.
    if (this.#isPageHidden && lateMs > throttledMs) this.#match.setHidden(true)
    if (!this.#isFelt) return
    this.#isFelt = false
    const { statistics } = this.#match
    this.#hooks.post({ type: 'vitals', standing: this.#standing(), statistics })
  }

  #end(): void {
    this.#isOver = true
    this.#match.handleRan = undefined
    this.#cancelBeat()
    this.#hooks.handleOver()
  }
}

/** Does it, unless the match has changed on the way so that it no longer can be done. */
function unlessLate(act: () => void): boolean {
  try {
    act()
    return true
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return false
  }
}

/** The page has the room. */
function withoutRoom(state: PlayState): PlayState {
  return state.name === 'waiting' ? { name: 'waiting', room: undefined } : state
}

/** All events there are: the compiler misses one that is missing. */
const eventNames: { readonly [K in keyof MatchEvents]: true } = {
  tick: true,
  status: true,
  room: true,
  launched: true,
  aborted: true,
  said: true,
  vote: true,
  denied: true,
  stats: true,
  bot: true,
  fallback: true,
  closed: true,
}

/** Of a match that is not played yet. */
const standstill = { head: 0, atMs: 0, ticksPerMs: 0 }

/** How often the page hears of the match whatever happens: as often as numbers can be read. */
const beatMs = 100

/** How often a hidden page gets a picture, for who reads a score in the name of a tab. */
const hiddenPictureMs = 1_000

/** A timer of a tenth of a second that is so late is one that is held back. */
const throttledMs = 500

/** Reports that wait for a page that hangs: minutes of a busy match. The page would not read them. */
const heldMax = 4_096
