import fc from 'fast-check'
import { orderIssuers } from '../../sim/game/orders/order.ts'
import type { MatchConfig } from '../messages/match-config.ts'
import { pauseLevels } from '../messages/match-config.ts'
import { slotForms } from '../ticks/input-layout.ts'
import {
  bytesUpTo,
  lateJoins,
  record,
  texts,
  u32,
  visibilities,
  whole,
} from './field-arbitraries.ts'

const ranks = fc.constantFrom('player', 'owner', 'vote', 'relay')

/** Whatever a match can be configured to. */
export const config: fc.Arbitrary<MatchConfig> = record<MatchConfig>({
  seats: whole(1, 64),
  tickRate: whole(1, 240),
  inputDelay: whole(0, 63),
  inputDelayMin: whole(0, 63),
  inputDelayMax: whole(0, 63),
  missing: record<MatchConfig['missing']>({
    kind: fc.constantFrom('idle', 'repeat', 'wait'),
    waitMs: whole(0, 4_000),
  }),
  lagMode: fc.constantFrom('off', 'median', 'maximum'),
  lagStretch: fc.boolean(),
  batching: fc.constantFrom('never', 'adaptive'),
  lobby: record<MatchConfig['lobby']>({
    start: fc.constantFrom('when-full', 'when-ready', 'by-owner'),
    playersMin: whole(1, 64),
    countdownMs: whole(0, 60_000),
    loadIdleMs: whole(1_000, 600_000),
    loadMs: whole(1_000, 600_000),
    onLoadDrop: fc.constantFrom('abort', 'continue'),
    lateJoin: lateJoins,
    visibility: visibilities,
    spectatorsMax: whole(0, 192),
    spectatorDelayMs: whole(0, 300_000),
    afkMs: whole(0, 3_600_000),
    onAfk: fc.constantFrom('tell', 'bot', 'remove'),
    onAway: fc.constantFrom('idle', 'bot'),
    emptyMs: whole(0, 600_000),
    spectatorsReach: fc.constantFrom('spectators', 'all'),
  }),
  referee: fc.constantFrom('nobody', 'witness'),
  desync: fc.constantFrom('warn', 'halt', 'resync'),
  pace: record<MatchConfig['pace']>({
    pauseBy: ranks,
    speedBy: ranks,
    pausesMax: whole(0, 255),
    pauseMsMax: whole(1_000, 600_000),
  }),
  orders: record<MatchConfig['orders']>({
    whenPaused: fc.constantFrom(...pauseLevels),
    pausedClasses: whole(0, 2 ** 31 - 1),
    forbiddenClasses: whole(0, 2 ** 31 - 1),
  }),
  orderKinds: fc.array(
    record<MatchConfig['orderKinds'][number]>({
      by: fc.constantFrom(...orderIssuers),
      maxBytes: whole(0, 1_024),
      whenPaused: fc.boolean(),
      maxPerTick: whole(1, 127),
      classIndex: whole(0, 30),
    }),
    { maxLength: 256 },
  ),
  orderClasses: fc.array(
    record<MatchConfig['orderClasses'][number]>({
      perSecond: whole(0, 1_000),
      burst: whole(0, 1_000),
    }),
    { maxLength: 31 },
  ),
  inputSlots: fc.array(
    record<MatchConfig['inputSlots'][number]>({
      form: fc.constantFrom(...slotForms),
      max: u32,
      initial: u32,
      isOneShot: fc.boolean(),
    }),
    { maxLength: 32 },
  ),
  options: bytesUpTo(100),
  content: fc.array(
    record<MatchConfig['content'][number]>({ name: texts(64), hash: bytesUpTo(32) }),
    { maxLength: 64 },
  ),
})
