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

/** Coming and going. */
export const handshake: readonly WithoutHex<MessageVector>[] = [
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
      seatTick: 0,
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
      seatTick: 98_304,
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

/** What is said once somebody is in: who it is, which doors there are, how closely to look. */
export const proofs: readonly WithoutHex<MessageVector>[] = [
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
