import { between, playStage, type StageOptions, type StageResult } from './stage.ts'
import type { ClientPlan } from './stage-client.ts'

/** A scene: what happens to the first of three players, while nothing happens to the others. */
export interface Scene {
  readonly id: string
  readonly title: string
  /** What there is to see in it. */
  readonly description: string
  /** When it begins to happen, and when that ends. */
  readonly fromMs: number
  readonly toMs: number
  readonly options: StageOptions
}

/** A good line and a fast machine. */
const quiet: ClientPlan = {}

const fromMs = 20_000
const toMs = 50_000

/** Twelve ticks of 33 ms are what 200 ms each way need. */
const wide = { min: 2, max: 16 } as const

const stepped: ClientPlan = { latencyMs: between(fromMs, toMs, 200, 20) }

/** Five seconds in every thirty. */
const bursty: ClientPlan = {
  jitterMs: (atMs) => (atMs >= fromMs && atMs % 30_000 < 5_000 ? 40 : 1),
}

/** A tick may take 33 ms; it takes three times that. */
const slow: ClientPlan = { tickCostMs: between(fromMs, toMs, 100, 5) }

const hiddenToMs = fromMs + 300_000
const hidden: ClientPlan = { isHidden: (atMs) => atMs >= fromMs && atMs < hiddenToMs }

/** One player of three: a median of three loads is not moved by one of them. */
function withOthers(one: ClientPlan): readonly ClientPlan[] {
  return [one, quiet, quiet]
}

/** All scenes, by what happens in them. */
export const scenes = {
  latencyStep: {
    id: 'latency-step',
    title: 'One-way latency of one player: 20 → 200 → 20 ms, delay range 2–16 ticks',
    description:
      'The input delay rises once, within a second, and falls once, within ten seconds of the end of the step. The ticks of the others run as evenly as before.',
    fromMs,
    toMs,
    options: { forMs: 80_000, inputDelay: wide, clients: withOthers(stepped) },
  },
  hopeless: {
    id: 'latency-step-hopeless',
    title: 'The same step with a delay range of 2–6 ticks',
    description:
      'No delay of the range would help, so the match keeps the short one: the inputs of the far player are late and his orders are not, and the others notice nothing.',
    fromMs,
    toMs,
    options: { forMs: 80_000, inputDelay: { min: 2, max: 6 }, clients: withOthers(stepped) },
  },
  jitterBursts: {
    id: 'jitter-bursts',
    title: 'Jitter of one player: 1 ms, and 40 ms for five seconds in every thirty',
    description:
      'After each burst the delay waits longer before it falls, until it stays up. Only the buffer of the player himself grows.',
    fromMs: 30_000,
    toMs: 155_000,
    options: { forMs: 178_000, inputDelay: wide, clients: withOthers(bursty) },
  },
  slowOff: {
    id: 'slow-machine-off',
    title: 'One machine three times too slow for 30 s, lag protection off',
    description:
      'The slow player is told within a second, falls behind, catches up with progress when his machine recovers. Nobody waits for him.',
    fromMs,
    toMs,
    options: { forMs: 80_000, lagProtection: 'off', clients: withOthers(slow) },
  },
  slowMedian: {
    id: 'slow-machine-median',
    title: 'One machine of three three times too slow for 30 s, lag protection by the median',
    description: 'One slow machine does not move the median: all is as with protection off.',
    fromMs,
    toMs,
    options: { forMs: 80_000, lagProtection: 'median', clients: withOthers(slow) },
  },
  slowMaximum: {
    id: 'slow-machine-maximum',
    title: 'One machine three times too slow for 30 s, lag protection by the maximum',
    description:
      'The match slows down in steps until the slow machine keeps up, and is at full speed within ten seconds of its recovery. Nobody stalls.',
    fromMs,
    toMs,
    options: { forMs: 80_000, lagProtection: 'maximum', clients: withOthers(slow) },
  },
  hiddenTab: {
    id: 'hidden-tab',
    title: 'One tab hidden for five minutes',
    description:
      'Without pictures and with timers once a second, ticks still run when they come, so there is nothing to catch up with. The others see that the player is away.',
    fromMs,
    toMs: hiddenToMs,
    options: { forMs: hiddenToMs + 20_000, clients: withOthers(hidden) },
  },
} as const satisfies { readonly [name: string]: Scene }

/** A match in which nothing happens, as long as a scene and with its settings. */
export function playCalm({ options }: Scene): StageResult {
  return playStage({ ...options, clients: [quiet, quiet, quiet] })
}

const played = new Map<Scene, StageResult>()

/** A scene as it happens. With the usual seed it is played once, however many ask for it. */
export function playScene(scene: Scene, seed = 1): StageResult {
  const known = seed === 1 ? played.get(scene) : undefined
  const result = known ?? playStage({ ...scene.options, seed })
  if (seed === 1) played.set(scene, result)
  return result
}
