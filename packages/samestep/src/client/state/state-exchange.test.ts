import { describe, expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream/stream-channel.ts'
import { StateOffer } from '../../link/transfer/state-offer.ts'
import { sha256 } from '../../sim/hash/sha256.ts'
import type { Message } from '../../wire/messages/messages.ts'
import { decodeMessage } from '../../wire/messages/messages.ts'
import { chunkBytes } from '../../wire/messages/state-transfer.ts'
import type { DigestJob } from './digests.ts'
import { Digests, digestNow } from './digests.ts'
import { StateDonor } from './state-donor.ts'
import { StateJoiner } from './state-joiner.ts'
import { StateReports } from './state-reports.ts'

const bytes = Uint8Array.from({ length: 5 * chunkBytes + 3 }, (_, index) => (index * index) >> 5)
const hashed = Uint8Array.of(1, 2, 3)
const hash = sha256(hashed)

/** Hashes when it is told to. */
function lateDigests() {
  const jobs: DigestJob[] = []
  const digests = new Digests((job) => jobs.push(job))
  const answer = () => {
    for (const job of jobs.splice(0)) digests.handle(job, digestNow(job))
  }
  return { digests, jobs, answer }
}

/** What one side says over a line that takes everything. */
function said(who: { send(channel: StreamChannel, nowMs: number): boolean }, nowMs = 0): Message[] {
  const [here, there] = [new StreamChannel(nowMs), new StreamChannel(nowMs)]
  who.send(here, nowMs)
  const messages: Message[] = []
  for (let round = 0; round < 20; round++) {
    here.handleTime(nowMs + round * 5)
    for (let packet = here.pollPacket(); packet; packet = here.pollPacket()) {
      there.handlePacket(packet, nowMs)
      for (let next = there.pollMessage(); next; next = there.pollMessage()) {
        messages.push(decodeMessage(next.bytes.slice()))
      }
    }
  }
  return messages
}

describe('a donor', () => {
  function donorAt(tick: number) {
    const source = { tick, save: () => bytes, copy: () => hashed }
    const { digests, jobs, answer } = lateDigests()
    return { source, donor: new StateDonor(source, digests), jobs, answer }
  }

  test('tells what the state hashes to right after the tick that was asked for, and not before', () => {
    const { source, donor, jobs, answer } = donorAt(10)
    donor.handleAsk(12)
    source.tick = 11
    donor.noteRan()
    expect(jobs).toEqual([])
    source.tick = 12
    donor.noteRan()
    expect(jobs).toEqual([{ bytes: hashed, pieceBytes: hashed.byteLength }])
    expect(said(donor)).toEqual([])
    answer()
    expect(said(donor)).toEqual([{ name: 'ClientState', body: { tick: 12, hash } }])
    source.tick = 13
    donor.noteRan()
    expect(said(donor)).toEqual([])
  })

  test('says nothing about a tick that has run: its state is gone', () => {
    const { source, donor } = donorAt(10)
    donor.handleAsk(10)
    donor.noteRan()
    source.tick = 11
    donor.noteRan()
    expect(said(donor)).toEqual([])
  })

  test('keeps two states at most, whatever the relay asks for', () => {
    const { source, donor, answer } = donorAt(10)
    for (let tick = 11; tick < 100; tick++) donor.handleAsk(tick)
    for (source.tick = 11; source.tick < 100; source.tick++) donor.noteRan()
    answer()
    expect(said(donor).map(({ body }) => (body as { tick: number }).tick)).toEqual([98, 99])
  })

  test('gives the chunks that are asked for, and none that there are not', () => {
    const { source, donor, jobs, answer } = donorAt(10)
    donor.handleAsk(11)
    source.tick = 11
    donor.noteRan()
    answer()
    said(donor)
    donor.handleFetch({ tick: 11, first: 0, count: 0 }, 0)
    donor.handleFetch({ tick: 11, first: 0, count: 0 }, 0)
    expect(jobs).toEqual([{ bytes, pieceBytes: chunkBytes }])
    answer()
    donor.handleFetch({ tick: 11, first: 4, count: 16 }, 0)
    donor.handleFetch({ tick: 9, first: 0, count: 1 }, 0)
    const offer = new StateOffer(11, hash, bytes)
    expect(said(donor)).toEqual([
      { name: 'ClientManifest', body: offer.manifest },
      { name: 'ClientChunk', body: offer.chunk(4) },
      { name: 'ClientChunk', body: offer.chunk(5) },
    ])
    expect(donor.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
  })
})

describe('a joiner', () => {
  const offer = new StateOffer(90, hash, bytes)

  /** One that checks what it loads at once, unless told otherwise. */
  function joinerOf(load: (bytes: Uint8Array) => Uint8Array, isQuick = true) {
    const adopted: number[] = []
    const late = lateDigests()
    const quick: Digests = new Digests((job) => quick.handle(job, digestNow(job)))
    const target = { load, adopt: (tick: number) => adopted.push(tick) }
    const joiner = new StateJoiner(target, isQuick ? quick : late.digests)
    return { joiner, adopted, answer: late.answer }
  }

  /** Answers what it asks for until it asks for nothing more. */
  function serve(joiner: StateJoiner, from = offer): Message[] {
    const others: Message[] = []
    for (let round = 0; round < 50; round++) {
      for (const message of said(joiner, round)) {
        if (message.name !== 'ClientFetch') {
          others.push(message)
          continue
        }
        const { first, count } = message.body
        if (count === 0) joiner.handleManifest(from.manifest, round)
        for (let at = first; at < first + count; at++) joiner.handleChunk(from.chunk(at), round)
      }
    }
    return others
  }

  test('downloads all of it, loads it, and says that it is what was promised', () => {
    const loaded: Uint8Array[] = []
    const { joiner } = joinerOf((state) => {
      loaded.push(state)
      return hashed
    })
    joiner.handleManifest(offer.manifest, 0)
    expect(serve(joiner)).toEqual([{ name: 'ClientLoaded', body: { tick: 90, isGood: true } }])
    expect(loaded).toEqual([bytes])
    expect(joiner.state.name).toBe('done')
  })

  test('tells how far it is', () => {
    const { joiner } = joinerOf(() => hashed)
    expect(joiner.state).toEqual({ name: 'waiting' })
    joiner.handleManifest(offer.manifest, 0)
    joiner.handleChunk(offer.chunk(0), 0)
    const { state } = joiner
    expect(state.name === 'downloading' && state.fetch.bytesHere).toBe(chunkBytes)
    expect(state.name === 'downloading' && state.fetch.manifest?.bytes).toBe(bytes.byteLength)
  })

  test('waits for another state when this one is not what was promised', () => {
    let found = new Uint8Array(32)
    const { joiner } = joinerOf(() => found)
    joiner.handleManifest(offer.manifest, 0)
    expect(serve(joiner)).toEqual([{ name: 'ClientLoaded', body: { tick: 90, isGood: false } }])
    expect(joiner.state).toEqual({ name: 'waiting' })
    found = hashed
    const next = new StateOffer(120, hash, bytes)
    joiner.handleManifest(next.manifest, 0)
    expect(serve(joiner, next)).toEqual([
      { name: 'ClientLoaded', body: { tick: 120, isGood: true } },
    ])
  })

  test('keeps what it has over a new link', () => {
    const { joiner } = joinerOf(() => hashed)
    joiner.handleManifest(offer.manifest, 0)
    said(joiner)
    joiner.handleChunk(offer.chunk(0), 0)
    joiner.restart(100)
    joiner.handleManifest(offer.manifest, 101)
    expect(said(joiner, 101)).toMatchObject([{ name: 'ClientFetch', body: { first: 1 } }])
  })

  test('takes a state over when it is checked, and not before', () => {
    const { joiner, adopted, answer } = joinerOf(() => hashed, false)
    joiner.handleManifest(offer.manifest, 0)
    expect(serve(joiner)).toEqual([])
    expect(joiner.state).toEqual({ name: 'loading', tick: 90 })
    joiner.handleManifest(offer.manifest, 60)
    expect(joiner.state.name).toBe('loading')
    expect(adopted).toEqual([])
    answer()
    expect(adopted).toEqual([90])
    expect(said(joiner)).toEqual([{ name: 'ClientLoaded', body: { tick: 90, isGood: true } }])
  })

  test('says over a new link that the state is here, where the relay has not heard of it', () => {
    const { joiner } = joinerOf(() => hashed)
    joiner.sayAgain()
    expect(said(joiner)).toEqual([])
    joiner.handleManifest(offer.manifest, 0)
    const loaded = { name: 'ClientLoaded', body: { tick: 90, isGood: true } }
    expect(serve(joiner)).toEqual([loaded])
    joiner.sayAgain()
    joiner.restart(100)
    expect(said(joiner, 100)).toEqual([loaded])
    expect(said(joiner, 101)).toEqual([])
  })

  test('forgets a state that is being checked when it is told of another one', () => {
    const { joiner, adopted, answer } = joinerOf(() => hashed, false)
    joiner.handleManifest(offer.manifest, 0)
    serve(joiner)
    const next = new StateOffer(120, hash, bytes)
    joiner.restart(60)
    joiner.handleManifest(next.manifest, 61)
    answer()
    expect(adopted).toEqual([])
    expect(joiner.state.name).toBe('downloading')
  })
})

describe('what the whole state hashes to', () => {
  function reportsAt(tick: number) {
    const state = { tick, copy: () => Uint8Array.of(...hashed) }
    const { digests, jobs, answer } = lateDigests()
    return { state, reports: new StateReports(state, digests), jobs, answer }
  }

  test('is told of ticks 0 and 1, and of every thirtieth', () => {
    const { state, reports, answer } = reportsAt(0)
    const told: number[] = []
    for (; state.tick <= 95; state.tick++) {
      reports.noteState()
      answer()
      told.push(...said(reports).map(({ body }) => (body as { tick: number }).tick))
    }
    expect(told).toEqual([0, 1, 30, 60, 90])
  })

  test('is told once, and anew when the state came from elsewhere', () => {
    const { reports, answer } = reportsAt(30)
    reports.noteState()
    reports.noteState()
    answer()
    expect(said(reports)).toEqual([{ name: 'ClientState', body: { tick: 30, hash } }])
    reports.restart()
    reports.noteState()
    answer()
    expect(said(reports)).toHaveLength(1)
  })

  test('is left out while two copies wait to be hashed', () => {
    const { state, reports, jobs, answer } = reportsAt(0)
    for (; state.tick <= 95; state.tick++) reports.noteState()
    expect(jobs).toHaveLength(2)
    answer()
    state.tick = 120
    reports.noteState()
    answer()
    expect(said(reports).map(({ body }) => (body as { tick: number }).tick)).toEqual([0, 1, 120])
  })

  test('is not said over a new link when the old one did not take it', () => {
    const { reports, answer } = reportsAt(30)
    reports.noteState()
    answer()
    expect(reports.hasNews).toBe(true)
    reports.dropUnsent()
    expect(said(reports)).toEqual([])
  })
})
