/** Plays a broken game on a relay, in whatever process, and says what it was told about the desync. */
import { type DesyncReport, type Game, joinMatch, playLocal, runHeadless } from 'samestep'
import { gameOf } from '../game-of.ts'
import { type Scene, type ScriptedOrder, scenes } from './scenes.ts'

/** What a player is asked to do; `match` is another one each time. */
export type Task = {
  readonly file: string
  readonly match: string
  readonly url: string
  readonly side: 0 | 1
}

/** What it says: that it has a seat, that the match has come to its late tick, and what it was told. */
export type Said = { readonly match: string } & (
  | { readonly type: 'seated' | 'late' }
  | { readonly type: 'report'; readonly report: object }
  | { readonly type: 'failed'; readonly message: string }
)

type Draw = (picture: object, seat: number) => unknown

/** The match as any game has it. */
type AnyMatch = Awaited<ReturnType<typeof joinMatch>>

/** Plays a match until the report of its desync is finished. */
export async function play(task: Task, module: object, say: (said: Said) => void): Promise<void> {
  const { file, match: name, url, side } = task
  const game = gameOf(module)
  const scene = scenes[file] as Scene
  if (side === 1 && scene.before !== undefined) await playBefore(game, scene.before)
  const match = (await joinMatch(game, {
    url,
    match: name,
    name: `side ${side}`,
    seats: 2,
    // As players have it. In development a guard would stop most of these games at once.
    development: false,
    remember: false,
    transport: 'websocket',
    timeoutMs: 60_000,
    ...(scene.lateTick === undefined ? {} : { lobby: { start: 'by-owner', countdownMs: 0 } }),
  })) as unknown as AnyMatch
  let isTold = false
  match.on('desync', (report: DesyncReport) => {
    if (report.stage !== 'traced' || isTold) return
    isTold = true
    say({ type: 'report', match: name, report: JSON.parse(JSON.stringify(report)) })
  })
  say({ type: 'seated', match: name })
  if (scene.lateTick !== undefined && side === 0) match.act({ type: 'start' })
  const screen = new Screen(match, task, scene, (module as { readonly draw?: Draw }).draw)
  const endMs = performance.now() + patienceMs
  while (!isTold && performance.now() < endMs && match.status !== 'closed') {
    if (screen.draw()) say({ type: 'late', match: name })
    await new Promise((resolve) => setTimeout(resolve, scene.frameMs?.[side] ?? 15))
  }
  if (!isTold) say({ type: 'failed', match: name, message: untold(match, side) })
  // The other side may not have been told yet.
  setTimeout(() => match.close(), 500)
}

/** Long enough for a busy machine. */
const patienceMs = 60_000

/** What a match looks like that should have come apart and did not. */
function untold({ status, cursors, pendingOrders }: AnyMatch, side: number): string {
  const orders = `${pendingOrders.length} orders pending`
  return `Side ${side} was told of no desync: ${status}, tick ${cursors.simulatedTick}, ${orders}`
}

/** What stands between a player and the match: it draws, and issues orders. */
class Screen {
  readonly #match: AnyMatch
  readonly #side: 0 | 1
  readonly #scene: Scene
  readonly #drawGame: Draw | undefined
  readonly #orders: ScriptedOrder[]
  #isLate = false
  #heldTicks = 0
  #speed = 100

  constructor(match: AnyMatch, { side }: Task, scene: Scene, drawGame: Draw | undefined) {
    this.#match = match
    this.#side = side
    this.#scene = scene
    this.#drawGame = drawGame
    this.#orders = (scene.orders ?? []).filter(({ seat }) => seat === side)
    if (scene.isShownFirst) drawGame?.({}, match.seat ?? 0)
  }

  /** One picture. Gives whether it is the one with which the match is old enough for others to come. */
  draw(): boolean {
    const match = this.#match
    const { asks, lateTick = Number.POSITIVE_INFINITY, speed = 100, speedTick = 0 } = this.#scene
    const picture = match.advance(performance.now())
    // A screen draws from the lobby on.
    this.#drawGame?.(picture, match.seat ?? 0)
    if (picture.phase !== 'running') return false
    issue(match, this.#orders, this.#scriptTick(picture.tick, lateTick))
    if (this.#side === 1 && asks) match.canOrder(asks.order, asks.data)
    if (this.#side === 0 && picture.tick >= lateTick) this.#setSpeed(100)
    else if (this.#side === 0 && this.#haveRun(speedTick)) this.#setSpeed(speed)
    if (this.#isLate || picture.tick < lateTick || !this.#haveRun(lateTick)) return false
    this.#isLate = true
    return true
  }

  /** How far the script is: it stands still while the machine that comes late is not there yet. */
  #scriptTick(tick: number, lateTick: number): number {
    const members = this.#match.room?.members ?? []
    const active = members.filter(({ presence }) => presence === 'active')
    if (active.length < 2 && tick - this.#heldTicks >= lateTick) this.#heldTicks = tick - lateTick
    return tick - this.#heldTicks
  }

  /** Whether the orders that come before a tick have run: on a busy machine they are late. */
  #haveRun(tick: number): boolean {
    const next = this.#orders[0]?.tick ?? Number.POSITIVE_INFINITY
    return next > tick && (tick === 0 || this.#match.pendingOrders.length === 0)
  }

  #setSpeed(percent: number): void {
    if (percent === this.#speed) return
    this.#speed = percent
    this.#match.act({ type: 'set-speed', percent })
  }
}

/** So many orders are on their way at most: after a long picture many are due. */
const pendingMax = 16

/** Issues the orders that are due. */
function issue(match: AnyMatch, orders: ScriptedOrder[], tick: number): void {
  while (orders[0] !== undefined && orders[0].tick <= tick) {
    if (match.pendingOrders.length >= pendingMax) return
    const { order, data } = orders.shift() as ScriptedOrder
    match.order(order, data)
  }
}

/** A match of this machine alone, before the one that counts. */
async function playBefore(game: Game, script: readonly ScriptedOrder[]): Promise<void> {
  const match = playLocal(game, { seats: 1, seed: 7, development: false })
  const orders = [...script]
  await runHeadless(match, {
    mode: 'as-fast-as-possible',
    untilTick: 40,
    onTick: ({ tick }) => issue(match as unknown as AnyMatch, orders, tick),
  })
  match.close()
}
