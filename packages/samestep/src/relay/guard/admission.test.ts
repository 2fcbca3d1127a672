import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  orderBytesBurstMax,
  ordersBurstMax,
  ordersPerAnswerMax,
  ordersPerSecondMax,
  outboxBytesMax,
  outboxOrdersMax,
} from '../../wire/limits.ts'
import { OrderRulebook } from '../match/orders/order-table.ts'
import type { AdmissionVerdict } from './admission.ts'
import { Admission } from './admission.ts'

const small = new Uint8Array(8)

function burst(admission: Admission, count: number, nowMs: number, bytes = small): number {
  let taken = 0
  for (let index = 0; index < count; index++) {
    if (admission.admit(bytes, false, nowMs) === 'taken') taken += 1
  }
  return taken
}

describe('budgets', () => {
  test('T-36 more than a client can have on its way ends the session', () => {
    const admission = new Admission(undefined, 0)
    const verdicts = Array.from({ length: ordersPerAnswerMax + 1 }, () =>
      admission.admit(small, false, 0),
    )
    expect(verdicts.slice(0, ordersBurstMax)).toEqual(Array(ordersBurstMax).fill('taken'))
    expect(verdicts.slice(ordersBurstMax, -1).every((verdict) => verdict === 'rate')).toBe(true)
    expect(verdicts.at(-1)).toBe('flood')
  })

  test('over the burst, orders are refused one by one, and time brings more', () => {
    const admission = new Admission(undefined, 0)
    expect(burst(admission, 60, 0)).toBe(ordersBurstMax)
    admission.noteAnswered()
    expect(burst(admission, 60, 1_000)).toBe(ordersPerSecondMax)
  })

  test('bytes are a budget of their own: a full outbox fits, a second one does not', () => {
    const admission = new Admission(undefined, 0)
    const large = new Uint8Array(1_024)
    expect(burst(admission, 17, 0, large)).toBe(17)
    expect(admission.admit(large, false, 0)).toBe('rate')
    expect(17 * 1_024).toBe(orderBytesBurstMax)
    // What is refused costs nothing: a small one still fits a quarter of a second later.
    expect(admission.admit(small, false, 250)).toBe('taken')
  })

  test('classes have limits of their own, and leave the other classes alone', () => {
    const kinds = [0, 1].map((classIndex) => ({
      by: 'player' as const,
      maxBytes: 1_024,
      whenPaused: true,
      maxPerTick: 32,
      classIndex,
    }))
    const classes = [
      { perSecond: 0, burst: 0 },
      { perSecond: 1, burst: 3 },
    ]
    const admission = new Admission(new OrderRulebook({ kinds, classes }), 0)
    expect(burst(admission, 10, 0, Uint8Array.of(1))).toBe(3)
    expect(burst(admission, 10, 0, Uint8Array.of(0))).toBe(10)
    expect(burst(admission, 10, 1_000, Uint8Array.of(1))).toBe(1)
  })

  test('rules of the kind are told apart from budgets, and cost none', () => {
    const kinds = [
      { by: 'player' as const, maxBytes: 1_024, whenPaused: false, maxPerTick: 32, classIndex: 0 },
    ]
    const table = { kinds, classes: [{ perSecond: 1, burst: 1 }] }
    const admission = new Admission(new OrderRulebook(table), 0)
    expect(admission.admit(small, true, 0)).toBe('paused')
    expect(admission.admit(small, false, 0)).toBe('taken')
    expect(admission.admit(small, false, 0)).toBe('rate')
  })
})

describe('a line that was cut', () => {
  test('may release a whole outbox at once', () => {
    const admission = new Admission(undefined, 0)
    admission.noteGap(10_000, 10_000)
    expect(burst(admission, outboxOrdersMax, 10_000)).toBe(outboxOrdersMax)
  })

  test('may be cut again and again: what was issued meanwhile comes in each time', () => {
    const admission = new Admission(undefined, 0)
    for (let nowMs = 5_000; nowMs <= 50_000; nowMs += 5_000) {
      admission.noteAnswered()
      admission.noteGap(5_000, nowMs)
      expect(burst(admission, outboxOrdersMax, nowMs)).toBe(outboxOrdersMax)
    }
  })

  test.each([500, 600, 3_000, 20_000])('gains nothing by stuttering every %i ms', (gapMs) => {
    const admission = new Admission(undefined, 0)
    let taken = 0
    for (let nowMs = gapMs; nowMs <= 60_000; nowMs += gapMs) {
      admission.noteAnswered()
      admission.noteGap(gapMs, nowMs)
      taken += burst(admission, outboxOrdersMax, nowMs)
    }
    expect(taken).toBeLessThanOrEqual(ordersBurstMax + 60 * ordersPerSecondMax)
  })

  test('is like a match that begins: what waited for its first tick comes at once', () => {
    for (const nowMs of [0, 20_000]) {
      const admission = new Admission(undefined, 0)
      admission.noteStarted(nowMs)
      expect(burst(admission, outboxOrdersMax, nowMs)).toBe(outboxOrdersMax)
      expect(burst(admission, 1, nowMs + 10)).toBe(0)
    }
  })

  test('gets no credit for nonsense', () => {
    const admission = new Admission(undefined, 0)
    for (const gap of [Number.NaN, -1, -Infinity, 499]) admission.noteGap(gap, 0)
    expect(burst(admission, outboxOrdersMax, 0)).toBe(ordersBurstMax)
  })
})

