import type { DelayOptions } from '../../../relay/pace/delay-controller.ts'
import { DelayController } from '../../../relay/pace/delay-controller.ts'
import type { LagMode } from '../../../relay/pace/lag-protection.ts'
import { LagProtection } from '../../../relay/pace/lag-protection.ts'
import type { PacerState } from '../tick-pacer.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What a relay says with a tick. */
export interface VirtualBundle {
  readonly tick: number
  readonly delayTicks: number
  readonly speedPercent: number
  /** Whether the receiver's own input was missing. */
  readonly isMissing: boolean
  /** Once per second: smallest and median margin without holding. */
  readonly report: { readonly minMs: number; readonly medianMs: number } | undefined
}

/** What a client says. */
export interface VirtualTurn {
  readonly received: number
  readonly inputTick: number
  readonly heldMs: number
  readonly state: PacerState['name']
  readonly loadPercent: number | undefined
}

/** A relay's loop around the control laws, without wire and game. */
export class VirtualRelay {
  readonly controller: DelayController
  readonly protection: LagProtection
  readonly changes: { atMs: number; ticks: number }[] = []
  readonly lateInputs: number[]
  readonly marginMs: number[]
  /** By tick. */
  readonly sealedMs: number[] = [0]
  readonly #time: VirtualTime
  readonly #intervalMs: number
  readonly #inputTicks: number[]
  readonly #send: (seat: number, bundle: VirtualBundle) => void
  #tick = 0

  constructor(
    time: VirtualTime,
    options: DelayOptions & { readonly lagMode: LagMode },
    send: (seat: number, bundle: VirtualBundle) => void,
  ) {
    this.#time = time
    this.#intervalMs = 1_000 / options.tickRate
    this.controller = new DelayController(options)
    this.protection = new LagProtection({ seats: options.seats, mode: options.lagMode })
    this.#inputTicks = new Array<number>(options.seats).fill(0)
    this.lateInputs = new Array<number>(options.seats).fill(0)
    this.marginMs = new Array<number>(options.seats).fill(0)
    this.#send = send
    for (let seat = 0; seat < options.seats; seat++) {
      this.controller.setActive(seat, true)
      this.protection.setCounted(seat, true)
    }
    time.at(this.#intervalMs, () => this.#seal())
  }

  handleTurn(seat: number, turn: VirtualTurn): void {
    const { nowMs } = this.#time
    const isActive = turn.state === 'active' || turn.state === 'stalled'
    this.controller.setActive(seat, isActive)
    // A slow machine is what protection is for; one that is busy for other reasons does not count.
    this.protection.setCounted(seat, isActive || turn.state === 'slow')
    if (turn.loadPercent !== undefined) this.protection.noteLoad(seat, turn.loadPercent, nowMs)
    if (turn.inputTick <= (this.#inputTicks[seat] as number)) return
    this.#inputTicks[seat] = turn.inputTick
    const sealed = this.sealedMs[turn.inputTick]
    const lastMs = this.sealedMs[this.#tick] as number
    const dueMs = sealed ?? lastMs + (turn.inputTick - this.#tick) * this.#pacedMs
    this.marginMs[seat] = dueMs - nowMs
    const delay = turn.inputTick - turn.received
    this.controller.noteMargin(seat, dueMs - nowMs, delay, nowMs, turn.heldMs)
  }

  get #pacedMs(): number {
    return (this.#intervalMs * 100) / this.protection.effectivePercent
  }

  #seal(): void {
    const { nowMs } = this.#time
    this.#tick += 1
    this.sealedMs[this.#tick] = nowMs
    const delay = this.controller.update(nowMs)
    if (delay !== undefined) this.changes.push({ atMs: nowMs, ticks: delay })
    const speed = this.protection.update(nowMs)
    if (speed !== undefined) this.controller.setSpeed(speed)
    for (let seat = 0; seat < this.#inputTicks.length; seat++) {
      const isMissing = (this.#inputTicks[seat] as number) < this.#tick && this.#tick > graceTicks
      if (isMissing) this.lateInputs[seat]! += 1
      this.#send(seat, {
        tick: this.#tick,
        delayTicks: this.controller.delayTicks,
        speedPercent: this.protection.effectivePercent,
        isMissing,
        report: this.#tick % 30 === 0 ? this.#report(seat, nowMs) : undefined,
      })
    }
    this.#time.at(nowMs + this.#pacedMs, () => this.#seal())
  }

  #report(seat: number, nowMs: number): VirtualBundle['report'] {
    const longestMs = this.controller.loopMs(seat, 1, nowMs)
    if (longestMs < 0) return undefined
    const roomMs = this.controller.delayTicks * this.#pacedMs
    const medianMs = roomMs - this.controller.loopMs(seat, 0.5, nowMs)
    return { minMs: roomMs - longestMs, medianMs }
  }
}

/** Nobody has inputs for the ticks before he heard of the first. */
const graceTicks = 30
