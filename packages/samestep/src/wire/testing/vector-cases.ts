/** What the golden vectors are made of: `npm run golden` turns these into bytes. */

import { messages } from './message-cases.ts'
import { slotOf } from './slot-of.ts'
import type {
  BundlesVector,
  BundleVector,
  DeltaVector,
  TurnVector,
  WireVectors,
  WithoutHex,
} from './vectors.ts'

/** Cases of every kind, each title once. */
export type WireCases = {
  readonly [K in keyof WireVectors]: readonly WithoutHex<WireVectors[K][number]>[]
}

/** The controls of a small shooter: a stick, a mouse, two triggers, a weapon. */
const pad = [slotOf(3, 3), slotOf(16, 32_768), slotOf(1), slotOf(1, 0, true), slotOf(4, 0, true)]

/** No slot is wider than the others. */
const buttons = [0, 1, 2, 3].map(() => slotOf(1))

const rest = [3, 32_768, 0, 0, 0]

const deltas: readonly WithoutHex<DeltaVector>[] = [
  { title: 'the widest slot by one', layout: pad, previous: rest, slots: [3, 32_769, 0, 0, 0] },
  {
    title: 'the widest slot by minus one',
    layout: pad,
    previous: rest,
    slots: [3, 32_767, 0, 0, 0],
  },
  {
    title: 'the widest slot, around the end',
    layout: pad,
    previous: [3, 65_535, 0, 0, 0],
    slots: [3, 2, 0, 0, 0],
  },
  { title: 'the longest change', layout: pad, previous: rest, slots: [3, 0, 0, 0, 0] },
  { title: 'another slot', layout: pad, previous: rest, slots: [6, 32_768, 0, 0, 0] },
  { title: 'a button', layout: pad, previous: rest, slots: [3, 32_768, 1, 0, 0] },
  {
    title: 'a shot after a shot',
    layout: pad,
    previous: [3, 32_768, 0, 1, 0],
    slots: [3, 32_768, 0, 1, 0],
  },
  { title: 'several slots', layout: pad, previous: [0, 5, 1, 0, 0], slots: [7, 100, 0, 1, 9] },
  { title: 'one button of four', layout: buttons, previous: [0, 0, 1, 0], slots: [0, 0, 0, 0] },
  { title: 'all buttons of four', layout: buttons, previous: [0, 1, 0, 1], slots: [1, 0, 1, 0] },
  {
    title: 'the only slot',
    layout: [slotOf(32, 7)],
    previous: [7],
    slots: [4_000_000_000],
  },
]

const bundles: readonly WithoutHex<BundleVector>[] = [
  {
    title: 'an idle tick',
    seatCount: 8,
    layout: pad,
    previous: Array.from({ length: 8 }, () => rest),
    inputs: Array.from({ length: 8 }, () => rest),
    missing: [],
    orders: [],
    events: [],
  },
  {
    title: 'a tick of a game without inputs',
    seatCount: 64,
    layout: [],
    previous: Array.from({ length: 64 }, () => []),
    inputs: Array.from({ length: 64 }, () => []),
    missing: [],
    orders: [],
    events: [],
  },
  {
    title: 'two of three seats change their inputs',
    seatCount: 3,
    layout: pad,
    previous: [rest, rest, [3, 32_768, 1, 0, 0]],
    inputs: [[3, 32_780, 0, 0, 0], rest, [3, 32_768, 0, 1, 0]],
    missing: [],
    orders: [],
    events: [],
  },
  {
    title: 'an input is missing, and a shot is let go',
    seatCount: 2,
    layout: pad,
    previous: [[3, 32_768, 0, 1, 5], rest],
    inputs: [rest, rest],
    missing: [1],
    orders: [],
    events: [],
  },
  {
    title: 'orders of both lengths',
    seatCount: 2,
    layout: [],
    previous: [[], []],
    inputs: [[], []],
    missing: [],
    orders: [
      { seat: 1, number: 255, hex: '' },
      { seat: 0, number: 0, hex: 'a1b2c3' },
      {
        seat: 1,
        number: 0,
        hex: '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff',
      },
    ],
    events: [],
  },
  {
    title: 'every event',
    seatCount: 8,
    layout: [],
    previous: Array.from({ length: 8 }, () => []),
    inputs: Array.from({ length: 8 }, () => []),
    missing: [],
    orders: [],
    events: [
      { type: 'join', seat: 7 },
      { type: 'leave', seat: 0, reason: 'left' },
      { type: 'leave', seat: 1, reason: 'relay-closed' },
      { type: 'pause', seat: 3 },
      { type: 'pause', seat: null },
      { type: 'resume', seat: null },
      { type: 'speed', percent: 60 },
      { type: 'delay', ticks: 4 },
      { type: 'hand-over', seat: 5, member: 65_535 },
      { type: 'hand-over', seat: 6, member: null },
    ],
  },
  {
    title: 'everything at once',
    seatCount: 2,
    layout: buttons,
    previous: [
      [0, 0, 0, 0],
      [1, 1, 1, 1],
    ],
    inputs: [
      [1, 0, 0, 0],
      [1, 1, 1, 1],
    ],
    missing: [1],
    orders: [{ seat: 0, number: 17, hex: '2a' }],
    events: [{ type: 'join', seat: 1 }],
  },
]

const control = {
  version: 9,
  orderNumber: 513,
  lateInputs: 2,
  echoStamp: 40_000,
  echoHeldMs: 12,
  token: 0x1234_5678,
  marginMinMs: -3,
  marginMedianMs: 21,
  refusals: [],
}

