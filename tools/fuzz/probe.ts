/**
 * What instrumented code reports to: which steps from one place to the next a run took, how many, and how
 * much memory it asked for.
 */

/** Steps are told apart by 16 bits. Two that collide cost a little guidance, nothing else. */
const edgeCount = 65_536

/**
 * All that the runs of one target have done so far: each step, and about how often within one run. A run
 * that adds to it is worth keeping.
 */
export class Coverage {
  /** One bit per magnitude of counts. */
  readonly known = new Uint8Array(edgeCount)
  /** How many bits are set. */
  size = 0
}

/** Watches one run at a time. */
export class Probe {
  // `private` instead of `#`: the code under test calls visit for every step, and tools may be lowered
  // to engines in which `#` is slow.
  private readonly counts = new Uint32Array(edgeCount)
  private readonly taken = new Uint16Array(edgeCount)
  private takenCount = 0
  private place = 0
  /** Places passed in this run: how much work it was, in a unit that does not depend on the machine. */
  steps = 0
  /** Bytes of arrays made in this run. */
  allocatedBytes = 0

  begin(): void {
    const { counts, taken } = this
    for (let index = 0; index < this.takenCount; index++) counts[taken[index]!] = 0
    this.takenCount = 0
    this.place = 0
    this.steps = 0
    this.allocatedBytes = 0
  }

  /** Called by the code for each place that it passes. */
  readonly visit = (point: number): void => {
    // Spread, so that neighbours do not cancel each other out.
    const place = Math.imul(point + 1, 0x9e37_79b1) >>> 16
    const edge = place ^ this.place
    this.place = place >>> 1
    this.steps++
    if (this.counts[edge]!++ === 0) this.taken[this.takenCount++] = edge
  }

  /** Called by the code with each array that it makes. */
  readonly allocate = <T>(made: T): T => {
    this.allocatedBytes += sizeOf(made)
    return made
  }

  /** Adds the run to what is known, and tells whether it did something new. */
  learn(coverage: Coverage): boolean {
    const { known } = coverage
    const before = coverage.size
    for (let index = 0; index < this.takenCount; index++) {
      const edge = this.taken[index]!
      const bit = 1 << Math.min(31 - Math.clz32(this.counts[edge]!), 7)
      if ((known[edge]! & bit) !== 0) continue
      known[edge]! |= bit
      coverage.size++
    }
    return coverage.size > before
  }
}

function sizeOf(made: unknown): number {
  if (Array.isArray(made)) return made.length * 8
  if (ArrayBuffer.isView(made)) {
    // A view of memory that exists costs nothing; one that fills its memory probably made it.
    return made.byteLength === made.buffer.byteLength ? made.byteLength : 0
  }
  return made instanceof ArrayBuffer ? made.byteLength : 0
}
