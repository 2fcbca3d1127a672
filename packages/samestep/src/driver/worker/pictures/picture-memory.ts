import type { PictureLayout } from '../../../sim/game/copies/mirror.ts'
import { adoptMemory, writePicture } from '../../../sim/game/copies/mirror.ts'
import type { GameShape } from '../../../sim/game/definition/context.ts'
import type { Simulation } from '../../../sim/game/run/simulation.ts'
import { SnapshotBuffer } from '../../../sim/snapshot/buffer.ts'

/**
 * The memory in which pictures go to the page: twice, so that one is written while the other is away,
 * and each is handed back. While both are away nothing is written at all, so a page that hangs costs
 * neither time nor memory; when it is back, it gets the newest picture and none of those before.
 */
export class PictureMemory<G extends GameShape, R> {
  readonly #free: SnapshotBuffer[] = [new SnapshotBuffer(), new SnapshotBuffer()]
  /** Those whose memory is away. */
  readonly #empty: SnapshotBuffer[] = []

  get isFree(): boolean {
    return this.#free.length > 0
  }

  /** Writes a picture, in new memory if need be. The buffer is to be given away. */
  write(
    simulation: Simulation<G, R>,
    knownTick: number,
  ): { readonly buffer: ArrayBuffer; readonly layout: PictureLayout } {
    const memory = this.#free.pop() ?? new SnapshotBuffer()
    const layout = writePicture(simulation, memory, knownTick)
    this.#empty.push(memory)
    return { buffer: memory.bytes.buffer, layout }
  }

  /** Memory came back. More than two are only needed once in a while. */
  giveBack(buffer: ArrayBuffer): void {
    const memory = this.#empty.pop()
    if (memory === undefined || this.#free.length >= 2) return
    adoptMemory(memory, buffer)
    this.#free.push(memory)
  }
}
