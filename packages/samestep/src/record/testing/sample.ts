/** A small record with every kind of entry in it: for golden bytes, and to damage in tests. */
import { BitWriter } from '../../base/bit-writer.ts'
import type { SystemEvent } from '../../sim/game/run/bundle.ts'
import { makeMatchConfig } from '../../wire/messages/match-config.ts'
import { slotOf } from '../../wire/testing/slot-of.ts'
import type { BundleOrder } from '../../wire/ticks/bundle-codec.ts'
import { BundleCodec } from '../../wire/ticks/bundle-codec.ts'
import type { EntryBody, RecordEntry } from '../entries.ts'
import { RecordWriter } from '../writer.ts'

const config = makeMatchConfig({
  content: [{ name: 'maps/dunes.json', hash: new Uint8Array(32).fill(0xd0) }],
  seats: 3,
  tickRate: 30,
  inputSlots: [slotOf(2, 1), slotOf(9)],
})

/** The match of the sample. */
export const sampleMatch: EntryBody<'match'> = {
  id: '0011223344556677',
  name: 'friday',
  seed: '00112233445566778899aabbccddeeff',
  gameId: 'dots',
  gameVersion: 3,
  fingerprint: Uint8Array.from({ length: 32 }, (_, index) => 7 * index),
  config,
}

/** A member of it. */
export function sampleMember(id: number, seat: number | undefined, nextOrder = 0) {
  return {
    id,
    name: ['Ada', 'Grace', 'Hedy'][id] ?? `guest ${id}`,
    ticket: new Uint8Array(16).fill(id + 1),
    secret: id === 0 ? new Uint8Array(32).fill(9) : undefined,
    role: seat === undefined ? 'spectator' : 'player',
    seat,
    team: seat ?? 0,
    isReady: true,
    loadProgress: 100,
    nextOrder,
    isMuted: false,
    isNewcomer: false,
    claim: undefined,
    identity: id === 0 ? 'account-7' : undefined,
    rewindTick: undefined,
    givenTick: id === 1 ? 4 : undefined,
  } as const satisfies EntryBody<'member'>
}

/** Where it stands. */
export const sampleRoom: EntryBody<'room'> = {
  phase: 'running',
  remainingMs: 0,
  optionsRevision: 2,
  options: Uint8Array.of(5, 6, 7),
  visibility: 'unlisted',
  lateJoin: 'players',
  lockedSeats: [2],
  owner: 0,
  memberCount: 3,
  inputDelay: 3,
  requestedPercent: 150,
  effectivePercent: 120,
  pause: { by: 'player', seat: 1, remainingMs: 42_000 },
  pauses: [
    { seat: 1, count: 2 },
    { seat: undefined, count: 1 },
  ],
  bots: [{ seat: 2, runner: 0, turn: 4 }],
  vote: {
    id: 2,
    kind: 'mute',
    target: 1,
    percent: 0,
    proposer: 0,
    ballots: [
      { seat: 0, said: 'yes' },
      { seat: 1, said: 'no' },
    ],
    remainingMs: 20_000,
  },
  lastVote: 2,
  proposals: [{ seat: 0, count: 1, waitMs: 170_000 }],
}

/** Makes the bundles of a match one after the other. */
export class BundleMaker {
  readonly #codec: BundleCodec
  readonly #out = new BitWriter()
  #previous: Uint32Array
  readonly #missing: Uint8Array

