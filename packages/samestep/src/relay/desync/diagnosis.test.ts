import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeAnswer } from '../../desync/probe-codec.ts'
import type { PairFinding } from '../../desync/search/pair-finding.ts'
import type { FindingSeats } from '../../desync/tell-finding.ts'
import { tellFinding } from '../../desync/tell-finding.ts'
import { probeSeeds } from '../../desync/testing/probe-seeds.ts'
import type { ProbeKind } from '../../wire/messages/desync-probes.ts'
import {
  probeBytesPerClientMax,
  probeKinds,
  probeKindWords,
} from '../../wire/messages/desync-probes.ts'
import { encodeMessage } from '../../wire/messages/messages.ts'
import { hostileBytes } from '../../wire/testing/properties.ts'
import { RecordingChannel } from '../testing/recording-channel.ts'
import type { ProbedPeer } from './diagnosis.ts'
import { Diagnosis } from './diagnosis.ts'
import { ProbeNumbers } from './probe-numbers.ts'

type Answers = { readonly [K in ProbeKind]?: object | 'forgotten' | 'garbage' | 'silence' }

/** Somebody who says what it is told to say. Its state has two leaves, of which one may be its own. */
class Peer implements ProbedPeer {
  readonly channel = new RecordingChannel('stream')
  readonly asked: ProbeKind[] = []
  readonly seat: number
  readonly rttMs: number | undefined
  granted = 0
  readonly #answers: Answers

  constructor(seat: number, own: number, answers: Answers = {}, rttMs?: number) {
    this.seat = seat
    this.rttMs = rttMs
    this.#answers = {
      tree: { leafCount: 2 },
      nodes: { words: [1, 1, own, 2] },
      labels: { labels: ['units/hp/0'] },
      rerun: { fromTick: 40, isSame: true, isStable: true, actualTick: 42, machine: '' },
      items: { itemCount: 1, words: [own, 0] },
      cells: { cells: [{ row: 7, field: 'hp', value: String(own) }] },
      trace: { entries: 1 },
      prefixes: { words: [own, 1] },
      block: { words: [own, 1] },
      entries: { entries: [] },
      outside: { count: 0, places: [], unstable: undefined, readsBeside: false },
      ...answers,
    }
  }

  grant(bytes: number): void {
    this.granted += bytes
  }

  /** Answers what it was asked. */
  answer(world: World): boolean {
    const probes = this.channel.takeControls('RelayProbe')
    for (const { number, kind } of probes) {
      this.asked.push(kind)
      const content = this.#answers[kind]
      if (content === 'silence') continue
      const outcome = content === 'forgotten' ? 'forgotten' : 'answered'
      const answer = bytesOf(kind, content)
      world.diagnosis.handleReply(this, { number, outcome, answer }, world.nowMs)
    }
    return probes.length > 0
  }
}

/** What is sent for an answer; bytes are sent as they are. */
function bytesOf(kind: ProbeKind, content: Answers[ProbeKind]): Uint8Array {
  if (content === 'garbage') return new Uint8Array(3_000).fill(255)
  if (content instanceof Uint8Array) return content
  return typeof content === 'object' ? encodeAnswer(kind, content as never) : new Uint8Array(0)
}

class World {
  readonly diagnosis: Diagnosis<Peer>
  readonly found: (PairFinding & { readonly seats: FindingSeats })[] = []
  nowMs = 1_000
  readonly #peers: readonly Peer[]

  constructor(peers: readonly Peer[], groups: readonly (readonly number[])[]) {
    this.#peers = peers
    this.diagnosis = new Diagnosis<Peer>(
      {
        numbers: new ProbeNumbers(),
        peersOf: (seats) => peers.filter(({ seat }) => seats.includes(seat)),
        found: (finding, seats) => this.found.push({ ...finding, seats }),
      },
      { tick: 42, agreedTick: 41, oldestTick: 0 },
      groups,
      this.nowMs,
    )
  }

