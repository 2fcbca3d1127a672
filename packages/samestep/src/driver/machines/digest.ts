import type { DigestJob } from '../../client/state/digests.ts'
import { digestNow } from '../../client/state/digests.ts'
import { Sha256Slices } from '../../sim/hash/sha256.ts'
import type { Timing } from '../../transport/timing.ts'
import { machineTiming } from '../../transport/timing.ts'

/** Computes what a job asks for, and answers now or later. */
export type Digest = (job: DigestJob, answer: (hashes: Uint8Array) => void) => void

/**
 * How this machine hashes without holding up a picture: by the platform, in a thread of its own; where a
 * page is not secure and has no `crypto.subtle`, slice by slice between other work. Where somebody else
 * owns the time, at once: a promise would answer at a time that nobody chose.
 */
export function digestFor(timing: Timing): Digest {
  if (timing !== machineTiming) return (job, answer) => answer(digestNow(job))
  const subtle = findSubtle()
  if (subtle === undefined) return digestInSlices(timing)
  return (job, answer) => {
    digestByPlatform(subtle, job).then(answer, () => digestInSlices(timing)(job, answer))
  }
}

/** As much of the platform's cryptography as is used. */
interface Subtle {
  digest(algorithm: 'SHA-256', data: Uint8Array): Promise<ArrayBuffer>
}

function findSubtle(): Subtle | undefined {
  return (globalThis as { readonly crypto?: { readonly subtle?: Subtle } }).crypto?.subtle
}

/** Some pieces at a time: each call copies its bytes before it returns. */
async function digestByPlatform(subtle: Subtle, job: DigestJob): Promise<Uint8Array> {
  const { bytes, pieceBytes } = job
  const count = Math.ceil(bytes.byteLength / pieceBytes)
  const hashes = new Uint8Array(count * 32)
  for (let first = 0; first < count; first += piecesAtOnce) {
    const pieces = Array.from({ length: Math.min(piecesAtOnce, count - first) }, (_, index) => {
      const at = (first + index) * pieceBytes
      return subtle.digest('SHA-256', bytes.subarray(at, at + pieceBytes))
    })
    const done = await Promise.all(pieces)
    done.forEach((hash, index) => {
      hashes.set(new Uint8Array(hash), (first + index) * 32)
    })
  }
  return hashes
}

/** Hashes without the platform, a little at a time. */
export function digestInSlices(timing: Timing): Digest {
  return ({ bytes, pieceBytes }, answer) => {
    const count = Math.ceil(bytes.byteLength / pieceBytes)
    const hashes = new Uint8Array(count * 32)
    let index = 0
    let slices = new Sha256Slices(bytes.subarray(0, pieceBytes))
    const work = () => {
      const untilMs = timing.nowMs() + sliceMs
      do {
        const hash = slices.advance(sliceBytes)
        if (hash === undefined) continue
        hashes.set(hash, index * 32)
        index += 1
        if (index === count) {
          answer(hashes)
          return
        }
        slices = new Sha256Slices(bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes))
      } while (timing.nowMs() < untilMs)
      timing.schedule(work, 0)
    }
    timing.schedule(work, 0)
  }
}

/** Chunks whose copies are under way at once: 256 KiB of a state, a tenth of a millisecond. */
const piecesAtOnce = 16

/** How long other work waits for hashing: an eighth of a picture. */
const sliceMs = 2

/** Bytes between two looks at the clock: half a millisecond on a slow phone. */
const sliceBytes = 16_384
