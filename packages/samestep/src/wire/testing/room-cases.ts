import { botOrdersMax } from '../limits.ts'
import type { MessageVector, WithoutHex } from './vectors.ts'

/** An action without any field. */
const bareAct = {
  number: null,
  other: null,
  flag: null,
  word: null,
  text: null,
  options: null,
}

/** Wishes. */
export const acts: readonly WithoutHex<MessageVector>[] = [
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

/** What everybody is told of the room. */
export const room: readonly WithoutHex<MessageVector>[] = [
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

/** Seats in which nobody sits. */
export const bots: readonly WithoutHex<MessageVector>[] = [
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

/** How everybody fares. */
export const figures: readonly WithoutHex<MessageVector>[] = [
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
