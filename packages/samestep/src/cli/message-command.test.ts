import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeMessageCommand, showMessage } from './message-command.ts'

describe('samestep message', () => {
  let printed = ''

  beforeEach(() => {
    printed = ''
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text)
      return true
    })
  })

  afterEach(() => {
    vi.restoreAllMocks()
    process.exitCode = undefined
  })

  test('shows the fields of a message, whatever stands between its bytes', () => {
    showMessage(['03:ca:5c58', '5bd91c5d19dc4b0c'], { json: true })
    expect(JSON.parse(printed)).toEqual({
      type: 'RelayWelcome',
      bytes: 12,
      body: { protocol: 'samestep/1' },
    })
    expect(process.exitCode).toBeUndefined()
  })

  test('says where bytes go wrong that are no message, and ends with 1', () => {
    showMessage(['03ca5c'], { json: true })
    expect(JSON.parse(printed)).toMatchObject({
      error: expect.any(String),
      code: expect.any(String),
    })
    expect(process.exitCode).toBe(1)
  })

  test('refuses what is not hexadecimal with a sentence', () => {
    expect(() => showMessage(['03c'], {})).toThrow('write two hexadecimal digits')
    expect(() => showMessage(['zz'], {})).toThrow('write two hexadecimal digits')
  })

  test('its help has an example that works as pasted', () => {
    let help = ''
    const command = makeMessageCommand().configureOutput({ writeOut: (text) => (help += text) })
    command.outputHelp()
    const hex = /samestep message ([0-9a-f]+)/.exec(help)?.[1] as string
    showMessage([hex], {})
    expect(printed).toContain('"type": "RelayWelcome"')
  })
})
