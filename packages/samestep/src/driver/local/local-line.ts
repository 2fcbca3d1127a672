import { ClientPump } from '../../client/client-pump.ts'
import { ticksPerFrameFor } from '../../client/pacing/tick-pacer.ts'
import { StreamChannel } from '../../link/stream-channel.ts'
import type { Relay } from '../../relay/relay.ts'
import type { GameShape } from '../../sim/game/context.ts'
import type { Timing } from '../../transport/timing.ts'
import type { MatchInside } from '../match/match-inside.ts'
import type { MatchLine } from '../match/match-line.ts'
import { TickPlayer } from '../match/tick-player.ts'
import { reportError } from '../report-error.ts'
import { WakeUp } from '../timing.ts'

/**
 * Carries a match to a relay in the same process, in one time for both. While it is played, time is
 * what {@link advance} is told, and nothing happens in between: whoever stops drawing stops the game.
 * Before, in a lobby, nobody draws, and the machine's clock counts.
 *
 *     caller's clock   0   16   33   50   66 … 60 000 (a hidden minute)   60 016
 *     local time       0   16   33   50   66 …    266                        282
 *     relay                         seals                seals 4
 */
export class LocalLine<G extends GameShape, R> implements MatchLine {
  readonly #inside: MatchInside<G, R>
  readonly #relay: Relay
  readonly #pump: ClientPump<G, R>
  readonly #player: TickPlayer<G, R>
  readonly #timing: Timing
  readonly #wakeUp: WakeUp
  readonly #intervalMs: number
  #link = 0
  /** Local time: what the client and the relay are told. */
  #timeMs = 0
  /** What the caller's clock said when time last passed; `undefined` before its first word. */
  #calledMs: number | undefined
  /** What the machine's clock said then. */
  #machineMs: number
  #packetsSent = 0
  #isExchanging = false
  #isStopped = false

  constructor(inside: MatchInside<G, R>, relay: Relay, timing: Timing) {
    this.#inside = inside
    this.#relay = relay
    this.#timing = timing
    this.#machineMs = timing.nowMs()
    this.#intervalMs = 1_000 / inside.client.game.tickRate
    // By the caller's clock, a tick takes no time: a game too heavy for this machine becomes slower,
    // instead of falling behind a relay that would wait for nobody.
    this.#player = new TickPlayer(inside, () => 0)
    this.#wakeUp = new WakeUp(timing, () => this.#wakeInLobby())
    this.#pump = new ClientPump(inside.client, {
      handleWantLink: () => this.#connect(),
      handleEvent: (event) => {
        try {
          inside.handleEvent(event)
        } catch (error) {
          // A listener that throws keeps the match from nothing.
          reportError(error)
        }
      },
      send: (packet) => {
        this.#packetsSent += 1
        relay.handlePacket(this.#link, packet, this.#timeMs)
      },
    })
    this.wake()
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
    if (this.#isPlayed) this.#pump.takeEvents()
    else this.#settle()
    this.#sleep()
  }

  advance(nowMs: number): number {
    const elapsedMs = nowMs - (this.#calledMs ?? nowMs)
    this.#calledMs = nowMs
    this.#machineMs = this.#timing.nowMs()
    this.#pass(Math.min(Math.max(elapsedMs, 0), this.#elapsedMsMax))
    this.#player.run(this.#inside.client.passTime(this.#timeMs))
    this.wake()
    return this.#inside.client.passTime(this.#timeMs)
  }

  stop(): void {
    if (this.#isStopped) return
    this.#pump.takeEvents()
    this.#isStopped = true
    this.#wakeUp.stop()
  }

  /** Whether ticks are sealed, and time is the caller's. */
  get #isPlayed(): boolean {
    const { room, cursors } = this.#inside.client
    return room?.phase === 'running' || cursors.sealedTick > 0
  }

  /** A longer step is a pause that nobody wants to see made up. More ticks than that run in no frame. */
  get #elapsedMsMax(): number {
    const speed = (this.#inside.client.pacer?.speedPercent ?? 100) / 100
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
    const relayMs = this.#relay.wakeAtMs()
    return this.#isPlayed ? relayMs : Math.min(relayMs, this.#inside.client.wakeAtMs())
  }

  /** Says, answers and answers again, until nobody has anything to say. */
  #settle(): void {
    for (let rounds = 0; rounds < roundsMax && !this.#isStopped; rounds++) {
      const before = this.#packetsSent
      this.#exchange()
      if (this.#isPlayed || this.#packetsSent === before) return
    }
  }

  /**
   * One round: what the client has to say, then at most one sealed tick, then its bundle. The client
   * is asked again only in the next round, so that its turn says what is held then.
   */
  #exchange(): void {
    const { client } = this.#inside
    this.#isExchanging = true
    try {
      client.handleTime(this.#timeMs)
      this.#pump.flush()
      this.#relay.handleTime(this.#timeMs)
      this.#takeOutputs()
      this.#pump.takeEvents()
    } finally {
      this.#isExchanging = false
    }
  }

  #takeOutputs(): void {
    const { client } = this.#inside
    for (let output = this.#relay.pollOutput(); output; output = this.#relay.pollOutput()) {
      if (output.type === 'send') client.handlePacket(output.bytes, this.#timeMs)
      if (output.type === 'close') client.handleLinkClosed(this.#timeMs)
      if (output.type === 'match' && output.event.type === 'bug') reportError(output.event.error)
    }
  }

  #connect(): void {
    if (this.#link > 0) this.#relay.handleLinkClosed(this.#link, this.#timeMs)
    this.#link += 1
    const makeChannel = (nowMs: number) => new StreamChannel(nowMs)
    this.#relay.handleLinkOpened(this.#link, makeChannel, this.#timeMs)
    this.#inside.client.handleLinkOpened(makeChannel, this.#timeMs)
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
