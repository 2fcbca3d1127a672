import { expect, test } from 'vitest'
import { machineText } from './machine-text.ts'

test.each([
  [
    { process: { version: 'v20.1.0', platform: 'linux', arch: 'x64', versions: { v8: '11.3' } } },
    'Node v20.1.0, V8 11.3, linux x64',
  ],
  [
    { navigator: { userAgent: 'Mozilla/5.0 (X11) Firefox/130.0' } },
    'Mozilla/5.0 (X11) Firefox/130.0',
  ],
  [{}, ''],
])('a machine names itself: %#', (hints, text) => {
  expect(machineText(hints)).toBe(text)
})

test('this one does', () => {
  expect(machineText()).toMatch(/^Node v/)
})
