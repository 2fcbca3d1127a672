import type { MessageVector, WithoutHex } from './vectors.ts'

/** Machines have different states. */
export const desyncs: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'one seat differs from two',
    message: 'RelayDesync',
    body: { tick: 42, agreedTick: 41, groups: [[0, 2], [1]], culprits: [1], isSpectator: false },
  },
  {
    title: 'a spectator differs from all',
    message: 'RelayDesync',
    body: { tick: 70_000, agreedTick: null, groups: [[63]], culprits: [], isSpectator: true },
  },
]

const hash32 = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const chunkHash = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'

/** The state on its way to somebody. */
export const states: readonly WithoutHex<MessageVector>[] = [
  { title: 'the state after a tick is wanted', message: 'RelayAskState', body: { tick: 1_015 } },
  {
    title: 'what the state hashes to',
    message: 'ClientState',
    body: { tick: 1_015, hash: hash32 },
  },
  {
    title: 'a client is asked for what its state consists of',
    message: 'RelayFetch',
    body: { tick: 1_015, first: 0, count: 0 },
  },
  {
    title: 'a client says what its state consists of',
    message: 'ClientManifest',
    body: {
      tick: 1_015,
      hash: hash32,
      isAgreed: false,
      bytes: 20_000,
      chunkHashes: chunkHash + chunkHash,
    },
  },
  {
    title: 'a chunk of the state of a client',
    message: 'ClientChunk',
    body: { tick: 1_015, index: 1, isDeflated: true, content: 'abcdef' },
  },
  {
    title: 'a joiner hears what the state consists of',
    message: 'RelayManifest',
    body: { tick: 4_294_967_295, hash: hash32, isAgreed: true, bytes: 33_554_432, chunkHashes: '' },
  },
  {
    title: 'a joiner asks for chunks',
    message: 'ClientFetch',
    body: { tick: 1_015, first: 2_047, count: 16 },
  },
  {
    title: 'a chunk of the state for a joiner',
    message: 'RelayChunk',
    body: { tick: 1_015, index: 0, isDeflated: false, content: '00' },
  },
  {
    title: 'the state is what was promised',
    message: 'ClientLoaded',
    body: { tick: 1_015, isGood: true },
  },
  {
    title: 'a joiner has lost its seat',
    message: 'RelaySeat',
    body: { seat: null, seatTick: 1_020 },
  },
]

/** A match that is rebuilt, and what differs between two machines. */
export const probes: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'a seal on thirty ticks, and a capsule',
    message: 'RelayTag',
    body: { tick: 600, count: 30, tag: 'aa'.repeat(16), capsule: '0102030405' },
  },
  {
    title: 'a relay does not know the match',
    message: 'RelayRecover',
    body: { nonce: '0b'.repeat(16), wantsHistory: true },
  },
  {
    title: 'what a client has of it',
    message: 'ClientRecover',
    body: {
      proof: '0c'.repeat(32),
      backTick: 590,
      capsule: '0102030405',
      tags: [{ tick: 600, count: 30, tag: 'aa'.repeat(16) }],
      firstTick: 571,
      count: 2,
    },
  },
  {
    title: 'two bundles, the second of which is empty',
    message: 'ClientHistory',
    body: { bytes: '0300' + '112233' + '0000' },
  },
  {
    title: 'a client is asked to run tick 42 again',
    message: 'RelayProbe',
    body: { number: 7, kind: 'rerun', ask: '2a000000' },
  },
  {
    title: 'a client answers how many leaves its state had',
    message: 'ClientProbe',
    body: { number: 8, outcome: 'answered', answer: '0c000000' },
  },
  {
    title: 'a client does not remember the tick',
    message: 'ClientProbe',
    body: { number: 9, outcome: 'forgotten', answer: '' },
  },
  {
    title: 'a client is to take over the state of the others',
    message: 'RelayResync',
    body: { orderNumber: 812, seat: 2, seatTick: 4_711 },
  },
  {
    title: 'where machines differ',
    message: 'RelayFinding',
    body: {
      toldTick: 44,
      stage: 'located',
      tick: 42,
      isExact: true,
      place: { part: 'units', row: 812, field: 'x', tick: 42, values: [], leafCount: 1 },
      writes: [],
      cause: null,
    },
  },
  {
    title: 'which lines wrote it',
    message: 'RelayFinding',
    body: {
      toldTick: 44,
      stage: 'traced',
      tick: 42,
      isExact: true,
      place: {
        part: 'units',
        row: 812,
        field: 'x',
        tick: 42,
        values: [
          { seats: [0, 2], value: '14' },
          { seats: [1], value: '15' },
        ],
        leafCount: 1,
      },
      writes: [
        {
          seats: [0, 2],
          kind: 'set',
          system: 'move',
          part: 'units',
          row: 812,
          field: 'x',
          value: '14',
          site: { functionName: 'move', file: 'game.ts', line: 30, column: 7 },
        },
      ],
      cause: { id: 'values-differ', text: 'What was seen', advice: 'What to do' },
    },
  },
]
