/** Cases of every control message; those of running ticks are in `vector-cases.ts`. */

import { botOrdersMax } from '../limits.ts'
import { type MatchConfig, makeMatchConfig, matchConfig } from '../messages/match-config.ts'
import { helloMagic } from '../messages/messages.ts'
import { slotOf } from './slot-of.ts'
import type { MessageVector, WithoutHex } from './vectors.ts'

const ticket = '000102030405060708090a0b0c0d0e0f'

const smallConfig = matchConfig.toJson(makeMatchConfig({ seats: 2, tickRate: 30 }))

/** Every number at its upper end, every list with something in it. */
const fullMatch: MatchConfig = {
  seats: 64,
  tickRate: 240,
  inputDelay: 63,
  inputDelayMin: 63,
  inputDelayMax: 63,
  missing: { kind: 'wait', waitMs: 4_000 },
  lagMode: 'maximum',
  lagStretch: true,
  batching: 'adaptive',
  lobby: {
    start: 'by-owner',
    playersMin: 64,
    countdownMs: 60_000,
    loadIdleMs: 600_000,
    loadMs: 600_000,
    onLoadDrop: 'continue',
    lateJoin: 'nobody',
    visibility: 'local',
    spectatorsMax: 192,
    spectatorDelayMs: 300_000,
    afkMs: 3_600_000,
    onAfk: 'remove',
    onAway: 'bot',
    emptyMs: 600_000,
    spectatorsReach: 'all',
  },
  pace: { pauseBy: 'relay', speedBy: 'vote', pausesMax: 255, pauseMsMax: 600_000 },
  orders: { whenPaused: 'classes', pausedClasses: 2 ** 31 - 1, forbiddenClasses: 1 },
  referee: 'witness',
  desync: 'resync',
  orderKinds: [
    { by: 'player', maxBytes: 0, whenPaused: false, maxPerTick: 1, classIndex: 0 },
    { by: 'everybody', maxBytes: 1_024, whenPaused: true, maxPerTick: 127, classIndex: 30 },
  ],
  orderClasses: [
    { perSecond: 0, burst: 1 },
    { perSecond: 1_000, burst: 1_000 },
  ],
  inputSlots: [slotOf(1, 0, true), slotOf(32, 4_294_967_295)],
  options: Uint8Array.of(0, 255, 16),
  content: [
    { name: 'maps/dunes.json', hash: new Uint8Array(32).fill(0xd0) },
    { name: 'rules.json', hash: Uint8Array.from({ length: 32 }, (_, at) => at) },
  ],
}
const fullConfig = matchConfig.toJson(fullMatch)

const handshake: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'a hello of the first protocol',
    message: 'ClientHello',
    body: {
      magic: helloMagic,
      protocols: ['samestep/1'],
      gameId: 'dots',
      gameVersion: 1,
      fingerprint: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
    },
  },
  {
    title: 'a hello of somebody who speaks more',
    message: 'ClientHello',
    body: {
      magic: helloMagic,
      protocols: ['samestep/9', 'samestep/1'],
      gameId: 'größer',
      gameVersion: 4_294_967_295,
      fingerprint: '',
    },
  },
  {
    title: 'a refusal',
    message: 'RelayRefuse',
    body: {
      reason: 'version',
      item: 'game version',
      theirs: '1',
      ours: '2',
      message: 'Cannot let you in: your game version is 1; it must be 2',
    },
  },
  {
    title: 'a refusal without words',
    message: 'RelayRefuse',
    body: { reason: '', item: '', theirs: '', ours: '', message: '' },
  },
  { title: 'a welcome', message: 'RelayWelcome', body: { protocol: 'samestep/1' } },
  {
    title: 'a first join',
    message: 'ClientJoin',
    body: {
      match: 'friday',
      name: 'Ada',
      role: 'player',
      config: smallConfig,
      ticket: null,
      secret: '101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f',
      nextTick: 1,
      token: null,
      software: null,
    },
  },
  {
    title: 'a spectator that comes back',
    message: 'ClientJoin',
    body: {
      match: 'f',
      name: 'Zoë',
      role: 'spectator',
      config: fullConfig,
      ticket,
      secret: null,
      nextTick: 100_000,
      token: 'eyJhbGciOiJFZERTQSJ9.e30.c2ln',
      software: { library: 'samestep 0.1.0', engine: 'Firefox 128.0', build: '1.4.2' },
    },
  },
  {
    title: 'a seat',
    message: 'RelaySeated',
    body: {
      matchId: 'm-1',
      ticket,
      member: 0,
      seat: 1,
      seed: '5eed',
      isLaunched: true,
      isStateComing: false,
      config: smallConfig,
      orderNumber: 0,
      sealedTick: 0,
      rebuiltTick: null,
    },
  },
  {
    title: 'a place to watch from',
    message: 'RelaySeated',
    body: {
      matchId: 'm-1',
      ticket,
      member: 4_294_967_295,
      seat: null,
      seed: '5eed',
      isLaunched: false,
      isStateComing: true,
      config: fullConfig,
      orderNumber: 70_000,
      sealedTick: 123_456,
      rebuiltTick: 123_000,
    },
  },
  { title: 'a farewell', message: 'ClientLeave', body: { reason: 'dinner' } },
  {
    title: 'the end',
    message: 'RelayClose',
    body: { reason: 'match-over', message: 'The match is over' },
  },
]

