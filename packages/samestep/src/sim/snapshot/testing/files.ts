/** Helpers for tests that damage files and see what comes of it. */
import { expect } from 'vitest'
import { WireError } from '../../../base/errors.ts'
import { Checksum } from '../checksum.ts'
import type { Cells } from '../section.ts'

/** Makes the checksum of a changed packed or deflated file right again, so that reading goes on. */
export function resum(file: Uint8Array): Uint8Array {
  const copy = new Uint8Array(file)
  const words = new Int32Array(copy.buffer, 0, copy.length >> 2)
  const sum = new Checksum()
  sum.add(words, 0, (words.length - 2) * 4)
  words[words.length - 2] = sum.low
  words[words.length - 1] = sum.high
  return copy
}

/** Expects the same bits: also of `-0` and NaN, and in no time, where `toEqual` takes seconds. */
export function expectBits(found: Cells | undefined, wanted: Cells): void {
  expect(found).toBeInstanceOf(wanted.constructor)
  expect(Buffer.compare(bytesOf(found ?? wanted), bytesOf(wanted))).toBe(0)
}

function bytesOf(cells: Cells): Uint8Array {
  return new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength)
}

/** Expects a WireError with this code. */
export function expectCode(run: () => unknown, code: string): void {
  expect(run).toThrow(expect.objectContaining({ name: 'WireError', code }))
}

/** Expects a value, or a WireError, and nothing else. Returns whether it was a value. */
export function isValueOrWireError(run: () => unknown): boolean {
  try {
    run()
    return true
  } catch (error) {
    if (!(error instanceof WireError)) throw error
    return false
  }
}
