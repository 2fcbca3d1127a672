/** No attack: honest players who join a relay with workers, one match each. */
import { joinMatch } from '../../packages/samestep/src/driver/online/join-match.ts'
import { countGame } from '../../packages/samestep/src/server/testing/player.ts'
import { host } from '../loopback/sockets.ts'
import type { Attack, AttackResult, Target } from './attack.ts'
import { commonPromises, promise } from './promises.ts'

/** Players who join at the same time: below what one address may have of strangers. */
const joinsAtOnce = 6

/** A join that waits for a lost message takes 5.5 s; one on a busy machine well below a second. */
const slowMs = 2_000

/** Measures honest joins through workers. */
export const workers: Attack = {
  name: 'workers',
  what: 'joins by joinMatch again and again through workers, and counts slow ones',
  cases: ['2', '1'].map((count) => ({
    title: count === '1' ? '1 worker' : `${count} workers`,
    // All of them come from one address, and each makes its match.
    flags: ['--workers', count, '--matches-per-minute', '10000'],
    run: joinAgain,
    promises: (outcome) => [
      ...commonPromises(outcome, { growthMibMax: 200 }),
      promise(
        `no join takes ${slowMs} ms: ${outcome.did.slow} of ${outcome.did.joins} did`,
        outcome.did.slow === 0 && (outcome.did.joins ?? 0) > 0,
      ),
      promise(`no join fails: ${outcome.did.failed}`, outcome.did.failed === 0),
    ],
  })),
}

async function joinAgain({ port, seconds }: Target): Promise<AttackResult> {
  const count = { joins: 0, slow: 0, failed: 0, 'longest ms': 0 }
  const untilMs = performance.now() + seconds * 1_000
  const join = async (player: number) => {
    for (let turn = 0; performance.now() < untilMs; turn++) {
      const fromMs = performance.now()
      try {
        const match = await joinMatch(countGame, {
          url: `ws://${host}:${port}`,
          match: `join ${player} ${turn}`,
          seats: 1,
          guard: false,
          timeoutMs: 15_000,
        })
        const ms = performance.now() - fromMs
        count.joins++
        if (ms > slowMs) count.slow++
        count['longest ms'] = Math.max(count['longest ms'], Math.round(ms))
        match.close()
      } catch {
        count.failed++
      }
    }
  }
  await Promise.all(Array.from({ length: joinsAtOnce }, (_, player) => join(player)))
  return count
}
