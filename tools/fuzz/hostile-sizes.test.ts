import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readVectors } from '../../packages/samestep/src/wire/testing/vector-file.ts'
import type { WireVectors } from '../../packages/samestep/src/wire/testing/vectors.ts'
import type { Fault } from './fuzzer.ts'
import { Fuzzer, type FuzzTarget } from './fuzzer.ts'
import { loadInstrumented } from './load.ts'
import { Probe } from './probe.ts'

const folder = import.meta.dirname
const probe = new Probe()
const decoders = await loadInstrumented<{
  makeTargets(vectors: WireVectors): FuzzTarget[]
}>(join(folder, 'targets.ts'), probe)
const bugs = await loadInstrumented<{ makeTargets(): readonly FuzzTarget[] }>(
  join(folder, 'testing', 'planted.ts'),
  probe,
)

/**
 * What hostile sizes look like: all ones of a byte and of two, four and eight, and the largest numbers
 * with and without a sign, in both sequences of bytes.
 */
const sizes = [
  [0xff],
  [0x7f],
  [0xff, 0xff],
  [0xff, 0x7f],
  [0xff, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0x7f],
  [0x00, 0x00, 0x00, 0x80],
  [0x80, 0x00, 0x00, 0x00],
  [0x7f, 0xff, 0xff, 0xff],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
] as const

/** Seeds of one decoder that are gone through, and places in each: some seconds for all decoders. */
const seedsMax = 12
const placesMax = 96

/** Writes bytes over others, from any bit on: fields are packed without a regard for bytes. */
function overwrite(bytes: Uint8Array, bit: number, size: readonly number[]): Uint8Array {
  const changed = bytes.slice()
  for (let at = 0; at < size.length * 8; at++) {
    const place = bit + at
    const byte = place >> 3
    if (byte >= changed.length) break
    const mask = 1 << (place & 7)
    const isOne = ((size[at >> 3] as number) >> (at & 7)) & 1
    changed[byte] = isOne === 1 ? changed[byte]! | mask : changed[byte]! & ~mask
  }
  return changed
}

/** Tries every size at places all over every seed. Gives the first fault. */
function sweep(target: FuzzTarget): (Fault & { readonly hex: string }) | undefined {
  const fuzzer = new Fuzzer(target, probe, { seed: 1 })
  for (const seed of target.seeds.slice(0, seedsMax)) {
    const bits = seed.length * 8
    const step = Math.max(1, Math.floor(bits / placesMax))
    for (let bit = 0; bit < bits; bit += step) {
      for (const size of sizes) {
        const changed = overwrite(seed, bit, size)
        const bytes = target.repair?.(changed) ?? changed
        const fault = fuzzer.try(bytes)
        if (fault !== undefined) return { ...fault, hex: Buffer.from(bytes).toString('hex') }
      }
    }
  }
  return undefined
}

test.each(decoders.module.makeTargets(readVectors()))(
  '[F-22] $name takes no more memory than the bytes that are there are worth, whatever sizes they name',
  (target) => {
    const stackLimit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    const fault = sweep(target)
    Error.stackTraceLimit = stackLimit
    expect(fault).toBeUndefined()
  },
)

test('[F-22] a decoder that believes a length is found', () => {
  const target = bugs.module.makeTargets().find(({ name }) => name === 'believes a length')
  const seeds = [new Uint8Array(4)]
  const found = sweep({ ...(target ?? expect.unreachable('there is no such bug')), seeds })
  expect(found?.kind).toBe('allocates')
})