/** An action without any field. */
const bareAct = {
  number: null,
  other: null,
  flag: null,
  word: null,
  text: null,
  options: null,
}

const acts: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'a start',
    message: 'ClientAct',
    body: { ...bareAct, action: 'start' },
  },
  {
    title: 'ready for the options of revision 3',
    message: 'ClientAct',
    body: { ...bareAct, action: 'set-ready', number: 3, flag: true },
  },
  {
    title: 'other options',
    message: 'ClientAct',
    body: { ...bareAct, action: 'set-options', options: '00ff10' },
  },
  {
    title: 'a line to the team',
    message: 'ClientAct',
    body: { ...bareAct, action: 'say', word: 'team', text: 'Grüße' },
  },
  {
    title: 'a vote on the speed',
    message: 'ClientAct',
    body: { ...bareAct, action: 'propose', word: 'speed', number: 0, other: 150 },
  },
]

const emptyRoom = {
  revision: 0,
  phase: 'lobby',
  remainingMs: 0,
  optionsRevision: 0,
  options: '',
  visibility: 'unlisted',
  lateJoin: 'players',
  lockedSeats: [],
  waitingFor: [],
  isHalted: false,
  members: [],
}

const room: readonly WithoutHex<MessageVector>[] = [
  { title: 'a room without anybody', message: 'RelayRoom', body: emptyRoom },
  {
    title: 'a room that loads',
    message: 'RelayRoom',
    body: {
      ...emptyRoom,
      revision: 4_294_967_295,
      phase: 'loading',
      remainingMs: 600_000,
      optionsRevision: 2,
      options: '00ff10',
      visibility: 'public',
      lateJoin: 'nobody',
      lockedSeats: [2, 63],
      waitingFor: [0, 63],
      isHalted: true,
      members: [
        {
          id: 0,
          name: 'Ada',
          role: 'player',
          seat: 0,
          team: 63,
          isReady: true,
          isOwner: true,
          loadProgress: 100,
          presence: 'active',
          isAfk: true,
          claim: null,
        },
        {
          id: 70_000,
          name: 'Zoë',
          role: 'spectator',
          seat: null,
          team: 0,
          isReady: false,
          isOwner: false,
          loadProgress: 0,
          presence: 'gone',
          isAfk: false,
          claim: 63,
        },
      ],
    },
  },
  { title: 'a launch', message: 'RelayLaunch', body: { options: '00ff10', seat: 1 } },
  {
    title: 'a launch for who watches',
    message: 'RelayLaunch',
    body: { options: '', seat: null },
  },
  {
    title: 'a line for all',
    message: 'RelaySaid',
    body: { member: 7, scope: 'all', text: 'Good game' },
  },
  {
    title: 'a vote that is open',
    message: 'RelayVote',
    body: {
      id: 1,
      kind: 'kick',
      target: 3,
      percent: 0,
      proposer: 0,
      yes: 1,
      no: 1,
      electors: 4,
      needed: 3,
      remainingMs: 30_000,
      state: 'open',
    },
  },
  {
    title: 'a vote whose time is over',
    message: 'RelayVote',
    body: {
      id: 4_294_967_295,
      kind: 'speed',
      target: null,
      percent: 1_000,
      proposer: 63,
      yes: 32,
      no: 0,
      electors: 64,
      needed: 33,
      remainingMs: 0,
      state: 'timeout',
    },
  },
  {
    title: 'a wish that is not granted',
    message: 'RelayDenied',
    body: { action: 'start', reason: 'not-owner' },
  },
]

