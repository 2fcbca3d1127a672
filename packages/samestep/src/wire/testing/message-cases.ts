/** Cases of every control message; those of running ticks are in `vector-cases.ts`. */
import { handshake, proofs } from './handshake-cases.ts'
import { acts, bots, figures, room } from './room-cases.ts'
import { desyncs, probes, states } from './state-cases.ts'
import type { MessageVector, WithoutHex } from './vectors.ts'

/** All of them, in the sequence of their numbers. */
export const messages: readonly WithoutHex<MessageVector>[] = [
  ...handshake,
  ...acts,
  ...room,
  ...bots,
  ...figures,
  ...desyncs,
  ...proofs,
  ...states,
  ...probes,
]
