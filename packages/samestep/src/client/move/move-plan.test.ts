import { describe, expect, test } from 'vitest'
import { MovePlan } from './move-plan.ts'

/** A plan of a client that dials both doors, best first, beside a match whose signs a test may change. */
function planAt(isAway: boolean) {
  const turns = { measuredAtMs: 0, rttMs: 40 }
  const running = { isRunning: true, isWaitingForState: false, turns, pacer: { intervalMs: 33 } }
  const patience = { heardAtMs: 0 }
  const plan = new MovePlan({
    ...{ doors: ['udp', 'webrtc'], seed: undefined },
    ...{ conversation: { patience }, membership: { running } },
  })
  plan.start(isAway, 0)
  return { plan, running, patience }
}

const both = { udp: { port: 1, key: new Uint8Array(32) }, webrtc: true }
const oneDoor = { udp: undefined, webrtc: true }

describe('at home', () => {
  test('nothing is due before the relay has said which doors it has', () => {
    const { plan } = planAt(false)
    expect([plan.dueAtMs, plan.due(1e9)]).toEqual([Number.POSITIVE_INFINITY, undefined])
    expect([plan.isOpen('udp'), plan.isOpen('home')]).toEqual([false, false])
  })

  test('the best door that the relay has is due, after a pause', () => {
    const { plan } = planAt(false)
    plan.noteDoors(both, 1_000)
    expect([plan.dueAtMs, plan.due(1_499)]).toEqual([1_500, undefined])
    expect(plan.due(1_500)).toEqual({ door: 'udp', isMove: true })
    plan.noteDoors(oneDoor, 2_000)
    expect(plan.due(plan.dueAtMs)).toEqual({ door: 'webrtc', isMove: true })
    expect([plan.isOpen('udp'), plan.isOpen('webrtc')]).toEqual([false, true])
  })

  test('a door that failed is due later', () => {
    const { plan } = planAt(false)
    plan.noteDoors(both, 0)
    plan.noteFailed(1_000)
    expect([plan.dueAtMs, plan.due(5_999)]).toEqual([6_000, undefined])
  })

  test('nothing is due while the state of the match is on its way', () => {
    const { plan, running } = planAt(false)
    plan.noteDoors(both, 0)
    running.isWaitingForState = true
    expect([plan.due(500), plan.dueAtMs]).toEqual([undefined, 1_500])
    running.isWaitingForState = false
    expect(plan.due(1_500)?.door).toBe('udp')
  })
})

describe('at a better door', () => {
  test('the way home is due when the line is dead, and a hand-over when it is only slow', () => {
    const dead = planAt(true)
    expect([dead.plan.due(800), dead.plan.due(1_000)]).toEqual([
      undefined,
      { door: 'home', isMove: false },
    ])
    const slow = planAt(false)
    slow.plan.noteMoved('udp', 0)
    slow.running.turns.rttMs = 400
    let move: unknown
    let atMs = 0
    for (; move === undefined && atMs < 10_000; atMs = slow.plan.dueAtMs) {
      slow.patience.heardAtMs = atMs
      slow.running.turns.measuredAtMs = atMs
      move = slow.plan.due(atMs)
    }
    expect(move).toEqual({ door: 'home', isMove: true })
  })

  test('only the way home is open', () => {
    const { plan } = planAt(true)
    plan.noteDoors(both, 0)
    expect([plan.isOpen('home'), plan.isOpen('udp')]).toEqual([true, false])
  })

  test('back home, the next door waits as after a failure', () => {
    const { plan } = planAt(true)
    plan.noteDoors(both, 0)
    plan.noteMoved('home', 1_000)
    expect(plan.dueAtMs).toBe(6_000)
  })
})
