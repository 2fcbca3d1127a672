import type { Prng } from '../../base/prng.ts'
import { diffStates } from '../../sim/game/copies/state-diff.ts'
import type { Simulation } from '../../sim/game/run/simulation.ts'
import type { Copy } from '../lanes/copy.ts'
import { isUntouched } from '../lanes/copy.ts'
import type { Finding } from '../lanes/lane.ts'
import { makeFinding } from '../lanes/lane.ts'
import type { Draw, LaneWorld } from '../lanes/lane-world.ts'

/** One picture: who looks, and where between two ticks. */
export interface Frame {
  readonly seat: number
  readonly alpha: number
}

/** What the original's player sees: always the same, once per tick. */
export const firstFrame: Frame = { seat: 0, alpha: 1 }

/**
 * Looks at a copy as a player's machine would: the given `draw`, or, without one, a few reads of
 * everything that drawing can read.
 */
export class Viewer {
  readonly #draw: Draw | undefined
  readonly #world: LaneWorld

  constructor(world: LaneWorld) {
    this.#world = world
    this.#draw = world.options.draw
  }

  /** Draws one frame; gives what is wrong if the state is not what it was, or if `draw` threw. */
  judge(
    lane: 'original' | 'twin',
    copy: Copy,
    frame: Frame,
    before: () => Uint8Array | undefined,
  ): Finding | undefined {
    const { simulation } = copy
    const error = this.#show(simulation, frame)
    const isDue = this.#draw !== undefined || simulation.matchTick % readEveryTicks === 0
    const isSame = !isDue || isUntouched(simulation)
    if ((isSame && error === undefined) || this.#world.skips('viewer')) return undefined
    return this.#report(lane, copy, error, before())
  }

  #report(
    lane: 'original' | 'twin',
    copy: Copy,
    error: unknown,
    before: Uint8Array | undefined,
  ): Finding {
    const { simulation } = copy
    const reference = before === undefined ? copy : this.#world.restore('reference', before)
    return makeFinding({
      check: 'viewer',
      lane,
      tick: simulation.matchTick,
      error,
      place: 'draw',
      sides: [
        { name: 'before drawing', copy: reference, systemHashes: [] },
        { name: 'after drawing', copy, systemHashes: [] },
      ],
      differences: diffStates(reference.simulation, simulation),
      detail: `draw was called after tick ${simulation.matchTick}`,
    })
  }

  /** Looks whether drawing one copy has changed another: what a game keeps is often the last one's. */
  judgeOther(copy: Copy, before: () => Uint8Array): Finding | undefined {
    if (this.#draw === undefined || this.#world.skips('viewer')) return undefined
    if (isUntouched(copy.simulation)) return undefined
    return this.#report('twin', copy, undefined, before())
  }

  /** Draws a frame that was judged before, so that the screen is this viewer's again. */
  repeat({ simulation }: Copy, frame: Frame): void {
    if (this.#draw !== undefined) this.#show(simulation, frame)
  }

  #show(simulation: Simulation, { seat, alpha }: Frame): unknown {
    const draw = this.#draw
    const { view, previous, blend, tick } = simulation
    const picture = { current: view, previous, blend, alpha, tick }
    if (draw === undefined) {
      read(picture, simulation.matchTick)
      return undefined
    }
    try {
      this.#world.studio.run(simulation.matchTick, () => draw(picture, seat))
      return undefined
    } catch (error) {
      return error ?? new Error('draw threw nothing')
    }
  }
}

/** Reading is the library's own code: it is tested, and looked at here for good measure. */
const readEveryTicks = 64

type Blends = { readonly [table: string]: { readonly [field: string]: unknown } }

function read(picture: { readonly current: object; readonly blend: object }, tick: number): void {
  if (tick % readEveryTicks !== 0) return
  for (const part of Object.values(picture.current)) void part
  for (const fields of Object.values(picture.blend as Blends)) {
    for (const field of Object.values(fields)) (field as (row: number, a: number) => number)(0, 0.5)
  }
}

/** The frames that the twin's machine draws after a tick: none, one or some, for any seat. */
export function drawFrames(prng: Prng, seats: number): Frame[] {
  return Array.from({ length: prng.below(4) }, () => ({
    seat: prng.below(seats),
    alpha: prng.unit(),
  }))
}
