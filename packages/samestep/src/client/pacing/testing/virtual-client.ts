import { SendShift } from '../send-shift.ts'
import { TickPacer } from '../tick-pacer.ts'
import type { VirtualBundle, VirtualTurn } from './virtual-relay.ts'
import type { VirtualTime } from './virtual-time.ts'

/** What happens to one client, over time. */
export interface ClientPlan {
  /** One way, in both directions. */
  readonly latencyMs?: (atMs: number) => number
  /** Mean of a delay without memory on top. */
  readonly jitterMs?: (atMs: number) => number
  readonly tickMs?: (atMs: number) => number
  readonly drawMs?: number
  readonly fps?: number
  /** No pictures, but messages come. */
  readonly isHidden?: (atMs: number) => boolean
  /** Nothing runs at all: a lid was closed. */
  readonly isFrozen?: (atMs: number) => boolean
}

/** A client's loop around the control laws: one thread for messages, ticks and pictures. */
export class VirtualClient {
  readonly pacer: TickPacer
  readonly shift: SendShift
  /** By tick: when it was run. */
  readonly ranMs: number[] = []
  simulated = 0
  received = 0
  /** Most ticks between two pictures. */
  mostPerFrame = 0
  readonly #time: VirtualTime
  readonly #plan: ClientPlan
  readonly #intervalMs: number
  readonly #send: (turn: VirtualTurn) => void
  readonly #waiting: VirtualBundle[] = []
  readonly #speeds: number[] = []
  #delayTicks: number
  #inputTick = 0
  #busyUntilMs = 0
  #sendAtMs = Number.POSITIVE_INFINITY
  #bundleAtMs = 0

  constructor(
    time: VirtualTime,
    plan: ClientPlan,
    options: { readonly tickRate: number; readonly delayTicks: number; readonly phaseMs: number },
    send: (turn: VirtualTurn) => void,
  ) {
    this.#time = time
    this.#plan = plan
    this.#intervalMs = 1_000 / options.tickRate
    this.#delayTicks = options.delayTicks
    this.#send = send
    this.pacer = new TickPacer(options.tickRate)
    this.shift = new SendShift(this.#intervalMs, options.delayTicks)
    time.at(options.phaseMs, () => this.#frame())
  }

  /** The network hands over; the thread takes it when it is free. */
  receive(bundle: VirtualBundle): void {
    this.#waiting.push(bundle)
    this.#wake()
  }

  #wake(): void {
    const { nowMs } = this.#time
    if (this.#plan.isFrozen?.(nowMs) === true) return
    if (nowMs < this.#busyUntilMs) {
      this.#time.at(this.#busyUntilMs, () => this.#wake())
      return
    }
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) this.#take(next)
    if (this.pacer.state.name === 'hidden') this.#runTicks()
  }

  #take(bundle: VirtualBundle): void {
    const { nowMs } = this.#time
    this.received = bundle.tick
    this.#speeds[bundle.tick] = bundle.speedPercent
    this.pacer.noteArrival(bundle.tick, nowMs)
    this.pacer.arrivals.settle()
    if (bundle.isMissing) this.shift.noteLate(nowMs)
    if (bundle.delayTicks !== this.#delayTicks) {
      this.#delayTicks = bundle.delayTicks
      this.shift.setDelay(bundle.delayTicks)
    }
    const { report } = bundle
    if (report) this.shift.noteReport(report.minMs, report.medianMs, bundle.delayTicks, nowMs)
    this.shift.advance(nowMs)
    const sendAtMs = this.shift.sendAtMs(nowMs, this.pacer.arrivals.earliestMs(bundle.tick))
    if (this.#sendAtMs === Number.POSITIVE_INFINITY) this.#bundleAtMs = nowMs
    if (sendAtMs >= this.#sendAtMs) return
    this.#sendAtMs = sendAtMs
    this.#time.at(sendAtMs, () => this.#sendTurn())
  }

  #sendTurn(): void {
    const { nowMs } = this.#time
    if (nowMs < this.#sendAtMs) return
    if (nowMs < this.#busyUntilMs) {
      this.#time.at(this.#busyUntilMs, () => this.#sendTurn())
      return
    }
    this.#sendAtMs = Number.POSITIVE_INFINITY
    this.#inputTick = Math.max(this.#inputTick, this.received + this.#delayTicks)
    this.#send({
      received: this.received,
      inputTick: this.#inputTick,
      heldMs: nowMs - this.#bundleAtMs,
      state: this.pacer.state.name,
      loadPercent: this.pacer.load.takeReport(nowMs),
    })
  }

  #frame(): void {
    const { nowMs } = this.#time
    const frameMs = 1_000 / (this.#plan.fps ?? 60)
    const isHidden = this.#plan.isHidden?.(nowMs) === true
    const isFrozen = this.#plan.isFrozen?.(nowMs) === true
    this.pacer.setHidden(isHidden)
    if (!isFrozen && !isHidden) {
      this.#wake()
      this.#runTicks()
      const drawMs = this.#plan.drawMs ?? 2
      this.pacer.load.noteDraw(drawMs)
      this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + drawMs
    }
    // A picture that was missed is not drawn twice: the next one is at the next beat of the screen.
    const beats = Math.max(Math.ceil((this.#busyUntilMs - nowMs) / frameMs), 1)
    this.#time.at(nowMs + beats * frameMs, () => this.#frame())
  }

  #runTicks(): void {
    const { nowMs } = this.#time
    const tickMs = this.#plan.tickMs?.(nowMs) ?? 2
    const planned = this.pacer.plan(nowMs, this.simulated, this.received)
    let ran = 0
    while (ran < planned && (ran === 0 || nowMs + ran * tickMs < this.pacer.deadlineMs)) {
      ran += 1
      this.simulated += 1
      this.ranMs[this.simulated] = nowMs
    }
    this.mostPerFrame = Math.max(this.mostPerFrame, ran)
    this.#busyUntilMs = nowMs + ran * tickMs
    this.pacer.noteRan(ran, ran * tickMs)
    const speed = this.#speeds[this.simulated]
    if (ran === 0 || speed === undefined || speed === this.pacer.speedPercent) return
    this.pacer.speedPercent = speed
    this.shift.setTickInterval((this.#intervalMs * 100) / speed)
  }
}
