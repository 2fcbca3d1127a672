import { UsageError } from '../../base/errors.ts'
import type { Client } from '../../client/client.ts'
import type { MatchAction } from '../../client/membership/match-action.ts'
import type { OrderEnd } from '../../client/outbox/order-outbox.ts'
import type { PlayState } from '../../client/status/play-state.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { Timing } from '../../transport/timing.ts'
import type { ClientMatch } from '../match/client-match.ts'
import type { AnyEvent } from '../match/match.ts'
import { matchEventNames } from '../match/match.ts'
import type { MatchInside } from '../match/match-inside.ts'
import { PictureMemory } from './pictures/picture-memory.ts'
import { packEnd, packError, packEvent } from './worker-errors.ts'
import type { PageMessage, SentPicture, Standing, WorkerMessage } from './worker-messages.ts'

type FileRequest = Extract<PageMessage, { readonly type: 'desync-file' }>

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
  readonly #inside: MatchInside<G, R>
  readonly #match: ClientMatch<G, R>
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
  #stopMeasuring = () => {}

  constructor(inside: MatchInside<G, R>, match: ClientMatch<G, R>, hooks: ServedMatchHooks) {
    this.#inside = inside
    this.#client = inside.client
    this.#match = match
    this.#hooks = hooks
    for (const name of matchEventNames) {
      // The page issues the orders, and tells of them itself.
      if (name === 'order') continue
      match.on(name, (value) => this.#tell({ name, value } as AnyEvent))
    }
    inside.handleRan = () => this.#show()
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
      case 'input-as':
        this.#match.inputAs(message.seat, message.changes as never)
        return
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
      case 'measure':
        this.#stopMeasuring()
        this.#stopMeasuring = message.isWanted ? this.#match.measureTicks() : () => {}
        return
      case 'debug-level':
        this.#match.debug.setLevel(message.level)
        return
      case 'debug-ask':
        void this.#answerDebug(message.number)
        return
      case 'desync-file':
        void this.#sendFile(message)
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
      this.#say((standing) => ({ type: 'settled', standing, number, end: packEnd(end) }))
    }
    const { name, data } = this.#decode(bytes)
    const isIssued = unlessLate(() => {
      this.#match.order(name, data).settled.then(settle)
    })
    if (!isIssued) settle({ result: 'lost' })
  }

  async #sendFile({ number, report }: FileRequest): Promise<void> {
    const file = await this.#inside.desyncFile(report).then(
      (bytes) => ({ bytes, error: undefined }),
      (error: unknown) => ({ bytes: undefined, error: packError(error) }),
    )
    if (this.#isOver) return
    this.#hooks.post({ type: 'desync-file', standing: this.#standing(), number, ...file })
  }

  /** The page encoded it to see that it can be, and so that nothing odd has to cross. */
  #decode(bytes: Uint8Array): { readonly name: never; readonly data: never } {
    const { type, data } = this.#client.game.orderCodec.decode(bytes)
    return { name: type.name as never, data: data as never }
  }

  #act(action: MatchAction): void {
    if (unlessLate(() => this.#match.act(action as MatchAction<G>))) return
    const value = { action: action.type, reason: 'not-connected' } as const
    this.#tell({ name: 'denied', value })
  }

  #tell(event: AnyEvent): void {
    if (this.#isOver) return
    if (event.name === 'tick' || event.name === 'fault') {
      if (this.#held.length >= heldMax) return
    }
    // The last picture is shown in any case: there will be no other.
    if (event.name === 'closed') this.#show('surely')
    const packed = packEvent(event)
    this.#say((standing) => ({ type: 'event', standing, event: packed }))
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
    return this.#simulation === undefined || this.#simulation.matchTick === this.#shownTick
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
    this.#shownTick = simulation.matchTick
    this.#shownAtMs = sentAtMs
    const { head, atMs, ticksPerMs } = this.#client.running?.pacer.motion ?? standstill
    // The client counts a time of its own, in which leaps of the clock are less.
    const aheadMs = sentAtMs - this.#client.passTime(sentAtMs)
    return { buffer, layout, sentAtMs, motion: { head, atMs: atMs + aheadMs, ticksPerMs } }
  }

  #standing(): Standing {
    this.#noticeLaunch()
    const { status, seat, member, transport, cursors, botSeats, blame } = this.#match
    return {
      status,
      seat,
      member,
      transport,
      cursors,
      botSeats,
      blame,
      debugLevel: this.#match.debug.level,
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
    const { matchId, seats, options, seed, orderPolicy } = simulation
    const picture = this.#makePicture(simulation)
    const mirror = { matchId, seats, options, seed, orderPolicy }
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
    const { statistics, timings } = this.#match
    this.#hooks.post({ type: 'vitals', standing: this.#standing(), statistics, timings })
  }

  async #answerDebug(number: number): Promise<void> {
    const { debug } = this.#match
    const answer = { files: await debug.files(), writes: await debug.writes() }
    if (!this.#isOver) {
      this.#hooks.post({ type: 'debug-answer', standing: this.#standing(), number, answer })
    }
  }

  #end(): void {
    this.#isOver = true
    this.#inside.handleRan = undefined
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
