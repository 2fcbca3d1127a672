/**
 * Makes a failing plan small enough to understand. Each stage tries plans with less in them and keeps
 * one only if the same invariant still fails:
 *
 *     truncate ─► faults ─► attackers ─► nodes ─► knobs ─► work ─► conditions ─► lengths ─┐
 *         ▲                                                                             │
 *         └────────────── once more while the last round made it smaller ◄──────────────┘
 */

import { ddmin } from '../../../base/ddmin.ts'
import { UsageError } from '../../../base/errors.ts'
import type { PathPatch } from '../../../netem/conditions.ts'
import type { LinkCurve, Plan, PlanNode } from '../plan.ts'
import { Violation } from '../violation.ts'
import type { FaultOp } from './fault-op.ts'

/** What a run of a plan found: the broken invariant, and the virtual time. */
export interface PlanFailure {
  readonly invariant: string
  readonly atMs: number
}

/** What shrinking needs and may be told. */
export interface ShrinkOptions<P extends Plan> {
  /** Runs a plan. May return a failure or throw a {@link Violation}; `undefined` when all went well. */
  readonly run: (plan: P) => PlanFailure | undefined
  /** Nodes and attackers that no plan can do without, such as the only relay. */
  readonly isNeeded?: (node: PlanNode) => boolean
  /** Runs to spend. 400 by default: a minute, when a run takes 150 ms. */
  readonly runsMax?: number
  readonly onProgress?: (progress: ShrinkProgress) => void
}

/** The steps of shrinking, in sequence. */
export type ShrinkStage =
  | 'truncate'
  | 'faults'
  | 'attackers'
  | 'nodes'
  | 'knobs'
  | 'work'
  | 'conditions'
  | 'lengths'

/** The progress of shrinking, reported after every step that made the plan smaller. */
export interface ShrinkProgress {
  readonly stage: ShrinkStage
  readonly runs: number
  readonly faults: number
  readonly attackers: number
  readonly nodes: number
  readonly knobs: number
  readonly work: number
}

/** The smallest plan found. */
export interface ShrinkResult<P extends Plan> {
  readonly plan: P
  readonly failure: PlanFailure
  readonly runs: number
  /** False if the runs were used up before the plan was minimal. */
  readonly isFinished: boolean
}

/**
 * Shrinks a failing plan.
 *
 * @throws UsageError `SS_BAD_ARGUMENT` when the plan does not fail.
 */
export function shrinkPlan<P extends Plan>(plan: P, options: ShrinkOptions<P>): ShrinkResult<P> {
  return new Shrinker(plan, options).shrink()
}

/** A second round finds what the first made superfluous; a third hardly ever does. */
const roundsMax = 3

class Shrinker<P extends Plan> {
  readonly #options: ShrinkOptions<P>
  readonly #runsMax: number
  /** Plans that were tried and did not fail in the same way. */
  readonly #tried = new Set<string>()
  #plan: P
  #failure: PlanFailure
  #runs = 0
  #stage: ShrinkStage = 'truncate'

  constructor(plan: P, options: ShrinkOptions<P>) {
    this.#options = options
    this.#runsMax = options.runsMax ?? 400
    this.#plan = plan
    const failure = this.#run(plan)
    if (failure === undefined) {
      throw new UsageError('SS_BAD_ARGUMENT', 'Cannot shrink the plan: it does not fail')
    }
    this.#failure = failure
  }

  shrink(): ShrinkResult<P> {
    for (let round = 0; round < roundsMax; round++) {
      const before = this.#plan
      this.#truncate()
      this.#thin('faults')
      this.#thin('attackers')
      this.#thin('nodes')
      this.#resetKnobs()
      this.#thin('work')
      this.#calmLinks()
      this.#shorten()
      if (this.#plan === before || this.#isSpent) break
    }
    return {
      plan: this.#plan,
      failure: this.#failure,
      runs: this.#runs,
      isFinished: !this.#isSpent,
    }
  }

  get #isSpent(): boolean {
    return this.#runs >= this.#runsMax
  }