const relayBundles: readonly WithoutHex<BundlesVector>[] = [
  { title: 'an idle tick', nearTick: 1, firstTick: 1, control: null, bundles: ['00'], part: null },
  {
    title: 'a tick after several wraps',
    nearTick: 70_000,
    firstTick: 70_010,
    control: null,
    bundles: ['00'],
    part: null,
  },
  {
    title: 'three ticks, two of them repeated',
    nearTick: 300,
    firstTick: 298,
    control: null,
    bundles: ['00', '0102', '00'],
    part: null,
  },
  { title: 'a control block', nearTick: 5, firstTick: 5, control, bundles: ['00'], part: null },
  {
    title: 'a control block with refusals',
    nearTick: 5,
    firstTick: 5,
    control: {
      ...control,
      refusals: [
        { number: 512, reason: 'queue-full' },
        { number: 511, reason: 'rate' },
      ],
    },
    bundles: ['00'],
    part: null,
  },
  {
    title: 'a control block at its ends',
    nearTick: 5,
    firstTick: 5,
    control: {
      version: 254,
      orderNumber: 65_535,
      lateInputs: 255,
      echoStamp: 65_535,
      echoHeldMs: 65_535,
      token: 4_294_967_295,
      marginMinMs: -32_768,
      marginMedianMs: 32_767,
      refusals: [{ number: 65_535, reason: 'forbidden' }],
    },
    bundles: ['00'],
    part: null,
  },
  {
    title: 'a control block before exactly this tick',
    nearTick: 1,
    firstTick: 70_010,
    isExact: true,
    control,
    bundles: ['00'],
    part: null,
  },
  {
    title: 'a long bundle before a short one',
    nearTick: 9,
    firstTick: 9,
    control: null,
    bundles: ['5a'.repeat(255), '00'],
    part: null,
  },
  {
    title: 'the end of a bundle in parts',
    nearTick: 9,
    firstTick: 9,
    control: null,
    bundles: ['5a'.repeat(1_070)],
    part: { start: 1_064, end: 1_070 },
  },
  {
    title: 'exactly these two ticks, however late they come',
    nearTick: 1,
    firstTick: 70_010,
    isExact: true,
    control: null,
    bundles: ['00', '0102'],
    part: null,
  },
]

const near = { nearReceived: 1_000, nearInputTick: 1_003, nearOrderNumber: 0 }

const clientTurns: readonly WithoutHex<TurnVector>[] = [
  {
    title: 'the first turn of a match',
    layout: pad,
    near: { nearReceived: 0, nearInputTick: 0, nearOrderNumber: 0 },
    received: 1,
    controlSeen: 255,
    report: { stamp: 500, rttMs: 65_535, activity: 'active', loadPercent: 0, token: null },
    hash: { executedTick: 1, tick: 0, lo: 7, hi: 9 },
    firstInputTick: 1,
    inputs: [rest, rest],
    heldMs: 0,
    firstOrderNumber: 0,
    orders: ['00'],
  },
  {
    title: 'nothing but an acknowledgement',
    layout: pad,
    near,
    received: 1_001,
    controlSeen: 7,
    report: null,
    hash: null,
    firstInputTick: 0,
    inputs: [],
    heldMs: 0,
    firstOrderNumber: 0,
    orders: [],
  },
  {
    title: 'a report and a hash',
    layout: pad,
    near,
    received: 1_001,
    controlSeen: 7,
    report: {
      stamp: 65_535,
      rttMs: 65_535,
      activity: 'slow',
      loadPercent: 140,
      token: 0xfedc_ba98,
    },
    hash: { executedTick: 990, tick: 984, lo: 0x0123_4567, hi: 0x89ab_cdef },
    firstInputTick: 0,
    inputs: [],
    heldMs: 0,
    firstOrderNumber: 0,
    orders: [],
  },
  {
    title: 'a report without a token',
    layout: [],
    near,
    received: 1_001,
    controlSeen: 7,
    report: { stamp: 500, rttMs: 48, activity: 'loading', loadPercent: 4_032, token: null },
    hash: null,
    firstInputTick: 0,
    inputs: [],
    heldMs: 0,
    firstOrderNumber: 0,
    orders: [],
  },
  {
    title: 'three inputs',
    layout: pad,
    near,
    received: 1_001,
    controlSeen: 7,
    report: null,
    hash: null,
    firstInputTick: 1_002,
    inputs: [
      [3, 32_790, 0, 0, 0],
      [3, 32_790, 0, 0, 0],
      [3, 32_800, 1, 1, 0],
    ],
    heldMs: 21,
    firstOrderNumber: 0,
    orders: [],
  },
  {
    title: 'two orders',
    layout: [],
    near: { ...near, nearOrderNumber: 65_530 },
    received: 1_001,
    controlSeen: 7,
    report: null,
    hash: null,
    firstInputTick: 0,
    inputs: [],
    heldMs: 0,
    firstOrderNumber: 65_540,
    orders: ['a1b2c3', ''],
  },
  {
    title: 'everything',
    layout: buttons,
    near,
    received: 1_001,
    controlSeen: 255,
    report: { stamp: 1, rttMs: 65_535, activity: 'hidden', loadPercent: 3, token: 1 },
    hash: { executedTick: 1_001, tick: 1_001, lo: 1, hi: 2 },
    firstInputTick: 1_004,
    inputs: [[0, 1, 0, 0]],
    heldMs: 255,
    firstOrderNumber: 3,
    orders: ['ff'],
  },
]

/** All of them. */
export const wireCases: WireCases = { messages, deltas, bundles, relayBundles, clientTurns }
