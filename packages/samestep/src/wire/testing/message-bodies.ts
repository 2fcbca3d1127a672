/** Arbitrary bodies of every control message: whatever their fields can say. */
import fc from 'fast-check'
import { clientStatuses, closeReasons, presences } from '../codes.ts'
import { probeKindWords, probeOutcomes } from '../messages/desync-probes.ts'
import type { MessageBody, MessageName } from '../messages/messages.ts'
import { scopeWords, voteWords, writeAction } from '../messages/room-actions.ts'
import type { Software } from '../messages/software.ts'
import {
  bytesUpTo,
  lateJoins,
  maybe,
  record,
  seats,
  texts,
  u16,
  u32,
  visibilities,
  whole,
} from './field-arbitraries.ts'
import { config } from './match-config-arbitrary.ts'
import { actionNames, actionOf } from './room-action-arbitraries.ts'

const member = record<MessageBody<'RelayRoom'>['members'][number]>({
  id: u32,
  name: texts(128),
  role: fc.constantFrom('player', 'spectator', 'witness'),
  seat: maybe(seats),
  team: whole(0, 63),
  isReady: fc.boolean(),
  isOwner: fc.boolean(),
  loadProgress: whole(0, 100),
  presence: fc.constantFrom(...presences),
  isAfk: fc.boolean(),
  claim: maybe(seats),
})

const seatStats = record<MessageBody<'RelayStats'>['seats'][number]>({
  seat: seats,
  rttMs: u16,
  jitterMs: u16,
  lossPercent: whole(0, 100),
  marginMs: whole(-32_768, 32_767),
  loadPercent: whole(0, 4_032),
  behindTicks: u16,
  orderWaitMs: u16,
  orderWaitP95Ms: u16,
  ticksPerPacket: whole(1, 32),
})

const fetchOf = record<MessageBody<'RelayFetch'>>({
  tick: u32,
  first: whole(0, 2_047),
  count: whole(0, 16),
})

const manifestOf = record<MessageBody<'RelayManifest'>>({
  tick: u32,
  hash: bytesUpTo(32),
  isAgreed: fc.boolean(),
  bytes: whole(0, 33_554_432),
  chunkHashes: bytesUpTo(160),
})

const chunkOf = record<MessageBody<'RelayChunk'>>({
  tick: u32,
  index: whole(0, 2_047),
  isDeflated: fc.boolean(),
  content: bytesUpTo(200),
})