  /** Nothing that begins after the failure can have caused it. */
  #truncate(): void {
    this.#stage = 'truncate'
    const { atMs } = this.#failure
    const plan = this.#plan
    // A failure in the quiet phase needs the time before it to have its length.
    const durationMs = Math.min(plan.durationMs, Math.ceil(atMs) + 1)
    const faults = plan.faults.filter((op) => op.atMs <= atMs)
    const work = plan.work.filter((item) => item.atMs <= atMs)
    const isLess =
      durationMs < plan.durationMs ||
      faults.length < plan.faults.length ||
      work.length < plan.work.length
    if (isLess) this.#try({ ...plan, durationMs, faults, work })
  }

  /** The smallest part of one list of the plan. */
  #thin(field: 'faults' | 'attackers' | 'nodes' | 'work'): void {
    this.#stage = field
    const all: readonly unknown[] = this.#plan[field]
    const isNeeded = (item: unknown): boolean =>
      (field === 'nodes' || field === 'attackers') &&
      this.#options.isNeeded?.(item as PlanNode) === true
    const loose = all.filter((item) => !isNeeded(item))
    if (loose.length === 0) return
    ddmin(loose, (subset) => {
      const kept = new Set(subset)
      const items = all.filter((item) => kept.has(item) || isNeeded(item))
      return items.length < all.length && this.#try({ ...this.#plan, [field]: items })
    })
  }

  #resetKnobs(): void {
    this.#stage = 'knobs'
    const names = Object.keys(this.#plan.knobs)
    if (names.length === 0 || this.#try({ ...this.#plan, knobs: {} })) return
    for (const name of names) {
      const { [name]: _, ...knobs } = this.#plan.knobs
      this.#try({ ...this.#plan, knobs })
    }
  }

  /** Curves become constants, then constants become calm; all links together if that will do. */
  #calmLinks(): void {
    this.#stage = 'conditions'
    for (const simpler of [calmCurve, constantCurve, withoutChaos]) {
      const links = this.#plan.links.map(simpler)
      if (!this.#hasSimpler(links) || this.#try({ ...this.#plan, links })) continue
      for (const index of links.keys()) {
        const one = this.#plan.links.with(index, links[index]!)
        if (this.#hasSimpler(one)) this.#try({ ...this.#plan, links: one })
      }
    }
  }

  #hasSimpler(links: readonly LinkCurve[]): boolean {
    return JSON.stringify(links).length < JSON.stringify(this.#plan.links).length
  }

  /** Halves the length of each fault that is left, for as long as that works. */
  #shorten(): void {
    this.#stage = 'lengths'
    for (let index = 0; index < this.#plan.faults.length; index++) {
      for (;;) {
        const op = this.#plan.faults[index]!
        const durationMs = Math.floor(op.durationMs / 2)
        if (durationMs < shortestMs) break
        const faults: FaultOp[] = this.#plan.faults.with(index, { ...op, durationMs })
        if (!this.#try({ ...this.#plan, faults })) break
      }
    }
  }

  /** Keeps a smaller plan if it fails in the same way. */
  #try(plan: P): boolean {
    if (this.#isSpent) return false
    const key = JSON.stringify(plan)
    if (this.#tried.has(key)) return false
    const failure = this.#run(plan)
    if (failure?.invariant !== this.#failure.invariant) {
      this.#tried.add(key)
      return false
    }
    this.#plan = plan
    this.#failure = failure
    this.#options.onProgress?.({
      stage: this.#stage,
      runs: this.#runs,
      faults: plan.faults.length,
      attackers: plan.attackers.length,
      nodes: plan.nodes.length,
      knobs: Object.keys(plan.knobs).length,
      work: plan.work.length,
    })
    return true
  }

  #run(plan: P): PlanFailure | undefined {
    this.#runs++
    try {
      return this.#options.run(plan)
    } catch (error) {
      if (!(error instanceof Violation)) throw error
      return { invariant: error.invariant, atMs: error.atMs }
    }
  }
}

/** Shorter faults are not easier to understand. */
const shortestMs = 10

/** The first conditions without any fault in them. */
function calmCurve(curve: LinkCurve): LinkCurve {
  const first = curve.points[0]!
  return { ...curve, points: [{ atMs: 0, conditions: { kind: first.conditions.kind } }] }
}

function constantCurve(curve: LinkCurve): LinkCurve {
  return { ...curve, points: [{ ...curve.points[0]!, atMs: 0 }] }
}

/** Only the latency of each point. */
function withoutChaos(curve: LinkCurve): LinkCurve {
  const points = curve.points.map(({ atMs, conditions }) => {
    const { there, back, ...rest } = conditions
    const calm = { ...rest, ...onlyLatency('there', there), ...onlyLatency('back', back) }
    return { atMs, conditions: calm }
  })
  return { ...curve, points }
}

function onlyLatency(way: 'there' | 'back', patch: PathPatch | undefined): object {
  if (patch === undefined) return {}
  return { [way]: patch.latencyMs === undefined ? {} : { latencyMs: patch.latencyMs } }
}
