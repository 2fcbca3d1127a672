import { bytes, oneOf, optional, seat, struct, u16, u32 } from '../../sim/schema/index.ts'
import {
  probeAnswerBytesMax,
  probeAskBytesMax,
  probeKindWords,
  probeOutcomes,
  toldFindingFields,
} from './desync-probes.ts'

/** What is said to find out where a desync began, and to end it. */
export const desyncMessages = {
  /** Asks a client about its state, because machines have different ones. */
  RelayProbe: {
    number: 48,
    fields: struct({ number: u16, kind: oneOf(probeKindWords), ask: bytes(probeAskBytesMax) }),
  },
  /** The answer. */
  ClientProbe: {
    number: 49,
    fields: struct({
      number: u16,
      outcome: oneOf(probeOutcomes),
      answer: bytes(probeAnswerBytesMax),
    }),
  },
  /** What was found out about a desync. */
  RelayFinding: { number: 50, fields: toldFindingFields },
  /**
   * The receiver differs from the majority: it runs no more ticks, and goes on from the state that
   * follows. The relay has taken its orders below that number. It has that seat, as in `RelaySeated`.
   */
  RelayResync: {
    number: 51,
    fields: struct({ orderNumber: u32, seat: optional(seat), seatTick: u32 }),
  },
} as const