const bots: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'a bot that thinks at member 7, and one that nobody runs',
    message: 'RelayBots',
    body: {
      bots: [
        { seat: 3, runner: 7, turn: 2, nextOrder: 0 },
        { seat: 63, runner: null, turn: 0, nextOrder: 0 },
      ],
    },
  },
  {
    title: 'what a bot holds',
    message: 'ClientBotInput',
    body: { seat: 3, turn: 2, slots: [0, 1, 4_294_967_295] },
  },
  {
    title: 'two orders of a bot',
    message: 'ClientBotOrders',
    body: { seat: 3, turn: 2, firstNumber: 300, orders: ['a1b2c3', ''] },
  },
  {
    title: 'as many orders of a bot as there may be',
    message: 'ClientBotOrders',
    body: {
      seat: 63,
      turn: 4_294_967_295,
      firstNumber: 0,
      orders: Array.from({ length: botOrdersMax }, () => '2a'),
    },
  },
]

const figures: readonly WithoutHex<MessageVector>[] = [
  {
    title: 'figures of nobody',
    message: 'RelayStats',
    body: {
      inputDelay: 3,
      requestedPercent: 100,
      effectivePercent: 100,
      comparedTick: 0,
      mismatches: 0,
      seats: [],
    },
  },
  {
    title: 'figures of two seats, of which one is unknown',
    message: 'RelayStats',
    body: {
      inputDelay: 63,
      requestedPercent: 1_000,
      effectivePercent: 10,
      comparedTick: 70_000,
      mismatches: 2,
      seats: [
        {
          seat: 0,
          rttMs: 48,
          jitterMs: 3,
          lossPercent: 2,
          marginMs: -5,
          loadPercent: 140,
          behindTicks: 4,
          orderWaitMs: 17,
          orderWaitP95Ms: 33,
          ticksPerPacket: 1,
        },
        {
          seat: 63,
          rttMs: 65_535,
          jitterMs: 65_535,
          lossPercent: 100,
          marginMs: -32_768,
          loadPercent: 4_032,
          behindTicks: 65_535,
          orderWaitMs: 65_535,
          orderWaitP95Ms: 65_535,
          ticksPerPacket: 4,
        },
      ],
    },
  },
  { title: 'a sign of life', message: 'ClientHere', body: { activity: 'active' } },
  { title: 'a sign of life while loading', message: 'ClientHere', body: { activity: 'loading' } },
]

const desyncs: readonly WithoutHex<MessageVector>[] = [
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

const proofs: readonly WithoutHex<MessageVector>[] = [
  { title: 'a wish for debug level 2', message: 'RelayDebug', body: { level: 2 } },
  { title: 'a question who it is', message: 'RelayChallenge', body: { nonce: ticket } },
  {
    title: 'an answer',
    message: 'ClientProof',
    body: {
      proof: '101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f',
      isMove: false,
    },
  },
  {
    title: 'an answer of somebody who changes to a better line',
    message: 'ClientProof',
    body: {
      proof: '101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f',
      isMove: true,
    },
  },
  {
    title: 'a relay with all doors',
    message: 'RelayDoors',
    body: {
      udp: { port: 7_777, key: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' },
      webrtc: true,
    },
  },
  { title: 'a relay for pages', message: 'RelayDoors', body: { udp: null, webrtc: true } },
]

const hash32 = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const chunkHash = 'f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff'

const states: readonly WithoutHex<MessageVector>[] = [
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
]

const probes: readonly WithoutHex<MessageVector>[] = [
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
    body: { orderNumber: 812 },
  },
  {
    title: 'where machines differ',
    message: 'RelayFinding',
    body: {
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
