/** What must hold for every decoder of a stranger's bytes, as properties to call from tests. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { toHex } from '../../sim/hash/hex.ts'
import type { DecoderTarget } from './decoders.ts'

/** The code of a refusal, or `undefined` when the bytes were accepted. Everything else is thrown. */
export function refusalOf(run: () => unknown): WireError['code'] | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof WireError) return error.code
    throw error
  }
}

type Change = (bytes: Uint8Array, at: number, byte: number) => Uint8Array

const insert: Change = (bytes, at, byte) =>
  Uint8Array.of(...bytes.subarray(0, at), byte, ...bytes.subarray(at))

const changes: readonly Change[] = [
  (bytes, at, byte) => bytes.with(at % (bytes.length || 1), byte),
  (bytes, at, byte) => {
    const place = at % (bytes.length || 1)
    return bytes.with(place, (bytes[place] ?? 0) ^ (1 << (byte & 7)))
  },
  (bytes, at) => bytes.slice(0, at),
  (bytes, at, byte) => insert(bytes, Math.min(at, bytes.length), byte),
  (bytes, at) => Uint8Array.of(...bytes.subarray(0, at), ...bytes.subarray(at + 1)),
]

/** Bytes near legal ones: what a broken or hostile peer sends. Also plain noise. */
export function hostileBytes(seeds: readonly Uint8Array[]): fc.Arbitrary<Uint8Array> {
  const steps = fc.array(
    fc.tuple(
      fc.nat(changes.length - 1),
      fc.nat(60),
      fc.oneof(fc.nat(255), fc.constantFrom(0, 255)),
    ),
    { maxLength: 4 },
  )
  const changed = fc.tuple(fc.constantFrom(...seeds), steps).map(([seed, list]) => {
    let bytes = seed
    for (const [kind, at, byte] of list) {
      if (bytes.length > 0) bytes = (changes[kind] as Change)(bytes, at, byte)
    }
    return bytes
  })
  return fc.oneof({ weight: 6, arbitrary: changed }, fc.uint8Array({ maxLength: 90 }))
}

/** P1 and P3: whatever the bytes, they are refused or come out as they went in. */
export function checkCanonical(target: DecoderTarget, numRuns: number): void {
  fc.assert(
    fc.property(hostileBytes(target.seeds), (bytes) => {
      let recoded: Uint8Array | undefined
      refusalOf(() => {
        recoded = target.recode(bytes)
      })
      if (recoded !== undefined) expect(toHex(recoded)).toBe(toHex(bytes))
    }),
    { numRuns },
  )
}

/** P4 and P5: whatever is accepted is refused with less of it, and with more behind it. */
export function checkEnds(target: DecoderTarget): void {
  for (const seed of target.seeds) {
    expect(refusalOf(() => target.recode(seed))).toBeUndefined()
    for (let length = 0; length < seed.length; length++) {
      expect(refusalOf(() => target.recode(seed.subarray(0, length)))).toBeDefined()
    }
    for (const more of [0, 1, 0x80, 0xff]) {
      expect(refusalOf(() => target.recode(Uint8Array.of(...seed, more)))).toBeDefined()
    }
  }
}

/** P7: where in memory the bytes lie, and what lies around them, makes no difference. */
export function checkPlacement(target: DecoderTarget, numRuns: number): void {
  fc.assert(
    fc.property(
      hostileBytes(target.seeds),
      fc.integer({ min: 0, max: 9 }),
      fc.nat(255),
      (bytes, offset, noise) => {
        const around = new Uint8Array(bytes.length + 20).fill(noise)
        around.set(bytes, offset)
        const moved = around.subarray(offset, offset + bytes.length)
        const [there, here] = [moved, bytes].map((it) => outcomeOf(target, it))
        expect(there).toEqual(here)
      },
    ),
    { numRuns },
  )
}

function outcomeOf(target: DecoderTarget, bytes: Uint8Array): string {
  let text = ''
  const code = refusalOf(() => {
    text = toHex(target.recode(bytes))
  })
  return code ?? text
}

/**
 * Bytes of all typed arrays that are made while something runs. An array over memory that exists costs
 * nothing.
 */
export function allocatedBytes(run: () => unknown): number {
  let total = 0
  const names = ['Uint8Array', 'Uint16Array', 'Uint32Array', 'Int32Array', 'Float64Array'] as const
  const real = names.map((name) => globalThis[name])
  names.forEach((name, index) => {
    const type = real[index] as Uint8ArrayConstructor
    const counting = new Proxy(type, {
      construct(target, args, newTarget) {
        const made: Uint8Array = Reflect.construct(target, args, newTarget)
        if (!(args[0] instanceof ArrayBuffer)) total += made.byteLength
        return made
      },
    })
    Object.assign(globalThis, { [name]: counting })
  })
  try {
    refusalOf(run)
  } finally {
    names.forEach((name, index) => {
      Object.assign(globalThis, { [name]: real[index] })
    })
  }
  return total
}
