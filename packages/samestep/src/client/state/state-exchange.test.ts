import { describe, expect, test } from 'vitest'
import { StreamChannel } from '../../link/stream-channel.ts'
import { StateOffer } from '../../link/transfer/state-offer.ts'
import type { Message } from '../../wire/messages.ts'
import { decodeMessage } from '../../wire/messages.ts'
import { chunkBytes } from '../../wire/state-transfer.ts'
import { StateDonor } from './state-donor.ts'
import { StateJoiner } from './state-joiner.ts'

const bytes = Uint8Array.from({ length: 5 * chunkBytes + 3 }, (_, index) => (index * index) >> 5)
const hash = new Uint8Array(32).fill(4)

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
    const source = { tick, saves: 0, save: () => ({ bytes, hash }) }
    return { source, donor: new StateDonor(source) }
  }

  test('tells what the state hashes to right after the tick that was asked for, and not before', () => {
    const { source, donor } = donorAt(10)
    donor.handleAsk(12)
    source.tick = 11
    donor.noteRan()
    expect(said(donor)).toEqual([])
    source.tick = 12
    donor.noteRan()
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
    const { source, donor } = donorAt(10)
    for (let tick = 11; tick < 100; tick++) donor.handleAsk(tick)
    for (source.tick = 11; source.tick < 100; source.tick++) donor.noteRan()
    expect(said(donor).map(({ body }) => (body as { tick: number }).tick)).toEqual([98, 99])
  })

  test('gives the chunks that are asked for, and none that there are not', () => {
    const { source, donor } = donorAt(10)
    donor.handleAsk(11)
    source.tick = 11
    donor.noteRan()
    said(donor)
    donor.handleFetch({ tick: 11, first: 0, count: 0 }, 0)
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
    const joiner = new StateJoiner((state) => {
      loaded.push(state)
      return hash
    })
    joiner.handleManifest(offer.manifest, 0)
    expect(serve(joiner)).toEqual([{ name: 'ClientLoaded', body: { tick: 90, isGood: true } }])
    expect(loaded).toEqual([bytes])
    expect(joiner.state.name).toBe('done')
  })

  test('tells how far it is', () => {
    const joiner = new StateJoiner(() => hash)
    expect(joiner.state).toEqual({ name: 'waiting' })
    joiner.handleManifest(offer.manifest, 0)
    joiner.handleChunk(offer.chunk(0), 0)
    const { state } = joiner
    expect(state.name === 'downloading' && state.fetch.bytesHere).toBe(chunkBytes)
    expect(state.name === 'downloading' && state.fetch.manifest?.bytes).toBe(bytes.byteLength)
  })

  test('waits for another state when this one is not what was promised', () => {
    let answer = new Uint8Array(32)
    const joiner = new StateJoiner(() => answer)
    joiner.handleManifest(offer.manifest, 0)
    expect(serve(joiner)).toEqual([{ name: 'ClientLoaded', body: { tick: 90, isGood: false } }])
    expect(joiner.state).toEqual({ name: 'waiting' })
    answer = hash
    const next = new StateOffer(120, hash, bytes)
    joiner.handleManifest(next.manifest, 0)
    expect(serve(joiner, next)).toEqual([
      { name: 'ClientLoaded', body: { tick: 120, isGood: true } },
    ])
  })

  test('keeps what it has over a new link', () => {
    const joiner = new StateJoiner(() => hash)
    joiner.handleManifest(offer.manifest, 0)
    said(joiner)
    joiner.handleChunk(offer.chunk(0), 0)
    joiner.restart(100)
    joiner.handleManifest(offer.manifest, 101)
    expect(said(joiner, 101)).toMatchObject([{ name: 'ClientFetch', body: { first: 1 } }])
  })
})
