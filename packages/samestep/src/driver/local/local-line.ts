import { ticksPerFrameFor } from '../../client/pacing/tick-pacer.ts'
import type { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Timing } from '../../transport/timing.ts'
import type { MatchInside } from '../match/match-inside.ts'
import type { MatchLine } from '../match/match-line.ts'
import { reportError } from '../report-error.ts'
import { WakeUp } from '../timing.ts'
import { LocalSeat } from './local-seat.ts'

/**
 * Carries the players of this process to a relay in the same process, in one time for both. While it is played, time is
 * what {@link advance} is told, and nothing happens in between: whoever stops drawing stops the game.
 * Before, in a lobby, nobody draws, and the machine's clock counts.
 *
 *     caller's clock   0   16   33   50   66 … 60 000 (a hidden minute)   60 016
 *     local time       0   16   33   50   66 …    266                        282
 *     relay                         seals                seals 4
 *
 * The line is that of the first player; the others are carried along.
 */
export class LocalLine<G extends GameShape, R> implements MatchLine {
  readonly #seats: readonly LocalSeat<G, R>[]
  readonly #relay: Relay
  readonly #timing: Timing
  readonly #wakeUp: WakeUp
  readonly #intervalMs: number
  /** Local time: what the clients and the relay are told. */
  #timeMs = 0
  /** What the caller's clock said when time last passed; `undefined` before its first word. */
  #calledMs: number | undefined
  /** What the machine's clock said then. */
  #machineMs: number
  #links = 0
  #isExchanging = false
  #isStopped = false