/** What each message can carry. */
export const messageBodies: { readonly [N in MessageName]: fc.Arbitrary<MessageBody<N>> } = {
  ClientHello: record<MessageBody<'ClientHello'>>({
    magic: u32,
    protocols: fc.array(texts(32), { maxLength: 8 }),
    gameId: texts(63),
    gameVersion: u32,
    fingerprint: bytesUpTo(32),
  }),
  RelayRefuse: record<MessageBody<'RelayRefuse'>>({
    reason: texts(32),
    item: texts(32),
    theirs: texts(80),
    ours: texts(80),
    message: texts(200),
  }),
  RelayWelcome: record<MessageBody<'RelayWelcome'>>({ protocol: texts(32) }),
  ClientJoin: record<MessageBody<'ClientJoin'>>({
    match: texts(64),
    name: texts(128),
    role: fc.constantFrom('player', 'spectator', 'witness'),
    config,
    ticket: maybe(bytesUpTo(16)),
    secret: maybe(bytesUpTo(32)),
    nextTick: u32,
    token: maybe(texts(256)),
    software: maybe(record<Software>({ library: texts(64), engine: texts(64), build: texts(64) })),
  }),
  RelaySeated: record<MessageBody<'RelaySeated'>>({
    matchId: texts(64),
    ticket: bytesUpTo(16),
    member: u32,
    seat: maybe(seats),
    seatTick: u32,
    seed: texts(32),
    isLaunched: fc.boolean(),
    isStateComing: fc.boolean(),
    config,
    orderNumber: u32,
    sealedTick: u32,
    rebuiltTick: maybe(u32),
  }),
  ClientLeave: record<MessageBody<'ClientLeave'>>({ reason: texts(64) }),
  RelayClose: record<MessageBody<'RelayClose'>>({
    reason: fc.constantFrom(...closeReasons),
    message: texts(200),
  }),
  ClientAct: fc.constantFrom(...actionNames).chain((type) => actionOf(type).map(writeAction)),
  RelayRoom: record<MessageBody<'RelayRoom'>>({
    revision: u32,
    phase: fc.constantFrom('lobby', 'loading', 'countdown', 'running', 'ended'),
    remainingMs: whole(0, 600_000),
    optionsRevision: u32,
    options: bytesUpTo(100),
    visibility: visibilities,
    lateJoin: lateJoins,
    lockedSeats: fc.array(seats, { maxLength: 64 }),
    waitingFor: fc.array(seats, { maxLength: 64 }),
    isHalted: fc.boolean(),
    members: fc.array(member, { maxLength: 20 }),
  }),
  RelayLaunch: record<MessageBody<'RelayLaunch'>>({
    options: bytesUpTo(1_024),
    seat: maybe(seats),
  }),
  RelaySaid: record<MessageBody<'RelaySaid'>>({
    member: u32,
    scope: fc.constantFrom(...scopeWords),
    text: texts(300),
  }),
  RelayVote: record<MessageBody<'RelayVote'>>({
    id: u32,
    kind: fc.constantFrom(...voteWords),
    target: maybe(seats),
    percent: whole(0, 1_000),
    proposer: seats,
    yes: whole(0, 64),
    no: whole(0, 64),
    electors: whole(0, 64),
    needed: whole(0, 64),
    remainingMs: whole(0, 600_000),
    state: fc.constantFrom('open', 'passed', 'denied', 'timeout', 'target-left'),
  }),
  RelayDenied: record<MessageBody<'RelayDenied'>>({ action: texts(16), reason: texts(24) }),
  RelayBots: record<MessageBody<'RelayBots'>>({
    bots: fc.array(fc.record({ seat: seats, runner: maybe(u32), turn: u32, nextOrder: u32 }), {
      maxLength: 64,
    }),
  }),
  ClientBotInput: record<MessageBody<'ClientBotInput'>>({
    seat: seats,
    turn: u32,
    slots: fc.array(u32, { maxLength: 32 }),
  }),
  ClientBotOrders: record<MessageBody<'ClientBotOrders'>>({
    seat: seats,
    turn: u32,
    firstNumber: u32,
    orders: fc.array(bytesUpTo(40), { maxLength: 16 }),
  }),
  RelayStats: record<MessageBody<'RelayStats'>>({
    inputDelay: whole(0, 63),
    requestedPercent: whole(0, 1_000),
    effectivePercent: whole(0, 1_000),
    comparedTick: u32,
    mismatches: u16,
    seats: fc.array(seatStats, { maxLength: 64 }),
  }),
  RelayDesync: record<MessageBody<'RelayDesync'>>({
    tick: u32,
    agreedTick: maybe(u32),
    groups: fc.array(fc.array(seats, { maxLength: 64 }), { maxLength: 6 }),
    culprits: fc.array(seats, { maxLength: 64 }),
    isSpectator: fc.boolean(),
  }),
  RelayChallenge: record<MessageBody<'RelayChallenge'>>({ nonce: bytesUpTo(16) }),
  ClientProof: record<MessageBody<'ClientProof'>>({
    proof: bytesUpTo(32),
    isMove: fc.boolean(),
  }),
  RelayDoors: record<MessageBody<'RelayDoors'>>({
    udp: maybe(fc.record({ port: fc.integer({ min: 1, max: 65_535 }), key: bytesUpTo(32) })),
    webrtc: fc.boolean(),
  }),
  ClientHere: record<MessageBody<'ClientHere'>>({ activity: fc.constantFrom(...clientStatuses) }),
  RelayAskState: record<MessageBody<'RelayAskState'>>({ tick: u32 }),
  ClientState: record<MessageBody<'ClientState'>>({ tick: u32, hash: bytesUpTo(32) }),
  RelayFetch: fetchOf,
  ClientManifest: manifestOf,
  ClientChunk: chunkOf,
  RelayManifest: manifestOf,
  ClientFetch: fetchOf,
  RelayChunk: chunkOf,
  RelayProbe: record<MessageBody<'RelayProbe'>>({
    number: u16,
    kind: fc.constantFrom(...probeKindWords),
    ask: bytesUpTo(300),
  }),
  ClientProbe: record<MessageBody<'ClientProbe'>>({
    number: u16,
    outcome: fc.constantFrom(...probeOutcomes),
    answer: bytesUpTo(600),
  }),
  RelayResync: record<MessageBody<'RelayResync'>>({
    orderNumber: u32,
    seat: maybe(seats),
    seatTick: u32,
  }),
  RelayDebug: record<MessageBody<'RelayDebug'>>({ level: fc.integer({ min: 0, max: 4 }) }),
  RelayTag: record<MessageBody<'RelayTag'>>({
    tick: u32,
    count: whole(0, 4_095),
    tag: bytesUpTo(16),
    capsule: maybe(bytesUpTo(600)),
  }),
  RelayRecover: record<MessageBody<'RelayRecover'>>({
    nonce: bytesUpTo(16),
    wantsHistory: fc.boolean(),
  }),
  ClientRecover: record<MessageBody<'ClientRecover'>>({
    proof: bytesUpTo(32),
    backTick: u32,
    capsule: bytesUpTo(600),
    tags: fc.array(fc.record({ tick: u32, count: whole(0, 4_095), tag: bytesUpTo(16) }), {
      maxLength: 64,
    }),
    firstTick: u32,
    count: whole(0, 8_191),
  }),
  ClientHistory: record<MessageBody<'ClientHistory'>>({ bytes: bytesUpTo(600) }),
  RelayFinding: record<MessageBody<'RelayFinding'>>({
    toldTick: u32,
    stage: fc.constantFrom('located', 'traced'),
    tick: u32,
    isExact: fc.boolean(),
    place: maybe(
      fc.record({
        part: texts(40),
        row: maybe(u32),
        field: texts(40),
        tick: u32,
        values: fc.array(
          fc.record({ seats: fc.array(seats, { maxLength: 64 }), value: texts(60) }),
          { maxLength: 3 },
        ),
        leafCount: u16,
      }),
    ),
    writes: fc.array(
      fc.record({
        seats: fc.array(seats, { maxLength: 64 }),
        kind: texts(16),
        system: texts(20),
        part: texts(20),
        row: maybe(u32),
        field: texts(20),
        value: texts(40),
        site: maybe(
          fc.record({ functionName: texts(20), file: texts(60), line: u32, column: u32 }),
        ),
      }),
      { maxLength: 2 },
    ),
    cause: maybe(fc.record({ id: texts(16), text: texts(80), advice: texts(80) })),
  }),
  ClientLoaded: record<MessageBody<'ClientLoaded'>>({ tick: u32, isGood: fc.boolean() }),
  RelaySeat: record<MessageBody<'RelaySeat'>>({ seat: maybe(seats), seatTick: u32 }),
}
