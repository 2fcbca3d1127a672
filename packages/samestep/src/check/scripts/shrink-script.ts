import { ddmin } from '../../base/ddmin.ts'
import type { Finding } from '../lanes/lane.ts'
import type { Script, ScriptItem } from './script.ts'

/** What shrinking needs and may be told. */
export interface ShrinkScriptOptions {
  /** Plays a script; gives the finding when it is the same kind as the one to keep. */
  readonly run: (script: Script) => Finding | undefined
  /** The maximum number of runs. */
  readonly runsMax?: number | undefined
  /** Ticks to spend over all runs: what keeps a late finding from taking an hour. */
  readonly ticksMax?: number | undefined
  readonly onRun?: ((runs: number, items: number) => void) | undefined
}

/** The smallest script found. */
export interface ShrunkScript {
  readonly script: Script
  /** What the script shows; `undefined` when not even the whole of it shows anything again. */
  readonly finding: Finding | undefined
  readonly runs: number
}

const runsMaxDefault = 300
const ticksMaxDefault = 60_000

/**
 * Takes away from a script all that its finding does not need: what comes after it, then orders,
 * inputs and events, then the idle ticks before them.
 */
export function shrinkScript(whole: Script, options: ShrinkScriptOptions): ShrunkScript {
  const shrinker = new Shrinker(whole, options)
  if (!shrinker.try(whole)) return { script: whole, finding: undefined, runs: shrinker.runs }
  shrinker.thin()
  shrinker.advance()
  shrinker.close()
  shrinker.thin()
  return { script: shrinker.script, finding: shrinker.finding, runs: shrinker.runs }
}

class Shrinker {
  script: Script
  finding: Finding | undefined
  runs = 0
  readonly #options: ShrinkScriptOptions
  #ticks = 0

  constructor(whole: Script, options: ShrinkScriptOptions) {
    this.script = whole
    this.#options = options
  }

  /** Keeps a script if it still shows the finding; and cuts off what comes after it. */
  try(script: Script): boolean {
    const { run, runsMax = runsMaxDefault, ticksMax = ticksMaxDefault } = this.#options
    if (this.runs > 0 && (this.runs >= runsMax || this.#ticks >= ticksMax)) return false
    this.runs += 1
    this.#ticks += script.ticks
    const finding = run(script)
    this.#options.onRun?.(this.runs, this.script.items.length)
    if (finding === undefined) return false
    // A finding between two ticks, such as one of drawing, needs the tick after it to be seen.
    const ticks = Math.min(script.ticks, Math.max(finding.tick, 1) + 1)
    this.script = { ...script, ticks, items: script.items.filter(({ tick }) => tick <= ticks) }
    this.finding = finding
    return true
  }

  thin(): void {
    const all = this.script.items
    ddmin(all, (subset) => {
      if (subset.length === all.length) return true
      const kept = new Set(subset)
      return this.try({ ...this.script, items: all.filter((item) => kept.has(item)) })
    })
  }

  /** Leaves out the idle ticks in between. */
  close(): void {
    const ticks = [...new Set(this.script.items.map(({ tick }) => tick))]
    const items = this.script.items.map((item) => ({ ...item, tick: ticks.indexOf(item.tick) + 1 }))
    if (ticks.at(-1) !== ticks.length) this.try({ ...this.script, items })
  }

  /** Brings everything forward, as far as it will go. */
  advance(): void {
    const first = this.script.items[0]?.tick ?? this.script.ticks
    for (let shift = first - 1; shift > 0; shift = Math.floor(shift / 2)) {
      const ticks = this.script.ticks - shift
      if (
        ticks >= 1 &&
        this.try({ ...this.script, ticks, items: moved(this.script.items, shift) })
      ) {
        return
      }
    }
  }
}

function moved(items: readonly ScriptItem[], shift: number): ScriptItem[] {
  return items.map((item) => ({ ...item, tick: Math.max(item.tick - shift, 1) }))
}
