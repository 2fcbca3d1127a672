import type { GameShape } from '../../sim/game/definition/context.ts'
import type { Dial } from '../../transport/connection.ts'
import type { Timing } from '../../transport/timing.ts'
import type { DialDoor } from '../machines/client-driver.ts'
import { ClientDriver } from '../machines/client-driver.ts'
import type { MatchInside } from '../match/match-inside.ts'
import type { MatchLine } from '../match/match-line.ts'
import { TickPlayer } from '../match/tick-player.ts'
import { sameClockMs, WakeUp } from '../timing.ts'

/**
 * Carries a match over a relay. Ticks are run by {@link advance}, in step with the pictures; when
 * nobody asks for pictures, as in a hidden tab or in a program without a screen, they are run as they
 * come.
 */
export class OnlineLine<G extends GameShape, R> implements MatchLine {
  readonly #inside: MatchInside<G, R>
  readonly #driver: ClientDriver<G, R>
  readonly #player: TickPlayer<G, R>
  readonly #timing: Timing
  /** Wakes for the next tick where no picture does. */
  readonly #unseen: WakeUp
  /** When a picture was last asked for, by the machine's clock. */
  #drawnAtMs = Number.NEGATIVE_INFINITY

  constructor(inside: MatchInside<G, R>, dial: Dial, timing: Timing, dialDoor?: DialDoor) {
    this.#inside = inside
    this.#timing = timing
    this.#player = new TickPlayer(inside, () => timing.nowMs())
    this.#unseen = new WakeUp(timing, () => this.#driver.wake())
    const hooks = {
      handleEvent: inside.handleEvent,
      handleProgress: (nowMs: number) => this.#runUnseen(nowMs),
      handleTransport: (transport: string | undefined) =>
        inside.events.emit('transport', { transport }),
    }
    this.#driver = new ClientDriver(inside.client, dial, timing, hooks, dialDoor)
    this.#driver.wake()
  }

  get transport(): string | undefined {
    return this.#driver.transport
  }

  nowMs(): number {
    return this.#timing.nowMs()
  }

  /** Orders leave when they are issued, not when the next packet comes. */
  flush(): void {
    this.#driver.flush()
  }

  wake(): void {
    this.#driver.wake()
  }

  advance(nowMs: number): number {
    const machineMs = this.#timing.nowMs()
    this.#drawnAtMs = machineMs
    this.#unseen.stop()
    // The time of the picture is steadier than the time of the call, if it is of the same clock. The
    // client is not told of it: packets came since, and a clock that goes back and forth runs fast.
    const sinceMs = Math.abs(machineMs - nowMs) < sameClockMs ? machineMs - nowMs : 0
    const clientMs = this.#inside.client.passTime(machineMs)
    const timeMs = Math.max(clientMs - sinceMs, this.#player.plannedMs)
    this.#player.run(timeMs)
    this.#driver.flush()
    return timeMs
  }

  stop(): void {
    this.#unseen.stop()
    this.#driver.stop()
  }

  /** Without pictures, what comes is run when it is due: nobody falls behind because nobody looks. */
  #runUnseen(nowMs: number): void {
    const { client } = this.#inside
    const { running } = client
    if (running === undefined || nowMs - this.#drawnAtMs < unseenMs) return
    const timeMs = Math.max(client.passTime(nowMs), this.#player.plannedMs)
    try {
      this.#player.run(timeMs)
    } finally {
      // At least a little later, so that others have their turn.
      const waitMs = Math.max(running.pacer.wakeAtMs() - timeMs, 1)
      if (client.status === 'closed') this.#unseen.stop()
      else this.#unseen.set(nowMs + waitMs)
    }
  }
}

/** Without a picture for so long, nobody is drawing: far more than a slow frame takes. */
const unseenMs = 250