  /** Lets everybody answer, and time pass where somebody does not, until it is over. */
  run(): void {
    for (let round = 0; round < 500 && !this.diagnosis.isOver; round++) {
      if (this.#peers.map((peer) => peer.answer(this)).includes(true)) continue
      this.nowMs = this.diagnosis.wakeAtMs()
      this.diagnosis.handleTime(this.nowMs)
    }
    expect(this.diagnosis.isOver).toBe(true)
    expect(this.diagnosis.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  }
}

describe('a diagnosis', () => {
  test('compares one machine of each group with one of the first', () => {
    const peers = [new Peer(0, 5, {}, 90), new Peer(1, 6), new Peer(2, 5, {}, 20)]
    const world = new World(peers, [[0, 2], [1]])
    world.run()
    expect(world.found).toMatchObject([
      { stage: 'located', tick: 42, seats: [[0, 2], [1]] },
      { stage: 'traced', tick: 42, seats: [[0, 2], [1]] },
    ])
    expect(world.found[0]?.place).toMatchObject({ part: 'units', row: 7, values: ['5', '6'] })
    // Who is near answers soonest.
    expect([peers[0]!.asked, peers[2]!.asked.length > 5]).toEqual([[], true])
    expect(peers[2]!.granted).toBeGreaterThan(1_000)
  })

  test('asks nobody where one of two groups has nobody to ask', () => {
    const world = new World([new Peer(0, 5)], [[0], [1]])
    expect(world.diagnosis.isOver).toBe(true)
  })

  test('does without what somebody has forgotten', () => {
    const forgetful = new Peer(1, 6, { rerun: 'forgotten' })
    const world = new World([new Peer(0, 5), forgetful], [[0], [1]])
    world.run()
    expect(world.found[0]).toMatchObject({
      stage: 'located',
      place: { part: 'units', row: undefined, field: 'hp', values: undefined },
    })
  })
})

test('a relay that stood still blames nobody for it (F-14)', () => {
  const world = new World([new Peer(0, 5), new Peer(1, 6)], [[0], [1]])
  world.diagnosis.excuse(60_000)
  world.nowMs += 60_000
  world.diagnosis.handleTime(world.nowMs)
  world.run()
  expect(world.found.at(-1)).toMatchObject({ stage: 'traced' })
})

describe('somebody who', () => {
  test.each([
    ['keeps silent', { tree: 'silence' }],
    ['keeps silent later', { rerun: 'silence' }],
    ['sends garbage', { nodes: 'garbage' }],
    ['sends other hashes than were asked for', { nodes: { words: [1, 2] } }],
    ['has more leaves than a state can have', { tree: { leafCount: 4_000_000_000 } }],
  ] as const)('%s is left out, and another of its group is asked', (_, answers) => {
    const bad = new Peer(1, 6, answers, 1)
    const world = new World([new Peer(0, 5), bad, new Peer(2, 6, {}, 50)], [[0], [1, 2]])
    world.run()
    expect(world.found.at(-1)).toMatchObject({ stage: 'traced', seats: [[0], [1, 2]] })
  })

  test('keeps silent alone ends the diagnosis of its group only', () => {
    const silent = new Peer(1, 6, { tree: 'silence' })
    const world = new World([new Peer(0, 5), silent, new Peer(2, 7)], [[0], [1], [2]])
    world.run()
    expect(world.found.map(({ stage, seats }) => [stage, seats[1]])).toEqual([
      ['located', [2]],
      ['traced', [2]],
    ])
  })

  test('answers what it was not asked, or twice, changes nothing', () => {
    const peers = [new Peer(0, 5), new Peer(1, 6)]
    const world = new World(peers, [[0], [1]])
    const answer = encodeAnswer('tree', { leafCount: 9 })
    for (const number of [0, 7, 65_535]) {
      world.diagnosis.handleReply(peers[0]!, { number, outcome: 'answered', answer }, 1_000)
    }
    const stranger = new Peer(5, 1)
    world.diagnosis.handleReply(stranger, { number: 1, outcome: 'answered', answer }, 1_000)
    world.run()
    expect(world.found.at(-1)).toMatchObject({ stage: 'traced' })
  })

  test('never answers costs a bounded time', () => {
    const silent = Array.from({ length: 8 }, (_, seat) => new Peer(seat, 5, { tree: 'silence' }))
    const world = new World(silent, [
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ])
    world.run()
    expect(world.nowMs).toBeLessThanOrEqual(1_000 + 45_000)
    expect(world.found).toEqual([])
  })
})

test('whatever bytes one of both answers, the search ends, and what it found can be told', () => {
  const lies = fc
    .constantFrom(...probeKindWords)
    .chain((kind) =>
      fc.tuple(
        fc.constant(kind),
        hostileBytes([encodeAnswer(kind, probeSeeds[kind].answer as never)]),
      ),
    )
  fc.assert(
    fc.property(fc.array(lies, { minLength: 1, maxLength: 4 }), fc.boolean(), (list, isFirst) => {
      const liar = new Peer(isFirst ? 0 : 1, 6, Object.fromEntries(list))
      const world = new World([liar, new Peer(isFirst ? 1 : 0, 5)], [[0], [1]])
      world.run()
      for (const { seats, ...finding } of world.found) {
        encodeMessage('RelayFinding', { toldTick: 6, ...tellFinding(finding, seats, true) })
      }
      expect(world.nowMs).toBeLessThanOrEqual(1_000 + 45_000)
    }),
    { numRuns: 300 },
  )
})

test('T-52 what one client is asked for, at the worst, is at most 64 KiB', () => {
  const rounds: { readonly [K in ProbeKind]: number } = {
    chains: 3,
    tree: 1,
    nodes: 5,
    labels: 1,
    rerun: 1,
    items: 6,
    cells: 1,
    trace: 1,
    prefixes: 6,
    block: 1,
    entries: 1,
    outside: 1,
    // A state is asked for when all is told, and has a bound of its own.
    state: 0,
    piece: 0,
    bundles: 0,
  }
  let bytes = 0
  for (const [kind, count] of Object.entries(rounds)) {
    bytes += count * Math.ceil(probeKinds[kind as ProbeKind].answer.bitsMax / 8)
  }
  expect(bytes).toBeLessThanOrEqual(probeBytesPerClientMax)
})
