/** Messages to change a little: every one that the protocol has, as it is fixed. */

import { WireError } from '../../packages/samestep/src/base/errors.ts'
import type { Prng } from '../../packages/samestep/src/base/prng.ts'
import { decodeMessage } from '../../packages/samestep/src/wire/messages/messages.ts'
import { readVectors } from '../../packages/samestep/src/wire/testing/vector-file.ts'
import { Mutator } from '../fuzz/mutator.ts'

const vectors = readVectors()
const fromHex = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))

/** Control messages of both sides. */
export const messages: readonly Uint8Array[] = vectors.messages.map(({ hex }) => fromHex(hex))

/** What clients say in each tick. */
export const turns: readonly Uint8Array[] = vectors.clientTurns.map(({ hex }) => fromHex(hex))

/** A message that is right, or nearly. */
export function nearMessage(random: Prng): Uint8Array {
  for (;;) {
    const message = random.pick(random.chance(0.5) ? turns : messages)
    const near = random.chance(0.2)
      ? message
      : new Mutator(random).mutate(message, random.pick(messages)).slice()
    if (!asksForLong(near)) return near
  }
}

/** A match may be kept without anybody for ten minutes, if that is asked for: no leak, but one to see. */
const emptyMsMax = 2_000

/** Whether it makes a match that outlives the quiet time of a run. */
function asksForLong(bytes: Uint8Array): boolean {
  try {
    const message = decodeMessage(bytes)
    return message.name === 'ClientJoin' && message.body.config.lobby.emptyMs > emptyMsMax
  } catch (error) {
    if (error instanceof WireError) return false
    throw error
  }
}

/** Bytes that were changed a little. */
export function mutated(random: Prng, bytes: Uint8Array): Uint8Array {
  return new Mutator(random).mutate(bytes, bytes).slice()
}
