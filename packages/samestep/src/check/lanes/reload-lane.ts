import type { DeepDifference } from '../../base/deep-diff.ts'
import { deepDiff } from '../../base/deep-diff.ts'
import { loadSnapshot, saveSnapshot } from '../../sim/game/copies/snapshots.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import { changesWithNaNBits } from '../causes/nan-bits.ts'
import { DerivedCheck } from '../rules/derived-check.ts'
import { MemoryCheck } from '../rules/memory-check.ts'
import { PureCheck } from '../rules/pure-check.ts'
import type { Copy } from './copy.ts'
import { isSameAfter, isUntouched } from './copy.ts'
import type { Finding, Lane, RunTick, Side } from './lane.ts'
import { makeFinding } from './lane.ts'
import type { LaneWorld } from './lane-world.ts'

/** Own objects of the game are walked in the first ticks, then now and then: walking is slow. */
const walkedTicks = 32
const walkEveryTicks = 16

/**
 * Saves and loads between any two ticks. Whatever a save leaves out is gone here at once, where a
 * player who rejoins would lose it once in a while.
 *
 *     copy = load(save(original at n)) ─► step n + 1 ─► equal to the original at n + 1? ─► load again
 *
 * The copy is also where things are tried that must not change anything: it is loaded anew anyway.
 */
export class ReloadLane implements Lane {
  readonly #world: LaneWorld
  readonly #copy: Copy
  readonly #pure: PureCheck
  readonly #derived: DerivedCheck
  readonly #memory: MemoryCheck
  /** What the game's own objects looked like after the last load, compared with the original's. */
  #hidden: readonly DeepDifference[] = []
  #last: Uint8Array | undefined

  constructor(world: LaneWorld) {
    this.#world = world
    const modules = world.options.ownModules === true ? 'fresh' : undefined
    this.#copy = world.make('reload', world.base, { modules })
    this.#pure = new PureCheck(world)
    this.#derived = new DerivedCheck(world)
    this.#memory = new MemoryCheck(world)
  }

  run(now: RunTick): Finding | undefined {
    return (
      this.#pure.run(now, this.#copy, () => this.#before()) ??
      this.#runTick(now) ??
      this.#reload(now) ??
      this.#derived.run(now, this.#copy) ??
      this.#walk(now) ??
      this.#memory.run(now, this.#copy) ??
      this.#tryNaN(now)
    )
  }

  /** The state before the tick, once more. */
  #before(): Copy {
    const world = this.#world
    return this.#last === undefined
      ? world.make('reference', world.base)
      : world.restore('reference', this.#last)
  }

  #runTick({ tick, bundle, original, systemHashes }: RunTick): Finding | undefined {
    const { simulation } = this.#copy
    const report = this.#world.base.run(tick, () => simulation.step(bundle))
    if (this.#world.skips('reload') || isSameAfter(tick, original.simulation, simulation)) {
      return undefined
    }
    return makeFinding({
      check: 'reload',
      lane: 'reload',
      tick,
      sides: this.#sides({ name: 'the original', copy: original, systemHashes }, report),
      differences: diffStates(original.simulation, simulation),
      hidden: this.#hidden,
    })
  }

  #sides(original: Side, { systemHashes }: Pick<Side, 'systemHashes'>): readonly [Side, Side] {
    return [original, { name: 'the reloaded copy', copy: this.#copy, systemHashes }]
  }

  /** Loads what the original has now, and saves it again. */
  #reload(now: RunTick): Finding | undefined {
    const { tick, original } = now
    const { simulation } = this.#copy
    const attempt = this.#loadAndSave(now)
    if (attempt.error !== undefined) {
      return makeFinding({
        check: 'bytes',
        lane: 'reload',
        tick,
        error: attempt.error,
        place: 'save',
      })
    }
    const isSame = isSameAfter(tick, original.simulation, simulation)
    const at = isSame ? firstDifference(now.snapshot(), attempt.bytes) : 0
    if (at < 0 || this.#world.skips('bytes')) return undefined
    return makeFinding({
      check: 'bytes',
      lane: 'reload',
      tick,
      place: 'save',
      sides: this.#sides({ name: 'the original', copy: original, systemHashes: [] }, nothing),
      differences: diffStates(original.simulation, simulation),
      hidden: this.#compareObjects(original),
      detail: isSame
        ? `the bytes differ from byte ${at} on`
        : 'the state is another one right after loading',
    })
  }

  #loadAndSave(now: RunTick): { readonly bytes: Uint8Array; readonly error: unknown } {
    const { simulation } = this.#copy
    try {
      return this.#world.base.run(now.tick, () => {
        this.#last = now.snapshot()
        loadSnapshot(simulation, this.#last)
        return { bytes: saveSnapshot(simulation, { encoding: 'raw' }), error: undefined }
      })
    } catch (error) {
      return { bytes: new Uint8Array(0), error: error ?? new Error('saving threw nothing') }
    }
  }

  /** Compares the game's own objects, which may hold what no save has. */
  #walk({ tick, original }: RunTick): Finding | undefined {
    if (tick > walkedTicks && tick % walkEveryTicks !== 0) return undefined
    this.#hidden = this.#compareObjects(original)
    const moved = this.#hidden.filter(({ kind }) => kind === 'sequence')
    if (moved.length === 0 || this.#world.skips('order')) return undefined
    return makeFinding({
      check: 'order',
      lane: 'reload',
      tick,
      place: 'load',
      sides: this.#sides({ name: 'the original', copy: original, systemHashes: [] }, nothing),
      hidden: moved,
    })
  }

  #compareObjects(original: Copy): readonly DeepDifference[] {
    const { parts } = this.#copy.simulation
    return original.simulation.parts.parts
      .filter(({ kind, name }) => (kind === 'plain' || kind === 'custom') && !name.startsWith('#'))
      .flatMap((part) =>
        deepDiff(part.live, parts.part(part.name)?.live).map((difference) => ({
          ...difference,
          path: `${part.name}${difference.path}`,
        })),
      )
  }

  #tryNaN({ tick, original }: RunTick): Finding | undefined {
    if (tick % walkEveryTicks !== 0 || this.#world.skips('nan')) return undefined
    const { simulation } = this.#copy
    for (const { name, kind, live } of simulation.parts.parts) {
      if (kind !== 'custom' || name.startsWith('#')) continue
      const found = changesWithNaNBits(live, () => isUntouched(simulation))
      if (found === undefined) continue
      return makeFinding({
        check: 'nan',
        lane: 'reload',
        tick,
        sides: this.#sides({ name: 'the original', copy: original, systemHashes: [] }, nothing),
        hidden: [{ path: `${name}${found}`, a: Number.NaN, b: Number.NaN, kind: 'value' }],
        detail: 'another engine may have other bits for the same NaN, and these bits are hashed',
      })
    }
    return undefined
  }
}

const nothing = { systemHashes: [] }

function firstDifference(a: Uint8Array, b: Uint8Array): number {
  const length = Math.max(a.length, b.length)
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index
  return -1
}
