/** What must hold for questions and answers about a desync, whatever bytes come. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { probeKindWords } from '../wire/messages/desync-probes.ts'
import type { DecoderTarget } from '../wire/testing/decoders.ts'
import {
  allocatedBytes,
  checkCanonical,
  checkEnds,
  checkPlacement,
  hostileBytes,
} from '../wire/testing/properties.ts'
import { decodeAnswer, decodeAsk, encodeAnswer, encodeAsk } from './probe-codec.ts'
import { probeSeeds } from './testing/probe-seeds.ts'

const targets = probeKindWords.flatMap((kind): DecoderTarget[] => {
  const { ask, answer } = probeSeeds[kind]
  return [
    {
      name: `the question ${kind}`,
      seeds: [encodeAsk({ kind, ask } as never)],
      recode: (bytes) => encodeAsk(decodeAsk(kind, bytes)),
      isSelfDelimiting: true,
    },
    {
      name: `the answer ${kind}`,
      seeds: [encodeAnswer(kind, answer)],
      recode: (bytes) => encodeAnswer(kind, decodeAnswer(kind, bytes)),
      isSelfDelimiting: true,
    },
  ]
})

describe.each(targets)('$name', (target) => {
  test('[P1, P3] gives a WireError, or the same bytes again', () => {
    checkCanonical(target, 200)
  })

  test('[P4, P5] a byte less or a byte more is refused', () => {
    checkEnds(target)
  })

  test('[P7] does not care where the bytes lie', () => {
    checkPlacement(target, 40)
  })

  test('[P6] takes no more memory than 4 KiB and some for each byte', () => {
    fc.assert(
      fc.property(hostileBytes(target.seeds), (bytes) => {
        const taken = allocatedBytes(() => target.recode(bytes))
        expect(taken).toBeLessThanOrEqual(4_096 + 4 * bytes.length)
      }),
      { numRuns: 60 },
    )
  })
})
