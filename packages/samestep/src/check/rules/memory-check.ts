import { loadSnapshot } from '../../sim/game/copies/snapshots.ts'
import type { SectionWriter } from '../../sim/snapshot/section.ts'
import type { Copy } from '../lanes/copy.ts'
import { isUntouched } from '../lanes/copy.ts'
import type { Finding, RunTick } from '../lanes/lane.ts'
import { makeFinding } from '../lanes/lane.ts'
import type { LaneWorld } from '../lanes/lane-world.ts'

/** In the first ticks, then now and then: it loads and hashes once more. */
const firstTicks = 8
const everyTicks = 64

/**
 * Tries whether a custom part shares memory with those who save and load it. Bytes that were loaded,
 * and bytes that were saved, belong to others, who may send them, load them again or write over them.
 * So they are written over here, and the state must not notice.
 */
export class MemoryCheck {
  readonly #world: LaneWorld
  readonly #parts: readonly string[]

  constructor(world: LaneWorld) {
    this.#world = world
    const parts = Object.entries(world.game.definition.state)
    this.#parts = parts.filter(([, { kind }]) => kind === 'custom').map(([name]) => name)
  }

  /** `copy` has the state after the tick; it is spoilt if the check fails. */
  run(now: RunTick, copy: Copy): Finding | undefined {
    const { tick } = now
    const isDue = tick <= firstTicks || tick % everyTicks === 0
    if (this.#parts.length === 0 || !isDue || this.#world.skips('bytes')) return undefined
    const { simulation } = copy
    const bytes = now.snapshot().slice()
    this.#world.base.run(tick, () => loadSnapshot(simulation, bytes))
    turnOver(bytes)
    if (!isUntouched(simulation)) return this.#report(now, copy, this.#parts[0] ?? '', 'kept')
    for (const name of this.#parts) {
      const saved = this.#save(tick, copy, name)
      if (saved === undefined) continue
      turnOver(saved)
      const isSame = isUntouched(simulation)
      turnOver(saved)
      if (!isSame) return this.#report(now, copy, name, 'live')
    }
    return undefined
  }

  /** What `save` of a part gives: the very bytes, not the snapshot's copy of them. */
  #save(tick: number, { simulation }: Copy, name: string): Uint8Array | undefined {
    let saved: Uint8Array | undefined
    const out: SectionWriter = {
      beginTable() {},
      column() {},
      endTable() {},
      bytes(_, content) {
        saved = content
      },
    }
    this.#world.base.run(tick, () => simulation.parts.part(name)?.save(out))
    return saved
  }

  #report({ tick, original }: RunTick, copy: Copy, name: string, memory: 'kept' | 'live'): Finding {
    const place = memory === 'kept' ? 'load' : 'save'
    return makeFinding({
      check: 'bytes',
      lane: 'reload',
      tick,
      memory,
      place,
      sides: [
        { name: 'the original', copy: original, systemHashes: [] },
        { name: 'after the bytes were overwritten', copy, systemHashes: [] },
      ],
      hidden: [{ path: name, a: 'as it was', b: 'overwritten', kind: 'value' }],
      detail: `the bytes that ${place} of '${name}' had to do with were overwritten afterwards`,
    })
  }
}

/** Writes over bytes in a way that can be taken back. */
function turnOver(bytes: Uint8Array): void {
  for (let index = 0; index < bytes.length; index++) bytes[index] = ~(bytes[index] as number)
}
