import { describe, expect, test } from 'vitest'
import type { MatchConfig } from '../../src/wire/messages/match-config.ts'
import { Stage } from './stage.ts'

/** 20 kbit/s, of which UDP and IP take 28 bytes of every packet: half of a tick's, and more. */
const narrowPath = {
  latencyMs: 20,
  jitterMs: 2,
  bytesPerSecond: 2_500,
  headerBytes: 28,
  queueBytes: 20_000,
} as const
const calmPath = { latencyMs: 20, jitterMs: 2 } as const
const narrowDown = { kind: 'datagram', there: calmPath, back: narrowPath } as const
const narrowBoth = { kind: 'datagram', there: narrowPath, back: narrowPath } as const

/** Four players for a minute, of whom the first has a narrow link. */
function play(batching: MatchConfig['batching'], line: typeof narrowDown | typeof narrowBoth) {
  const habits = { batching, orderEveryMs: 1_000, inputDelay: { min: 2, max: 8 }, isPaced: true }
  const stage = new Stage({ ada: { ...habits, line }, bob: habits, cy: habits, dan: habits })
  const ada = stage.player('ada')
  const behind: number[] = []
  for (let second = 0; second < 60; second++) {
    stage.run(1_000)
    behind.push(stage.oracle.sealedTick - ada.client.cursors.simulatedTick)
  }
  return { stage, ada, behind }
}

function sessionOf(stage: Stage, seat: number | undefined) {
  const sessions = [...(stage.relay.relay.matches.get('match')?.sessions ?? [])]
  return sessions.find((session) => session.seat === seat)
}

describe.each([
  ['down', narrowDown],
  ['both ways', narrowBoth],
] as const)('a link of 20 kbit/s %s', (_name, line) => {
  test('drowns in headers and copies when every tick has a packet of its own', () => {
    const { behind } = play('never', line)
    expect(behind[20]).toBeGreaterThan(300)
    // And never recovers.
    expect(behind[59]).toBeGreaterThan(behind[20] as number)
  })

  test('[DLY-04] keeps up when ticks may share packets, and loses nothing', () => {
    const { stage, ada, behind } = play('adaptive', line)
    expect(ada.closedReason).toBeUndefined()
    // A buffer's worth nearly always. Now and then a full queue takes seconds to drain: how far behind that
    // is depends on chance, 8 to 47 ticks at worst with ten seeds. Two seconds are too much.
    expect(Math.max(...behind.slice(6))).toBeLessThan(60)
    const late = behind.slice(6).sort((a, b) => a - b)
    expect(late[Math.floor(late.length * 0.9)]).toBeLessThan(15)
    const session = sessionOf(stage, ada.client.seat)
    expect(session?.channel?.stats.packetsLost).toBeLessThan(10)
    const figures = stage.player('bob').client.statistics.match?.seats ?? []
    const others = figures.filter(({ seat }) => seat !== ada.client.seat)
    expect(others.map(({ ticksPerPacket }) => ticksPerPacket)).toEqual([1, 1, 1])
    stage.finish()
    expect(stage.oracle.unsettled()).toEqual([])
  })

  test('leaves the others their ticks, whatever happens to it', () => {
    const { stage } = play('adaptive', line)
    expect(stage.sealGapMs(5_000, 60_000)).toBeLessThan(40)
    for (const name of ['bob', 'cy', 'dan']) {
      expect(stage.runGapMs(name, 10_000, 60_000)).toBeLessThan(120)
    }
  })
})