  /** `insides` are the players of this process, the one whose line this is first. */
  constructor(
    insides: readonly [MatchInside<G, R>, ...MatchInside<G, R>[]],
    relay: Relay,
    timing: Timing,
  ) {
    this.#relay = relay
    this.#timing = timing
    this.#machineMs = timing.nowMs()
    this.#intervalMs = 1_000 / insides[0].client.game.tickRate
    this.#wakeUp = new WakeUp(timing, () => this.#wakeInLobby())
    const host = { relay, nowMs: () => this.#timeMs, nextLink: () => ++this.#links }
    this.#seats = insides.map((inside) => new LocalSeat(inside, host))
    this.wake()
  }

  /** The line of another player, for whom time passes when it does for the first. */
  lineOf(index: number): MatchLine {
    const seat = this.#seats[index] as LocalSeat<G, R>
    const line = this
    return {
      get transport() {
        return seat.isStopped ? undefined : line.transport
      },
      nowMs: () => line.nowMs(),
      flush: () => line.wake(),
      wake: () => line.wake(),
      advance: () => seat.inside.client.passTime(line.nowMs()),
      stop: () => line.#stopSeat(seat),
    }
  }

  get transport(): string | undefined {
    return this.#isStopped ? undefined : 'local'
  }

  nowMs(): number {
    return this.#timeMs
  }

  /** While it is played, what was said goes out right before the next tick, so that it says the newest. */
  flush(): void {
    this.wake()
  }

  wake(): void {
    if (this.#isStopped || this.#isExchanging) return
    if (this.#isPlayed) this.#takeEvents()
    else this.#settle()
    this.#sleep()
  }

  advance(nowMs: number): number {
    const elapsedMs = nowMs - (this.#calledMs ?? nowMs)
    this.#calledMs = nowMs
    this.#machineMs = this.#timing.nowMs()
    this.#pass(Math.min(Math.max(elapsedMs, 0), this.#elapsedMsMax))
    this.#runTicks()
    this.wake()
    return this.#client.passTime(this.#timeMs)
  }

  stop(): void {
    if (this.#isStopped) return
    this.#takeEvents()
    this.#isStopped = true
    this.#wakeUp.stop()
  }

  get #client() {
    return (this.#seats[0] as LocalSeat<G, R>).inside.client
  }

  /** What a player who leaves has to say still gets to the relay: the others go on. */
  #stopSeat(seat: LocalSeat<G, R>): void {
    if (seat.isStopped) return
    if (!this.#isStopped) seat.pump.flush()
    seat.isStopped = true
  }

  /** Every player's ticks, also when a guard throws about the first one's: it throws about all alike. */
  #runTicks(): void {
    let failure: { readonly error: unknown } | undefined
    for (const { inside, player, isStopped } of this.#seats) {
      if (isStopped) continue
      try {
        player.run(inside.client.passTime(this.#timeMs))
      } catch (error) {
        failure ??= { error }
      }
    }
    if (failure !== undefined) throw failure.error
  }

  #takeEvents(): void {
    for (const seat of this.#seats) if (!seat.isStopped) seat.pump.takeEvents()
  }

  /** Whether ticks are sealed, and time is the caller's. */
  get #isPlayed(): boolean {
    const { room, cursors } = this.#client
    return room?.phase === 'running' || cursors.sealedTick > 0
  }

  /** A longer step is a pause that nobody wants to see made up. More ticks than that run in no frame. */
  get #elapsedMsMax(): number {
    const speed = (this.#client.running?.pacer.speedPercent ?? 100) / 100
    return Math.min(
      stepMsMax,
      (ticksPerFrameFor(1_000 / this.#intervalMs) * this.#intervalMs) / Math.max(speed, 1),
    )
  }

  /** Lets time pass, each tick at its own: few frames per second must not make a slow game. */
  #pass(elapsedMs: number): void {
    const untilMs = this.#timeMs + elapsedMs
    for (let rounds = 0; rounds < roundsMax && !this.#isStopped; rounds++) {
      const dueMs = this.#dueMs()
      if (dueMs > untilMs) break
      this.#timeMs = Math.max(dueMs, this.#timeMs)
      this.#exchange()
    }
    this.#timeMs = untilMs
  }

  /** When there is something to do. A client that plays speaks when its relay seals, and not before. */
  #dueMs(): number {
    let dueMs = this.#relay.wakeAtMs()
    if (this.#isPlayed) return dueMs
    for (const { inside, isStopped } of this.#seats) {
      if (!isStopped) dueMs = Math.min(dueMs, inside.client.wakeAtMs())
    }
    return dueMs
  }

  /** Says, answers and answers again, until nobody has anything to say. */
  #settle(): void {
    for (let rounds = 0; rounds < roundsMax && !this.#isStopped; rounds++) {
      const before = this.#packetsSent
      this.#exchange()
      if (this.#isPlayed || this.#packetsSent === before) return
    }
  }

  get #packetsSent(): number {
    return this.#seats.reduce((sum, { packetsSent }) => sum + packetsSent, 0)
  }

  /**
   * One round: what the clients have to say, then at most one sealed tick, then its bundle. A client
   * is asked again only in the next round, so that its turn says what is held then.
   */
  #exchange(): void {
    this.#isExchanging = true
    try {
      for (const { inside, pump, isStopped } of this.#seats) {
        if (isStopped) continue
        inside.client.handleTime(this.#timeMs)
        pump.flush()
      }
      this.#relay.handleTime(this.#timeMs)
      this.#takeOutputs()
      this.#takeEvents()
    } finally {
      this.#isExchanging = false
    }
  }

  #takeOutputs(): void {
    for (let output = this.#relay.pollOutput(); output; output = this.#relay.pollOutput()) {
      if (output.type === 'send') {
        this.#clientAt(output.link)?.handlePacket(output.bytes, this.#timeMs)
      }
      if (output.type === 'close') this.#clientAt(output.link)?.handleLinkClosed(this.#timeMs)
      if (output.type === 'match' && output.event.type === 'bug') reportError(output.event.error)
    }
  }

  #clientAt(link: number) {
    return this.#seats.find((seat) => seat.hasLink(link))?.inside.client
  }

  /** Sets the machine's timer for what is next, unless time is the caller's. */
  #sleep(): void {
    if (this.#isStopped || this.#isPlayed) this.#wakeUp.stop()
    else this.#wakeUp.set(this.#machineMs + Math.max(this.#dueMs() - this.#timeMs, 1))
  }

  #wakeInLobby(): void {
    const nowMs = this.#timing.nowMs()
    const elapsedMs = Math.min(Math.max(nowMs - this.#machineMs, 0), lobbyStepMsMax)
    this.#machineMs = nowMs
    // A game that draws while it loads must not count the same time twice.
    if (this.#calledMs !== undefined) this.#calledMs += elapsedMs
    this.#pass(elapsedMs)
    this.wake()
  }
}

/** Time that one call makes up at the most: as for a relay that stood still. */
const stepMsMax = 200

/** Timers of a hidden page fire once a second, and a countdown goes on there. */
const lobbyStepMsMax = 1_000

/** Rounds of one call: more ticks than that are never due at once. */
const roundsMax = 64
