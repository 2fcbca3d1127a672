import { expect, test } from 'vitest'
import { makeConfig } from '../../packages/samestep/src/client/membership/match-config.ts'
import type { Match } from '../../packages/samestep/src/relay/match/match.ts'
import { Sealer } from '../../packages/samestep/src/relay/match/ticks/sealer.ts'
import { soakGame } from './game.ts'
import type { OrderRecord, PlayerReport } from './player.ts'
import { emptyVerdict, type Verdict, Witness } from './witness.ts'

/** A witness of ticks with these orders of seat 0, tick by tick. */
function witnessOf(ticks: readonly (readonly number[])[]): Witness {
  const config = makeConfig(soakGame, { match: 'm', name: 'n' })
  const witness = new Witness({ id: 'm', seed: 'seed', config } as Match)
  const sealer = new Sealer(config)
  for (const numbers of ticks) {
    for (const number of numbers) {
      const bytes = soakGame.orderCodec.encode('mark', { number })
      sealer.addOrder({ seat: 0, number, bytes, arrivedAtMs: 0 })
    }
    witness.handleSealed(sealer.seal())
  }
  return witness
}

/** What a witness of these ticks says about a player's word. */
function judge(
  ticks: readonly (readonly number[])[],
  orders: readonly OrderRecord[],
  changes: Partial<PlayerReport> = {},
): Partial<Verdict> {
  const witness = witnessOf(ticks)
  const hash = witnessOf(ticks).hashAt(ticks.length)
  const report: PlayerReport = {
    id: 0,
    match: 'm',
    way: 'udp',
    seat: 0,
    orders,
    open: 0,
    hash,
    closed: undefined,
    reconnects: 0,
    breaks: 0,
    outages: 0,
    orderMs: 0,
    orderP95Ms: 0,
    ...changes,
  }
  const verdict = emptyVerdict()
  witness.judge([report], ticks.length, verdict)
  return Object.fromEntries(Object.entries(verdict).filter(([, count]) => count !== 0))
}

test('a player whose word agrees with what was sealed is in order', () => {
  const orders: OrderRecord[] = [
    [1, 'executed', 3],
    [0, 'executed', 1],
    [2, 'refused', undefined],
  ]
  expect(judge([[0], [], [1]], orders)).toEqual({ executed: 2, refused: 1 })
})

test('an order that was to be executed and is in no tick is lost', () => {
  expect(judge([[], []], [[0, 'executed', 1]])).toMatchObject({ lost: 1 })
  expect(judge([[], []], [[0, 'lost', undefined]])).toEqual({ lost: 1 })
})

test('an order in two ticks is doubled', () => {
  expect(judge([[0], [0]], [[0, 'executed', 1]])).toMatchObject({ doubled: 1 })
})

test('an order in another tick than its issuer heard of is misplaced, as is one that was refused', () => {
  expect(judge([[0], []], [[0, 'executed', 2]])).toMatchObject({ misplaced: 1 })
  expect(judge([[0]], [[0, 'refused', undefined]])).toMatchObject({ misplaced: 1 })
})

test('orders that ran in another sequence than they were issued in are misplaced', () => {
  const orders: OrderRecord[] = [
    [0, 'executed', 2],
    [1, 'executed', 1],
  ]
  expect(judge([[1], [0]], orders)).toMatchObject({ misplaced: 1 })
})

test('another hash, an order without an end and an end of the session all count', () => {
  expect(judge([[]], [], { hash: '0123456789abcdef' })).toEqual({ hashMismatches: 1 })
  expect(judge([[]], [], { hash: undefined })).toEqual({ hashMismatches: 1 })
  expect(judge([[]], [], { open: 3 })).toEqual({ unsettled: 3 })
  expect(judge([[]], [], { closed: 'kicked: Bye' })).toEqual({ dropped: 1 })
})

test('of a player that was killed, what is sealed has no gap and no copy', () => {
  const verdictOf = (ticks: readonly (readonly number[])[]) => {
    const verdict = emptyVerdict()
    witnessOf(ticks).judge([], ticks.length, verdict)
    return [verdict.executed, verdict.lost, verdict.doubled]
  }
  expect(verdictOf([[0, 1], [2]])).toEqual([3, 0, 0])
  expect(verdictOf([[0], [2]])).toEqual([2, 1, 0])
  expect(verdictOf([[0], [0], [1]])).toEqual([3, 0, 1])
  // One gap is one loss, however many come after it.
  expect(verdictOf([[0], [2, 3, 4]])).toEqual([4, 1, 0])
})
