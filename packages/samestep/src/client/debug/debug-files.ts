import type { DebugFile, DebugOptions } from './debug-level.ts'

/** Where the files of levels are: handed on as they are made, or kept in memory within bounds. */
export class DebugFiles {
  readonly #save: DebugOptions['save']
  readonly #snapshotsMax: number
  readonly #logBytesMax: number
  readonly #snapshots: DebugFile[] = []
  #logs: { readonly name: string; pieces: Uint8Array[]; bytes: number }[] = []

  constructor({ save, snapshotsMax = 8, logBytesMax = 8 * 1_024 * 1_024 }: DebugOptions) {
    this.#save = save
    this.#snapshotsMax = snapshotsMax
    this.#logBytesMax = logBytesMax
  }

  /** Whether a log of so many bytes is to begin anew. On a disk it is not: whoever saves it sees to that. */
  isLogFull(bytes: number): boolean {
    return this.#save === undefined && bytes >= this.#logBytesMax
  }

  /** A further piece of the log of that name. Another name begins another log, and the old one goes. */
  appendLog(name: string, bytes: Uint8Array): void {
    if (this.#save !== undefined) {
      this.#save({ name, bytes })
      return
    }
    const log = this.#logs.find((each) => each.name === name) ?? { name, pieces: [], bytes: 0 }
    this.#logs = [log]
    log.pieces.push(bytes)
    log.bytes += bytes.byteLength
    // One piece per tick would be as many objects as ticks.
    if (log.pieces.length >= piecesMax) log.pieces = [joined(log.pieces, log.bytes)]
  }

  addSnapshot(file: DebugFile): void {
    if (this.#save !== undefined) {
      this.#save(file)
      return
    }
    this.#snapshots.push(file)
    while (this.#snapshots.length > this.#snapshotsMax) this.#snapshots.shift()
  }

  /** Everything in memory: the log first, then snapshots from the oldest on. */
  list(): readonly DebugFile[] {
    const logs = this.#logs.map(({ name, pieces, bytes }) => ({
      name,
      bytes: joined(pieces, bytes),
    }))
    return [...logs, ...this.#snapshots]
  }
}

/** Pieces of a log that are kept apart. */
const piecesMax = 1_024

function joined(pieces: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.byteLength
  }
  return whole
}
