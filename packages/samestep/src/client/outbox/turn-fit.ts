import { assert } from '../../base/assert.ts'
import type { BitWriter } from '../../base/bit-writer.ts'
import type { ClientTurn } from '../../wire/ticks/client-turn.ts'
import { writeClientTurn } from '../../wire/ticks/client-turn.ts'
import type { SlotDelta } from '../../wire/ticks/slot-delta.ts'

/**
 * Writes a turn in at most `bytesMax` bytes, and returns a view of it. A turn repeats what is
 * unanswered, which on a bad connection can exceed a datagram. What is left out is not lost: later
 * orders follow when earlier ones are answered, and earlier inputs were in previous turns.
 */
export function writeFittingTurn(
  writer: BitWriter,
  delta: SlotDelta,
  turn: ClientTurn,
  bytesMax: number,
): Uint8Array {
  for (let smaller = turn; ; smaller = cut(smaller, delta.slotCount)) {
    writer.reset()
    writeClientTurn(writer, delta, smaller)
    const bytes = writer.view()
    if (bytes.byteLength <= bytesMax) return bytes
  }
}

/** Keeps the first half of the orders; with one order left, the last half of the inputs. */
function cut(turn: ClientTurn, slotCount: number): ClientTurn {
  const { orders, inputCount, inputs } = turn
  if (orders.length > 1) return { ...turn, orders: orders.slice(0, orders.length >> 1) }
  assert(inputCount > 0, 'A turn of one order does not fit a packet')
  const kept = inputCount >> 1
  const dropped = inputCount - kept
  return {
    ...turn,
    firstInputTick: turn.firstInputTick + dropped,
    inputs: inputs.subarray(dropped * slotCount),
    inputCount: kept,
  }
}