/**
 * An honest client behind a bad line: issues orders at any pace, keeps within its outbox, repeats what
 * is unanswered, and learns of answers a while later. Time is in ticks of 33 ms.
 */
class HonestClient {
  readonly #admission = new Admission(undefined, 0)
  /** Sizes of orders that are not answered, from order number `#answered` on. */
  #outbox: number[] = []
  #answered = 0
  /** What the relay expects next, and what it said with each tick that is still on its way. */
  #next = 0
  readonly #answers: { readonly atTick: number; readonly next: number }[] = []
  #isCut = false
  #cutAtMs = 0
  #tick = 0

  issue(size: number): void {
    const bytes = this.#outbox.reduce((sum, one) => sum + one, 0)
    if (this.#outbox.length >= outboxOrdersMax || bytes >= outboxBytesMax) return
    this.#outbox.push(size)
  }

  cut(): void {
    if (!this.#isCut) this.#cutAtMs = this.#tick * 33
    this.#isCut = true
  }

  /** Lets a tick pass. Everything unanswered is sent (again). */
  run(delayTicks: number): AdmissionVerdict[] {
    this.#tick += 1
    const nowMs = this.#tick * 33
    const verdicts: AdmissionVerdict[] = []
    while (!this.#isCut && (this.#answers[0]?.atTick ?? Infinity) <= this.#tick) {
      const { next } = this.#answers.shift()!
      this.#outbox.splice(0, Math.max(next - this.#answered, 0))
      this.#answered = Math.max(next, this.#answered)
    }
    for (const [index, size] of this.#isCut ? [] : this.#outbox.entries()) {
      const number = this.#answered + index
      if (number < this.#next) continue
      this.#next += 1
      verdicts.push(this.#admission.admit(new Uint8Array(size), false, nowMs))
    }
    // The relay seals: its answer is on the way.
    this.#admission.noteAnswered()
    if (!this.#isCut) this.#answers.push({ atTick: this.#tick + delayTicks, next: this.#next })
    return verdicts
  }

  /** The link is back. `RelaySeated` tells what arrived before the cut. */
  heal(): void {
    if (!this.#isCut) return
    this.#isCut = false
    this.#admission.noteGap(this.#tick * 33 - this.#cutAtMs, this.#tick * 33)
    this.#admission.noteAnswered()
  }
}

const honestStep = fc.oneof(
  fc.record({ kind: fc.constant('issue' as const), count: fc.nat(20), size: fc.nat(1_024) }),
  fc.record({ kind: fc.constant('run' as const), ticks: fc.nat(60), delay: fc.nat(30) }),
  fc.record({ kind: fc.constant('cut' as const), ticks: fc.nat(400) }),
)

test('I-21 no honest client is ever closed, whatever its line and its fingers do', () => {
  let sent = 0
  fc.assert(
    fc.property(fc.array(honestStep, { maxLength: 60 }), (steps) => {
      const client = new HonestClient()
      for (const step of steps) {
        if (step.kind === 'issue') for (let n = 0; n < step.count; n++) client.issue(step.size)
        if (step.kind === 'cut') client.cut()
        const ticks = step.kind === 'issue' ? 1 : step.ticks
        for (let n = 0; n < ticks; n++) {
          if (step.kind === 'cut') client.issue(8)
          const verdicts = client.run(step.kind === 'run' ? step.delay : 3)
          sent += verdicts.length
          expect(verdicts).not.toContain('flood')
        }
        client.heal()
      }
    }),
    { numRuns: 150 },
  )
  expect(sent).toBeGreaterThan(1_000)
})

test('I-21 who was cut off for ten seconds and releases all he issued loses none of it', () => {
  const client = new HonestClient()
  for (let tick = 0; tick < 300; tick++) client.run(3)
  client.cut()
  for (let tick = 0; tick < 300; tick++) {
    client.issue(64)
    client.run(3)
  }
  client.heal()
  expect(client.run(3)).toEqual(Array(outboxOrdersMax).fill('taken'))
})
