import { sha256 } from '../../sim/hash/sha256.ts'

/**
 * Bytes of which somebody wants the SHA-256: of every piece of so many bytes, one after the other. They
 * do not change until the answer is there.
 */
export interface DigestJob {
  readonly bytes: Uint8Array
  readonly pieceBytes: number
}

/**
 * What a client wants hashed. Hashing a state takes longer than a picture may, so it is not done here:
 * whoever drives the client hears of each job by the event `digest`, has it computed by the platform or
 * slice by slice, and answers with `Client.handleDigest`, whenever that is.
 */
export class Digests {
  readonly #ask: (job: DigestJob) => void
  readonly #waiting = new Map<DigestJob, (hashes: Uint8Array) => void>()

  constructor(ask: (job: DigestJob) => void) {
    this.#ask = ask
  }

  /** Jobs without an answer, for limits. */
  get count(): number {
    return this.#waiting.size
  }

  /** `done` gets 32 bytes per piece. */
  begin(bytes: Uint8Array, pieceBytes: number, done: (hashes: Uint8Array) => void): void {
    const job = { bytes, pieceBytes }
    this.#waiting.set(job, done)
    this.#ask(job)
  }

  /** An answer. One to a question that nobody has any more counts for nothing. */
  handle(job: DigestJob, hashes: Uint8Array): void {
    const done = this.#waiting.get(job)
    this.#waiting.delete(job)
    done?.(hashes)
  }
}

/** Answers a job at once: where time is virtual, or nobody draws. */
export function digestNow({ bytes, pieceBytes }: DigestJob): Uint8Array {
  const count = Math.ceil(bytes.byteLength / pieceBytes)
  const hashes = new Uint8Array(count * 32)
  for (let index = 0; index < count; index++) {
    const start = index * pieceBytes
    hashes.set(sha256(bytes.subarray(start, start + pieceBytes)), index * 32)
  }
  return hashes
}
