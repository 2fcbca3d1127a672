import { describe, expect, test } from 'vitest'
import { datagramBytesMax, linkOverheadBytesMax } from '../../wire/limits.ts'
import { ackDelayMs, keepaliveMs, lazyAckDelayMs, silenceMsDefault } from '../limits.ts'
import { runChannelContract } from '../testing/channel-contract.ts'
import { clean, dead, type LinkWorld } from '../testing/link-world.ts'
import { datagramWorld, numbered } from '../testing/pair.ts'
import { DatagramChannel } from './datagram-channel.ts'

runChannelContract('datagram', (end, nowMs) => {
  return new DatagramChannel({ epoch: 1, side: end === 'a' ? 'initiator' : 'acceptor' }, nowMs)
})

runChannelContract('small datagrams without checksum', (end, nowMs) => {
  const side = end === 'a' ? 'initiator' : 'acceptor'
  const options = { epoch: 1, side, checksum: false, packetBytesMax: 300 } as const
  return new DatagramChannel({ ...options, firstNumber: 65_530 }, nowMs)
})

describe('packets', () => {
  test('a tick costs at most 8 bytes and the checksum once the path is known', () => {
    for (const checksum of [true, false]) {
      const world = datagramWorld(1, { checksum })
      const sizes: number[] = []
      world.onPacket = (_from, bytes) => sizes.push(bytes.length)
      for (let number = 0; number < 60; number++) {
        world.act('a', (channel, nowMs) => channel.sendTick(numbered(number, 10), nowMs))
        world.act('b', (channel, nowMs) => channel.sendTick(numbered(number, 10), nowMs))
        world.run(world.nowMs + 33)
      }
      expect(Math.max(...sizes.slice(-20))).toBe(10 + 8 + (checksum ? 4 : 0))
      // Both sides talk, so that no acknowledgement travels alone.
      expect(sizes).toHaveLength(120)
    }
  })

  test.each([300, 777, 1_200])('none is larger than %i bytes when that is the limit', (limit) => {
    const world = datagramWorld(3, { packetBytesMax: limit })
    world.setBoth({ ...clean, loss: 0.2, jitterMs: 30 })
    let largest = 0
    world.onPacket = (_from, bytes) => {
      largest = Math.max(largest, bytes.length)
    }
    const { tickBytesMax } = world.channels.a
    for (let number = 0; number < 100; number++) {
      world.act('a', (channel, nowMs) => {
        channel.sendControl(numbered(number, 5 + number * 9), nowMs)
        channel.sendTick(numbered(number, 5 + ((number * 131) % (tickBytesMax - 5))), nowMs)
        channel.sendBulk(numbered(number, 2_000), nowMs)
      })
      world.run(world.nowMs + 33)
    }
    expect(world.run(60_000, () => world.lane('b', 'control').length === 100)).toBe(true)
    expect(largest).toBeLessThanOrEqual(limit)
    expect(largest).toBeGreaterThan(limit - 20)
  })

  test('the longest tick that wire plans with fits', () => {
    const { tickBytesMax } = datagramWorld(1).channels.a
    expect(tickBytesMax).toBeGreaterThanOrEqual(datagramBytesMax - linkOverheadBytesMax)
    const world = datagramWorld(1)
    world.act('a', (channel, nowMs) => channel.sendTick(numbered(1, tickBytesMax), nowMs))
    world.run(100)
    expect(world.lane('b', 'tick')).toEqual([numbered(1, tickBytesMax)])
    expect(() => world.channels.a.sendTick(new Uint8Array(tickBytesMax + 1), 100)).toThrow(
      /1 to 1184/,
    )
  })

  test('control rides along with a tick that is sent in the same moment', () => {
    const world = datagramWorld(1)
    const packets: Uint8Array[] = []
    world.onPacket = (from, bytes) => {
      if (from === 'a') packets.push(bytes)
    }
    world.act('a', (channel, nowMs) => {
      channel.sendControl(numbered(1), nowMs)
      channel.sendTick(numbered(2), nowMs)
    })
    expect(packets).toHaveLength(1)
    world.run(100)
    expect(world.lane('b', 'control')).toEqual([numbered(1)])
    expect(world.lane('b', 'tick')).toEqual([numbered(2)])
  })

  test('a tick message that newer ones overtook comes late, and once', () => {
    const [a, b] = [datagramWorld(1).channels.a, datagramWorld(1).channels.b]
    const packets = [1, 2, 3].map((number) => {
      a.sendTick(numbered(number), 0)
      return a.pollPacket() as Uint8Array
    })
    const [first, second, third] = packets as [Uint8Array, Uint8Array, Uint8Array]
    const seen: [string, Uint8Array][] = []
    for (const packet of [second, first, third, first]) {
      b.handlePacket(packet, 0)
      for (let next = b.pollMessage(); next; next = b.pollMessage()) {
        seen.push([next.lane, Uint8Array.from(next.bytes)])
      }
    }
    expect(seen).toEqual([
      ['tick', numbered(2)],
      ['late', numbered(1)],
      ['tick', numbered(3)],
    ])
  })

  test('bulk rides along with ticks only as far as its window goes', () => {
    const world = datagramWorld(1)
    world.setBoth(dead)
    world.act('a', (channel, nowMs) => channel.sendBulk(numbered(1, 60_000), nowMs))
    for (let number = 0; number < 45; number++) {
      world.act('a', (channel, nowMs) => channel.sendTick(numbered(number, 10), nowMs))
      world.run(world.nowMs + 10)
    }
    // Ten packets at the start, one for the last that was not quite too many, and the ticks.
    expect(world.channels.a.stats.bytesSent).toBeLessThan(11 * 1_200 + 45 * 30)
    expect(world.channels.a.stats.bytesSent).toBeGreaterThan(9 * 1_200)
  })

  test('ticks that nobody polls are lost, not hoarded', () => {
    const { a } = datagramWorld(1).channels
    for (let number = 0; number < 1_000; number++) a.sendTick(numbered(number), 0)
    let packets = 0
    while (a.pollPacket() !== undefined) packets++
    expect(packets).toBe(64)
  })
})

