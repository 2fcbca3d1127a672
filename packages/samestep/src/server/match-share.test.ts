/** What one match may take of a relay's time, over real sockets and by the machine's own clock. */
import { afterEach, expect, test, vi } from 'vitest'
import { Match } from '../relay/match/match.ts'
import { until } from '../transport/testing/recorder.ts'
import { startRelay } from './start-relay.ts'
import { TestPlayer } from './testing/player.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** Keeps this thread busy, as a match of that size would. */
function burn(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}

test('a match that costs more than there is becomes slower, and another one does not', async () => {
  const relay = await startRelay({ port: 0, log: false, udp: false, webrtc: false })
  const real = Match.prototype.handleTime
  vi.spyOn(Match.prototype, 'handleTime').mockImplementation(function (this: Match, nowMs) {
    real.call(this, nowMs)
    // Nearly twice of what there is for a tick, at 30 per second.
    if (this.name === 'dear' && this.phase === 'running') burn(60)
  })
  const [dear, cheap] = ['dear', 'cheap'].map((match) => new TestPlayer(relay.url, { match }))
  try {
    await until(() => dear!.ticks > 3 && cheap!.ticks > 3, 'both matches')
    const before = [dear!.ticks, cheap!.ticks] as const
    await until(() => dear!.ticks > before[0] + 25, 'ticks of the dear match')
    // Half of the time is the dear match's: 60 ms of work, then 60 ms for others, in which 3.6 ticks of
    // the cheap one are due. Without a share the relay would do nothing else, and both would have as many.
    // A machine that is busy with other things makes the work longer, and the rest with it.
    const [dearTicks, cheapTicks] = [dear!.ticks - before[0], cheap!.ticks - before[1]]
    expect(cheapTicks / dearTicks).toBeGreaterThan(2)
  } finally {
    for (const player of [dear, cheap]) player!.stop()
    await relay.close()
  }
}, 60_000)
