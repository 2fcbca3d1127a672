import type { PathPatch } from '../../packages/samestep/src/netem/conditions.ts'
import { clearPath } from '../../packages/samestep/src/netem/conditions.ts'
import { CosmeticRandom } from '../../packages/samestep/src/sim/random/index.ts'
import type { Conditioner } from '../../packages/samestep/src/transport/conditioner/conditioner.ts'

/** Lines as people have them, from good to hardly any. */
const lines: { readonly [name: string]: PathPatch } = {
  clear: {},
  home: { latencyMs: 15, jitterMs: 2, loss: 0.002 },
  radio: {
    latencyMs: 8,
    jitterMs: 12,
    loss: 0.01,
    reorder: 0.02,
    burst: { everyMs: 1_500, lengthMs: 120, loss: 0.6 },
  },
  mobile: { latencyMs: 60, jitterMs: 25, loss: 0.02, duplicate: 0.01, reorder: 0.03 },
  bad: { latencyMs: 120, jitterMs: 50, loss: 0.08, duplicate: 0.03, reorder: 0.08 },
  narrow: { latencyMs: 30, bytesPerSecond: 8_000, queueBytes: 16_000 },
  cut: { isCut: true },
  clogged: { isClogged: true },
}

/** What happens next to a line, each as often as it stands here. */
const fates = [
  ...['clear', 'home', 'home', 'home', 'radio', 'radio', 'mobile', 'mobile', 'bad', 'narrow'],
  ...['cut', 'clogged', 'broken', 'broken'],
] as const

/** Longer than a player's patience with a silent link, which is 5 s, but rarely. */
const outageMsMax = 6_000

/** Changes the conditions of one line, again and again, as a seed says. */
export class Weather {
  readonly #conditioner: Conditioner
  readonly #random: CosmeticRandom
  #timer: ReturnType<typeof setTimeout> | undefined
  /** How often the connection was broken, and the line cut or clogged. */
  breaks = 0
  outages = 0

  constructor(conditioner: Conditioner, seed: number) {
    this.#conditioner = conditioner
    this.#random = new CosmeticRandom(seed)
  }

  begin(): void {
    this.#timer = setTimeout(() => this.#turn(), this.#random.below(2_000))
  }

  /** From now on the line is clear. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#conditioner.reset()
  }

  #turn(): void {
    const fate = fates[this.#random.below(fates.length)] as string
    let lastsMs = 1_000 + this.#random.below(3_000)
    if (fate === 'broken') {
      this.breaks += 1
      this.#conditioner.breakConnections()
    } else {
      this.#conditioner.set({ ...clearPath, ...lines[fate] })
    }
    if (fate === 'cut' || fate === 'clogged') {
      this.outages += 1
      lastsMs = 200 + this.#random.below(outageMsMax - 200)
    }
    this.#timer = setTimeout(() => this.#turn(), lastsMs)
  }
}
