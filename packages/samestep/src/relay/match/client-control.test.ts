import fc from 'fast-check'
import { expect, test } from 'vitest'
import { refusalsPerControlMax } from '../../wire/ticks/relay-bundles.ts'
import { ClientControl, controlVersions } from './client-control.ts'

/** Sends as a tick does: what changed goes into a block, and the block out. */
function send(control: ClientControl, nextOrder = 0) {
  control.refresh(nextOrder)
  return control.take(0)
}

test('changes between two sendings make one block', () => {
  const control = new ClientControl()
  const before = send(control).version
  for (let number = 0; number < 400; number++) control.answerOrders()
  control.countLateInput()
  expect(send(control, 400)).toMatchObject({
    version: before + 1,
    orderNumber: 400,
    lateInputs: 1,
  })
  expect(send(control, 400).version).toBe(before + 1)
})

test('a block is unsent until it was sent over this link, unseen until its version is named', () => {
  const control = new ClientControl()
  control.answerOrders()
  control.refresh(1)
  expect([control.isUnsent, control.isUnseen]).toEqual([true, true])
  const { version } = control.take(0)
  expect([control.isUnsent, control.isUnseen]).toEqual([false, true])
  control.see(version)
  expect(control.isUnseen).toBe(false)
  control.restart()
  expect([control.isUnsent, control.isUnseen]).toEqual([true, true])
})

test('refusals that find no room are in a later block, and are not seen before', () => {
  const control = new ClientControl()
  for (let number = 0; number < refusalsPerControlMax + 3; number++) control.refuse(number, 'rate')
  const first = send(control)
  expect(first.refusals).toHaveLength(refusalsPerControlMax)
  control.see(first.version)
  expect(control.openRefusals).toBe(3)
  const second = send(control)
  expect(second.refusals.map(({ number }) => number)).toEqual([15, 16, 17])
  control.see(second.version)
  expect(control.openRefusals).toBe(0)
})

test('a client that sees nothing for long is not taken for one that has seen all', () => {
  const control = new ClientControl()
  const seen = send(control).version
  control.refuse(7, 'rate')
  // Far more changes than there are versions.
  for (let tick = 0; tick < 3 * controlVersions; tick++) {
    control.answerOrders()
    send(control, tick)
    control.see(seen)
  }
  expect(control.openRefusals).toBe(1)
  expect(send(control).refusals).toMatchObject([{ number: 7 }])
})

test('a version that was never made confirms nothing', () => {
  const control = new ClientControl()
  control.refuse(7, 'rate')
  const { version } = send(control)
  control.see(version + 1)
  expect(control.openRefusals).toBe(1)
})

test('whatever is lost and however late, every refusal is told before it counts as confirmed', () => {
  const step = fc.constantFrom('refuse', 'take', 'send', 'lose', 'report', 'relink')
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const control = new ClientControl()
      const told = new Set<number>()
      let next = 0
      let seen = controlVersions
      for (const now of steps) {
        if (now === 'refuse') control.refuse(next++, 'queue-full')
        if (now === 'take') control.answerOrders()
        if (now === 'lose') send(control)
        if (now === 'send') {
          const block = send(control)
          seen = block.version
          for (const { number } of block.refusals) told.add(number)
        }
        if (now === 'report') control.see(seen)
        if (now === 'relink') {
          control.restart()
          seen = controlVersions
        }
        expect(next - control.openRefusals).toBeLessThanOrEqual(told.size)
      }
    }),
    { numRuns: 300 },
  )
})
