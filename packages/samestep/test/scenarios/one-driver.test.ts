import { expect, test } from 'vitest'
import { RelayDriver } from '../../src/driver/machines/relay-driver.ts'
import { Relay } from '../../src/relay/relay.ts'
import { channelFor } from '../../src/storm/actors/relay-actor.ts'
import type { LinkEnd } from '../../src/storm/engine/network/link.ts'
import { World } from '../../src/storm/engine/world.ts'
import type { Connection, ConnectionHandler } from '../../src/transport/connection.ts'
import type { Timing } from '../../src/transport/timing.ts'
import { datagrams, Stage, stream } from './stage.ts'

/** A call that a simulated world made to its relay. */
type Call =
  | { readonly type: 'opened'; readonly end: LinkEnd; readonly nowMs: number }
  | {
      readonly type: 'packet'
      readonly link: number
      readonly bytes: Uint8Array
      readonly nowMs: number
    }
  | { readonly type: 'closed'; readonly link: number; readonly nowMs: number }
  | { readonly type: 'time'; readonly nowMs: number }

/** What a relay did about it: packets and closings, in sequence. */
type Done = readonly [link: number, what: string]

const seed = 77

/** A match with a spectator, a lost link, a bad line and a leaver, as the simulated world drives its relay. */
function record(): { readonly calls: Call[]; readonly done: Done[] } {
  const stage = new Stage(
    {
      ada: { line: stream },
      bob: { line: datagrams, leavesAtMs: 3_000 },
      eve: { line: { kind: 'datagram', there: { latencyMs: 60, jitterMs: 30, loss: 0.05 } } },
      guest: { line: stream, role: 'spectator' },
    },
    seed,
  )
  const calls: Call[] = []
  const done: Done[] = []
  const { relay, world } = stage
  const { handleLinkOpened, handlePacket, handleLinkClosed, handleTime } = relay
  relay.handleLinkOpened = (end, nowMs) => {
    calls.push({ type: 'opened', end, nowMs })
    handleLinkOpened.call(relay, end, nowMs)
  }
  relay.handlePacket = (end, bytes, nowMs) => {
    calls.push({ type: 'packet', link: end.id, bytes: bytes.slice(), nowMs })
    handlePacket.call(relay, end, bytes, nowMs)
  }
  relay.handleLinkClosed = (end, nowMs) => {
    calls.push({ type: 'closed', link: end.id, nowMs })
    handleLinkClosed.call(relay, end, nowMs)
  }
  relay.handleTime = (nowMs) => {
    calls.push({ type: 'time', nowMs })
    handleTime.call(relay, nowMs)
  }
  const { send, closeLink } = world
  const isOurs = (end: LinkEnd) => calls.some((call) => call.type === 'opened' && call.end === end)
  world.send = (end, bytes) => {
    if (isOurs(end)) done.push([end.id, Buffer.from(bytes).toString('hex')])
    send.call(world, end, bytes)
  }
  world.closeLink = (end) => {
    if (isOurs(end)) done.push([end.id, 'closed'])
    closeLink.call(world, end)
  }
  stage.run(2_000)
  for (const { link } of world.endsOf(stage.nodeOf('ada'))) world.resetLink(link)
  stage.run(4_000)
  stage.finish()
  return { calls, done }
}

/** The same calls to a relay under the driver of servers, on connections and a clock that are ours. */
function replay(calls: readonly Call[]): Done[] {
  const random = new World({ seed }).random('relay')
  const done: Done[] = []
  const handlers = new Map<number, ConnectionHandler>()
  let nowMs = 0
  let timer: (() => void) | undefined
  const timing: Timing = {
    nowMs: () => nowMs,
    schedule: (callback) => {
      timer = callback
      return () => {
        timer = undefined
      }
    },
  }
  const relay = new Relay({
    randomBytes: (count) => Uint8Array.from({ length: count }, () => random.below(256)),
  })
  const driver = new RelayDriver(relay, {}, timing)
  const connect = (end: LinkEnd): Connection => ({
    kind: end.kind,
    transport: 'fake',
    packetBytesMax: 65_536,
    backlogBytes: 0,
    remote: 'fake',
    open: (handler) => void handlers.set(end.id, handler),
    send: (packet) => void done.push([end.id, Buffer.from(packet).toString('hex')]),
    close: () => void done.push([end.id, 'closed']),
    makeChannel: (_side, timeMs) => channelFor(end, 0)(timeMs),
  })
  for (const call of calls) {
    nowMs = call.nowMs
    if (call.type === 'opened') driver.accept(connect(call.end))
    if (call.type === 'packet') handlers.get(call.link)?.handlePacket(call.bytes)
    if (call.type === 'closed') handlers.get(call.link)?.handleClosed({ code: 1006, reason: '' })
    if (call.type === 'time') timer?.()
  }
  return done
}

test('a server drives its relay exactly as a storm does: every packet of one match is the same', () => {
  const { calls, done } = record()
  expect(done.length).toBeGreaterThan(1_000)
  expect(new Set(calls.map(({ type }) => type)).size).toBe(4)
  expect(replay(calls)).toEqual(done)
})
