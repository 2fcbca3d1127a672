/**
 * Every decoder that meets a stranger's bytes, ready for the fuzzer. This file is bundled with what it
 * imports and instrumented, so it must not touch the machine.
 */

import { OrderCodec } from '../../packages/samestep/src/sim/game/orders/order.ts'
import {
  bool,
  bytes as bytesField,
  decodeRecord,
  encodeRecord,
  f64,
  fixedField,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
} from '../../packages/samestep/src/sim/schema/index.ts'
import { wireDecoders } from '../../packages/samestep/src/wire/testing/decoders.ts'
import type { WireVectors } from '../../packages/samestep/src/wire/testing/vectors.ts'
import type { FuzzTarget } from './fuzzer.ts'
import { linkTargets } from './link-targets.ts'
import { recordTargets } from './record-targets.ts'
import { snapshotTargets } from './snapshot-targets.ts'

/** What P1 of every decoder allows: 4 KiB, and a share for each byte. Encoding again is part of it. */
function modest(length: number): number {
  return 4_096 + 8 * length
}

function wireTargets(vectors: WireVectors): FuzzTarget[] {
  return wireDecoders(vectors).map(({ name, seeds, recode }) => ({
    name: `wire/${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
    seeds,
    run: recode,
    allocationMax: modest,
  }))
}

const board = struct({
  turn: seat,
  names: map(seat, text(24), 8),
  seen: set(range(-10, 10), 21),
  last: optional(struct({ from: u8, to: u16 })),
  log: list(bytesField(4), 3),
  best: list(f64, 4),
  mood: oneOf(['calm', 'angry', 'lost']),
})

const orders = new OrderCodec({
  move: { units: list(ref('units'), 200), x: fixedField, y: fixedField, queue: bool },
  chat: { to: optional(seat), text: text(80) },
  resign: {},
})

function schemaTargets(): FuzzTarget[] {
  const filled = board.makeDefault()
  filled.names.set(3, 'Ada')
  filled.seen.add(-10).add(4)
  filled.last = { from: 1, to: 500 }
  filled.log.push(Uint8Array.of(1, 2))
  filled.best.push(0.5, Number.NaN)
  return [
    {
      name: 'schema/record',
      seeds: [encodeRecord(board, board.makeDefault()), encodeRecord(board, filled)],
      run: (bytes) => encodeRecord(board, decodeRecord(board, bytes)),
      allocationMax: modest,
    },
    {
      name: 'schema/order',
      seeds: [
        orders.encode('move', { units: [1, 2, 3], x: 65_536, y: -1, queue: true }),
        orders.encode('chat', { to: 2, text: 'grüß dich' }),
        orders.encode('resign', {}),
      ],
      run: (bytes) => {
        const { type, data } = orders.decode(bytes)
        return orders.encode(type.name, data)
      },
      allocationMax: modest,
    },
  ]
}

/** All targets. The golden vectors come from outside, because this code reads no files. */
export function makeTargets(vectors: WireVectors): FuzzTarget[] {
  return [
    ...wireTargets(vectors),
    ...linkTargets(),
    ...schemaTargets(),
    ...snapshotTargets(),
    ...recordTargets(),
  ]
}
