import { afterEach, describe, expect, test, vi } from 'vitest'
import { stateBytesMax } from '../limits.ts'
import { createStateMemory } from './memory.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

/** A fresh copy of the module, so that what it found out about WebAssembly is forgotten. */
async function freshMemory(): Promise<typeof createStateMemory> {
  vi.resetModules()
  return (await import('./memory.ts')).createStateMemory
}

describe('createStateMemory', () => {
  test.each(['wasm', 'js'] as const)(
    'gives the asked bytes, zeroed, behind dataStart: %s',
    (kernel) => {
      for (const byteLength of [0, 1, 127, 128, 65_536, 1_000_000]) {
        const memory = createStateMemory(byteLength, { kernel })
        expect(memory.kernel.kind).toBe(kernel)
        expect(memory.dataStart % 128).toBe(0)
        expect(memory.bytes.length - memory.dataStart).toBe(byteLength)
        expect(memory.bytes.buffer).toBe(memory.buffer)
        expect(memory.bytes.byteOffset).toBe(0)
        // The kernel reads whole stripes: one must follow the last byte of the state.
        expect(memory.buffer.byteLength - memory.bytes.length).toBeGreaterThanOrEqual(128)
        expect(memory.bytes.subarray(memory.dataStart).every((byte) => byte === 0)).toBe(true)
      }
    },
  )

  test('takes WebAssembly by default', () => {
    expect(createStateMemory(10).kernel.kind).toBe('wasm')
    expect(createStateMemory(10, { kernel: 'auto' }).kernel.kind).toBe('wasm')
  })

  test.each([
    ['WebAssembly is missing', undefined],
    [
      'a content security policy forbids it',
      {
        ...WebAssembly,
        Module: class {
          constructor() {
            throw new WebAssembly.CompileError("Refused: 'wasm-unsafe-eval' is not allowed")
          }
        },
      },
    ],
    [
      'no more addresses can be reserved',
      {
        Module: WebAssembly.Module,
        Instance: WebAssembly.Instance,
        Memory: class {
          constructor() {
            throw new RangeError('could not allocate memory')
          }
        },
      },
    ],
  ])('falls back to JavaScript where %s', async (_what, api) => {
    const create = await freshMemory()
    vi.stubGlobal('WebAssembly', api)
    const memory = create(1000)
    expect(memory.kernel.kind).toBe('js')
    expect(memory.bytes.length - memory.dataStart).toBe(1000)
    expect(() => create(1000, { kernel: 'wasm' })).toThrow(
      expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }),
    )
  })

  test.each([-1, 0.5, Number.NaN, stateBytesMax + 1])('refuses a length of %d', (byteLength) => {
    expect(() => createStateMemory(byteLength)).toThrow(
      expect.objectContaining({ code: 'SS_BAD_ARGUMENT' }),
    )
  })
})
