import { encodeUtf8 } from '../../base/utf8.ts'
import { mixBytes, mixChain } from '../../sim/hash/mix.ts'
import {
  type ProbeAnswer,
  type ProbeAsk,
  probeFanout,
  probeFieldBytesMax,
  probeValueBytesMax,
} from '../../wire/messages/desync-probes.ts'
import { tellText } from '../told-text.ts'
import type { MatchCopy } from './match-copy.ts'
import { Forgotten } from './match-copy.ts'

type Cell = ProbeAnswer<'cells'>['cells'][number]

/** A leaf larger than that is one of a custom part, whose bytes say little to anybody. */
const leafBytesMax = 262_144

/** Every value of a leaf, as it is told. Two machines with the same leaf have the same list. */
export function listCells({ simulation }: MatchCopy, label: string): readonly Cell[] {
  let leaf: Uint8Array | undefined
  simulation.parts.visitLeaves({
    leaf(each, bytes, start, byteLength) {
      if (each.text === label) leaf = bytes.slice(start, start + byteLength)
    },
  })
  if (leaf === undefined || leaf.byteLength > leafBytesMax) throw new Forgotten()
  return simulation.parts.listLeaf(label, leaf).map(({ row, field, value }) => ({
    row,
    field: tellText(field, probeFieldBytesMax),
    value: tellText(JSON.stringify(value) ?? '', probeValueBytesMax),
  }))
}

/** Hashes over runs of these values. */
export function hashCells(
  cells: readonly Cell[],
  { first, step, count }: ProbeAsk<'items'>,
): ProbeAnswer<'items'> {
  const words: number[] = []
  for (let run = 0; run < Math.min(count, probeFanout); run++) {
    const start = first + run * step
    const chain = new Uint32Array(2)
    for (const { row, field, value } of cells.slice(start, start + step)) {
      mixBytes(encodeUtf8(`${row ?? ''}\0${field}\0${value}`), hash, 0)
      mixChain(chain, hash[0] as number, hash[1] as number)
    }
    words.push(...chain)
  }
  return { itemCount: cells.length, words }
}

const hash = new Uint32Array(2)