describe('acknowledgements', () => {
  test('something reliable is answered within 25 ms, a lone tick within 200 ms', () => {
    for (const [lane, delayMs] of [
      ['control', ackDelayMs],
      ['tick', lazyAckDelayMs],
    ] as const) {
      const world = datagramWorld(1)
      const answers: number[] = []
      world.onPacket = (from, _bytes, nowMs) => {
        if (from === 'b') answers.push(nowMs)
      }
      world.act('a', (channel, nowMs) => {
        if (lane === 'control') channel.sendControl(numbered(1), nowMs)
        else channel.sendTick(numbered(1), nowMs)
      })
      world.run(900)
      expect(answers).toEqual([20 + delayMs])
    }
  })

  test('an idle link is kept alive by a packet and its answer per second from each side', () => {
    const world = datagramWorld(1)
    let packets = 0
    world.onPacket = () => packets++
    world.run(60_500)
    expect(world.channels.a.state.name).toBe('open')
    expect(world.channels.b.state.name).toBe('open')
    expect(packets).toBeLessThanOrEqual(4 * 61)
    expect(world.channels.a.stats.lossShare).toBe(0)
    expect(world.channels.a.stats.packetsLost).toBe(0)
    expect(packets).toBeGreaterThan(60_000 / keepaliveMs)
  })

  test('the round trip does not include the time that an answer was held', () => {
    const world = datagramWorld(1)
    world.setBoth({ ...clean, latencyMs: 35 })
    for (let number = 0; number < 100; number++) {
      world.act('a', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      if (number % 3 === 0) {
        world.act('b', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      }
      world.run(world.nowMs + 33)
    }
    expect(world.channels.a.stats.rttMs).toBeGreaterThan(69)
    expect(world.channels.a.stats.rttMs).toBeLessThan(71)
    expect(world.channels.a.stats.rttVariationMs).toBeLessThan(2)
  })

  test('spectators, who send nothing, cause no losses that were none', () => {
    const world = datagramWorld(1)
    for (let number = 0; number < 2_000; number++) {
      world.act('a', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      world.run(world.nowMs + 1000 / 240)
    }
    expect(world.channels.a.stats.packetsLost).toBe(0)
    const answers = world.channels.b.stats.packetsSent
    expect(answers).toBeLessThan(2_000 / 10)
  })

  test('loss is estimated', () => {
    const world = datagramWorld(5)
    world.conditions.a = { ...clean, loss: 0.2 }
    for (let number = 0; number < 600; number++) {
      world.act('a', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      world.act('b', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      world.run(world.nowMs + 33)
    }
    const { lossShare, packetsLost } = world.channels.a.stats
    expect(lossShare).toBeGreaterThan(0.1)
    expect(lossShare).toBeLessThan(0.3)
    expect(packetsLost).toBe(600 - world.lane('b', 'tick').length)
    expect(world.channels.b.stats.lossShare).toBeLessThan(0.05)
  })
})

describe('timeouts', () => {
  /** When one end sent packets while the path carried nothing. */
  function retries(world: LinkWorld<DatagramChannel>, forMs: number): number[] {
    const times: number[] = []
    const sinceMs = world.nowMs
    world.setBoth(dead)
    world.onPacket = (from, bytes, nowMs) => {
      if (from === 'a' && bytes.length > 500) times.push(nowMs - sinceMs)
    }
    world.act('a', (channel, nowMs) => channel.sendControl(numbered(1, 500), nowMs))
    world.run(sinceMs + forMs)
    world.setBoth(clean)
    return times
  }

  test('grow up to two seconds while nothing gets through, and are short again afterwards', () => {
    const world = datagramWorld(1)
    for (let number = 0; number < 40; number++) {
      world.act('a', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      world.act('b', (channel, nowMs) => channel.sendTick(numbered(number), nowMs))
      world.run(world.nowMs + 33)
    }
    const first = retries(world, 12_000)
    const gaps = first.slice(1).map((atMs, index) => atMs - first[index]!)
    expect(gaps[0]).toBeLessThan(200)
    for (const [index, gap] of gaps.slice(1).entries()) {
      expect(gap).toBeCloseTo(Math.min(2 * gaps[index]!, 2_000))
    }
    expect(gaps.at(-1)).toBe(2_000)
    world.run(world.nowMs + 3_000)
    expect(world.lane('b', 'control')).toHaveLength(1)
    const second = retries(world, 1_000)
    expect(second.length).toBeGreaterThanOrEqual(3)
  })
})

describe('the end', () => {
  test('silence makes a channel lost, after the time that was chosen', () => {
    for (const silenceMsMax of [undefined, 5_000]) {
      const world = datagramWorld(1, silenceMsMax === undefined ? {} : { silenceMsMax })
      world.run(10_000)
      world.setBoth(dead)
      const sinceMs = world.nowMs
      const limitMs = silenceMsMax ?? silenceMsDefault
      world.run(sinceMs + limitMs - 2_000)
      expect(world.channels.a.state.name).toBe('open')
      world.run(sinceMs + limitMs + 1_000)
      expect(world.channels.a.state).toEqual({ name: 'closed', code: 'lost' })
      expect(world.channels.a.wakeAtMs()).toBe(Number.POSITIVE_INFINITY)
      expect(world.channels.a.pollPacket()).toBeUndefined()
      expect(world.channels.a.heldBytes).toBe(0)
    }
  })

  test('closing gives up when nobody answers, and keeps its code', () => {
    const world = datagramWorld(1)
    world.run(2_000)
    world.setBoth(dead)
    let packets = 0
    world.onPacket = (from) => {
      if (from === 'a') packets++
    }
    world.act('a', (channel, nowMs) => channel.close(4_010, nowMs))
    world.run(world.nowMs + 6_000)
    expect(world.channels.a.state).toEqual({ name: 'closed', code: 4_010 })
    expect(packets).toBeLessThanOrEqual(10)
  })

  test('closing over a path that carries nothing back still tells the other side', () => {
    const world = datagramWorld(1)
    world.run(2_000)
    world.conditions.b = dead
    world.act('a', (channel, nowMs) => {
      channel.sendControl(numbered(1), nowMs)
      channel.close(4_010, nowMs)
    })
    world.run(world.nowMs + 5_100)
    expect(world.channels.a.state).toEqual({ name: 'closed', code: 4_010 })
    expect(world.channels.b.state).toEqual({ name: 'closed', code: 4_010 })
    expect(world.lane('b', 'control')).toHaveLength(1)
  })

  test('a repeated goodbye is answered again: the answer was lost', () => {
    const world = datagramWorld(1)
    world.run(2_000)
    world.conditions.b = dead
    world.act('a', (channel, nowMs) => channel.close(4_010, nowMs))
    world.run(world.nowMs + 30)
    expect(world.channels.b.state).toEqual({ name: 'closed', code: 4_010 })
    world.conditions.b = clean
    world.run(world.nowMs + 800)
    expect(world.channels.a.state).toEqual({ name: 'closed', code: 4_010 })
  })

  test('a control lane that nobody takes from fails the channel instead of growing', () => {
    const world = datagramWorld(1)
    world.setBoth(dead)
    let sent = 0
    for (; world.channels.a.state.name === 'open' && sent < 1_000; sent++) {
      world.act('a', (channel, nowMs) => channel.sendControl(numbered(sent, 1_000), nowMs))
      expect(world.channels.a.heldBytes).toBeLessThanOrEqual(131_072)
    }
    expect(sent).toBeLessThan(200)
    world.setBoth(clean)
    world.run(10_000)
    expect(world.channels.a.state).toEqual({ name: 'closed', code: 4_006 })
    expect(world.channels.b.state).toEqual({ name: 'closed', code: 4_006 })
  })
})

describe('epochs', () => {
  test('packets of another conversation are dropped and counted', () => {
    const world = datagramWorld(1, { epoch: 7 })
    const other = new DatagramChannel({ epoch: 8, side: 'initiator' }, 0)
    other.sendTick(numbered(1), 0)
    world.inject('b', other.pollPacket() ?? new Uint8Array(0))
    expect(world.channels.b.stats.packetsDropped).toBe(1)
    expect(world.lane('b', 'tick')).toEqual([])
  })

  test('nobody takes its own echo for an answer', () => {
    const world = datagramWorld(1)
    const echoes: Uint8Array[] = []
    world.onPacket = (from, bytes) => {
      if (from === 'a') echoes.push(bytes)
    }
    world.act('a', (channel, nowMs) => channel.sendTick(numbered(1), nowMs))
    for (const echo of echoes) world.inject('a', echo)
    expect(world.channels.a.stats.packetsDropped).toBe(1)
  })
})

describe('misuse', () => {
  test.each([
    ['epoch', { epoch: 65_536 }],
    ['epoch', { epoch: 0.5 }],
    ['packet size', { packetBytesMax: 299 }],
    ['packet size', { packetBytesMax: 1_201 }],
    ['first number', { firstNumber: -1 }],
    ['silence', { silenceMsMax: 0 }],
    ['silence', { silenceMsMax: Number.POSITIVE_INFINITY }],
  ])('a wrong %s is refused by name: %o', (name, options) => {
    expect(() => datagramWorld(1, options)).toThrow(
      expect.objectContaining({
        code: 'SS_BAD_ARGUMENT',
        message: expect.stringMatching(new RegExp(`^Cannot open a channel: its ${name} is `)),
      }),
    )
  })
})

test('equal seeds give equal histories', () => {
  const play = (): unknown => {
    const world: LinkWorld<DatagramChannel> = datagramWorld(9)
    world.setBoth({ ...clean, loss: 0.3, jitterMs: 50, duplicate: 0.2, corrupt: 0.1 })
    for (let number = 0; number < 60; number++) {
      world.act('a', (channel, nowMs) => channel.sendControl(numbered(number, 900), nowMs))
      world.run(world.nowMs + 33)
    }
    return [world.received, world.channels.a.stats, world.channels.b.stats]
  }
  expect(play()).toEqual(play())
})

test('REL-16 what is sent again counts in its lane, and ticks that newer ones overtook are told', () => {
  const world = datagramWorld(5)
  world.setBoth({ ...clean, loss: 0.3, jitterMs: 90 })
  for (let number = 0; number < 100; number++) {
    world.act('a', (channel, nowMs) => {
      channel.sendControl(numbered(number, 10), nowMs)
      channel.sendTick(numbered(number, 10), nowMs)
      if (number < 20) channel.sendBulk(numbered(number, 2_000), nowMs)
    })
    world.run(world.nowMs + 33)
  }
  world.run(world.nowMs + 20_000)
  const { a, b } = world.channels
  const { tick, control, bulk } = a.stats.lanes
  expect([tick.resent, tick.messagesSent]).toEqual([0, 100])
  expect(control.resent).toBeGreaterThan(0)
  expect(bulk.resent).toBeGreaterThan(0)
  expect(control.resent + bulk.resent).toBeGreaterThanOrEqual(a.stats.packetsResent)
  expect(b.stats.lanes.tick.overtaken).toBe(world.lane('b', 'late').length)
  expect(b.stats.lanes.tick.overtaken).toBeGreaterThan(0)
  expect(b.stats.lanes.control.messagesReceived).toBe(100)
  expect(b.stats.lanes.bulk.bytesReceived).toBe(40_000)
})