  constructor({ config: { seats, inputSlots } }: EntryBody<'match'> = sampleMatch) {
    this.#codec = new BundleCodec(seats, inputSlots)
    const { delta, slotTotal } = this.#codec
    this.#previous = new Uint32Array(slotTotal)
    this.#missing = new Uint8Array(seats)
    for (let seat = 0; seat < seats; seat++) {
      delta.writeInitial(this.#previous, seat * delta.slotCount)
    }
  }

  /** The inputs of the newest bundle. */
  get inputs(): Uint32Array {
    return this.#previous
  }

  make(
    orders: readonly BundleOrder[] = [],
    events: readonly SystemEvent[] = [],
    changes: readonly (readonly [number, number])[] = [],
  ): Uint8Array {
    const current = this.#previous.slice()
    for (const [index, value] of changes) current[index] = value
    this.#out.reset()
    this.#codec.encode(this.#out, { orders, events }, this.#previous, current, this.#missing)
    this.#previous = current
    return this.#out.finish()
  }
}

/** An order in a bundle. */
export function sampleOrder(seat: number, number: number): BundleOrder {
  return { seat, number: number % 256, bytes: Uint8Array.of(seat, number, 9) }
}

/** The groups of entries of the sample, in sequence. */
export function sampleGroups(): readonly (readonly RecordEntry[])[] {
  const bundles = new BundleMaker()
  const bundle = (...what: Parameters<BundleMaker['make']>): RecordEntry => ({
    name: 'bundle',
    body: bundles.make(...what),
  })
  const joins: SystemEvent[] = [
    { type: 'join', seat: 0 },
    { type: 'join', seat: 1 },
  ]
  return [
    [
      { name: 'match', body: sampleMatch },
      { name: 'member', body: sampleMember(0, 0) },
      { name: 'member', body: sampleMember(1, 1) },
      { name: 'member', body: sampleMember(2, undefined) },
      { name: 'room', body: sampleRoom },
      { name: 'waiting', body: new BundleMaker().make([], joins) },
    ],
    [bundle([], joins)],
    [bundle([], [], [[0, 2]])],
    [
      bundle([sampleOrder(0, 0), sampleOrder(1, 0)]),
      { name: 'refused', body: { member: 1, number: 1, reason: 'rate' } },
      { name: 'taken', body: sampleOrder(0, 1) },
    ],
    [
      { name: 'kicked', body: { mark: new Uint8Array(16).fill(0x71) } },
      { name: 'conduct', body: { member: 1, strikes: [900, 0], muteMs: 600_000 } },
      {
        name: 'silenced',
        body: { of: 'ticket', mark: new Uint8Array(16).fill(0x72), isMuted: true, muteMs: 5 },
      },
    ],
    [{ name: 'said', body: { member: 2, scope: 'spectators', text: 'Well played 👏' } }],
    [bundle([sampleOrder(0, 1)], [{ type: 'delay', ticks: 4 }], [[3, 500]])],
    [
      {
        name: 'hash',
        body: { tick: 4, of: 'sync', hash: new Uint8Array(8).fill(0xab), seats: [0, 1] },
      },
    ],
    [{ name: 'taken', body: { seat: 1, number: 2, bytes: Uint8Array.of(4) } }],
    [
      { name: 'gone', body: { member: 1 } },
      { name: 'dropped', body: { seat: 1 } },
    ],
    [
      {
        name: 'gap',
        body: { firstTick: 5, lastTick: 9, why: 'lost', inputs: [...bundles.inputs] },
      },
      { name: 'kept', body: Uint8Array.of(1, 2, 3) },
    ],
    [bundle()],
    [
      {
        name: 'snapshot',
        body: {
          tick: 10,
          stateHash: new Uint8Array(32).fill(0x5a),
          index: 0,
          count: 1,
          bytes: Uint8Array.of(1, 2, 3, 4),
        },
      },
    ],
    [{ name: 'line', body: { generation: 1, id: new Uint8Array(16).fill(0xc3) } }],
    [{ name: 'end', body: { reason: 'over', lastTick: 10 } }],
  ]
}

/** The id in the head of the sample. */
export const sampleId = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

/** The bytes of the sample. */
export function makeSampleRecord(): Uint8Array {
  const writer = new RecordWriter(sampleId)
  for (const group of sampleGroups()) writer.appendGroup(0, group)
  return writer.take().slice()
}
