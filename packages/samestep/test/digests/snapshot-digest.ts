/**
 * Snapshots in digests: the bytes of a state with every type and shape of column in every encoding,
 * what is read back from them, what is said to damaged ones, and an inflated stream that zlib made.
 * Nothing here may need more than the language itself.
 */
import { WireError } from '../../src/base/errors.ts'
import { Checksum } from '../../src/sim/snapshot/checksum.ts'
import { snapshotEncodings } from '../../src/sim/snapshot/format.ts'
import { inflate } from '../../src/sim/snapshot/inflate.ts'
import { decodeAll } from '../../src/sim/snapshot/testing/decode.ts'
import { SampleRandom, sampleHeader, saveSample } from '../../src/sim/snapshot/testing/sample.ts'
import { writeSnapshot } from '../../src/sim/snapshot/writer.ts'
import type { Digest } from './index.ts'

/** Rows of the sample: more than a block, so that full blocks and a part of one are met. */
const rows = 600

/** Damaged files per encoding. */
const damages = 150

/** 700 bytes by zlib at its highest level: one block with codes of its own, and many copies. */
const zlibStream =
  '95d2b76104300cc0c08fde8b3988a4b4ff342ebc8055a1bb0a8fe7ebfdf9fe3cfe1f0fda297128d825840a9937' +
  '2f066c85b25cb8d689e11bf32f5ad5d1945b6bc07b4437d2d2d5bc4a580a291c78e87b4dfb24216d098425d2b921' +
  'b861ce9a7289dca6314c989f6b1a8ae298e4763e8ad0de7abadae3804870a1ec3567e67d4d7b214aaf8595a899b5' +
  '37425328911845151b9c1cc4d735ad47b8324b5dcf4c0180f832648bdd69873bb68d9fbe5ee3a9569350cd0652d1' +
  '7e6cbb6db31548adccac1a6964d76b3cc62c4e1b2ce60cb06e6aff05'

/** Two FNV-1a hashes: 64 bits without BigInt. Fields are not `#`, which older engines get as slow maps. */
class Fnv {
  private low = 0x811c_9dc5
  private high = 0x1234_5679

  byte(value: number): void {
    this.low = Math.imul(this.low ^ value, 0x0100_0193)
    this.high = Math.imul(this.high ^ value, 0x0100_0193)
  }

  bytes(view: ArrayBufferView): void {
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
    for (let at = 0; at < bytes.length; at++) this.byte(bytes[at]!)
  }

  text(value: string): void {
    for (let index = 0; index < value.length; index++) this.byte(value.charCodeAt(index))
  }

  hex(): string {
    const word = (value: number) => (value >>> 0).toString(16).padStart(8, '0')
    return word(this.high) + word(this.low)
  }
}

/** Computes the digests of this part. */
export function snapshotDigests(): Digest[] {
  const digests: Digest[] = []
  for (const encoding of snapshotEncodings) {
    const file = writeSnapshot(sampleHeader, (out) => saveSample(out, rows), { encoding })
    digests.push({ name: `${encoding} bytes`, digest: digestOf((hash) => hash.bytes(file)) })
    digests.push({ name: `${encoding} read`, digest: digestOf((hash) => addAll(hash, file)) })
    const small = writeSnapshot(sampleHeader, (out) => saveSample(out, 40), { encoding })
    digests.push({
      name: `${encoding} damaged`,
      digest: digestOf((hash) => addDamaged(hash, small)),
    })
  }
  const stream = Uint8Array.from({ length: zlibStream.length / 2 }, (_, index) =>
    Number.parseInt(zlibStream.slice(index * 2, index * 2 + 2), 16),
  )
  digests.push({ name: 'inflate', digest: digestOf((hash) => hash.bytes(inflate(stream, 700))) })
  return digests
}

function digestOf(fill: (hash: Fnv) => void): string {
  const hash = new Fnv()
  fill(hash)
  return hash.hex()
}

/** Adds everything that a snapshot holds. */
function addAll(hash: Fnv, file: Uint8Array): void {
  for (const section of decodeAll(file)) {
    hash.text(section.name)
    if ('content' in section) {
      hash.bytes(section.content)
      continue
    }
    for (const [name, cells] of Object.entries(section.columns)) {
      hash.text(name)
      hash.bytes(cells)
    }
  }
}

/** Adds what comes of changing words, with the checksum forged: contents, or the code of a refusal. */
function addDamaged(hash: Fnv, file: Uint8Array): void {
  const random = new SampleRandom(6)
  for (let round = 0; round < damages; round++) {
    const copy = new Uint8Array(file)
    const words = new Int32Array(copy.buffer)
    for (let left = 1 + random.below(3); left > 0; left--) {
      words[random.below(words.length - 2)]! ^= 1 << random.below(32)
    }
    const sum = new Checksum()
    sum.add(words, 0, copy.length - 8)
    words[words.length - 2] = sum.low
    words[words.length - 1] = sum.high
    try {
      addAll(hash, copy)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      hash.text(error.code)
    }
  }
}
