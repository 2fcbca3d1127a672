import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import { historyPieceBytesMax, packHistory, unpackHistory } from './recovery.ts'

const bundles = fc.array(fc.uint8Array({ maxLength: 4_096 }), { maxLength: 40 })

describe('bundles in pieces', () => {
  test('come out as they went in, in pieces that fit', () => {
    fc.assert(
      fc.property(bundles, (given) => {
        const pieces = packHistory(given)
        for (const piece of pieces)
          expect(piece.byteLength).toBeLessThanOrEqual(historyPieceBytesMax)
        expect(pieces.flatMap(unpackHistory)).toEqual(given)
      }),
      { numRuns: 50 },
    )
  })

  test('of any bytes are bundles or a WireError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        try {
          expect(packHistory(unpackHistory(bytes)).flatMap((piece) => [...piece])).toEqual([
            ...bytes,
          ])
        } catch (error) {
          expect(error).toBeInstanceOf(WireError)
        }
      }),
    )
  })
})
