import { expect, test } from 'vitest'
import {
  gameConfigKeys,
  lobbyDefaults,
  makeMatchConfig,
  matchConfig,
  paceDefaults,
} from './match-config.ts'

test('a config needs no more than seats and a tick rate', () => {
  const config = makeMatchConfig({ seats: 2, tickRate: 30 })
  expect(matchConfig.accepts(config)).toBe(true)
  expect(config).toMatchObject({
    seats: 2,
    tickRate: 30,
    inputDelay: 3,
    lobby: lobbyDefaults,
    pace: paceDefaults,
  })
})

test('the input delay stays where it was asked for, unless it may move', () => {
  expect(makeMatchConfig({ seats: 1, tickRate: 1, inputDelay: 7 })).toMatchObject({
    inputDelay: 7,
    inputDelayMin: 7,
    inputDelayMax: 7,
  })
  expect(
    makeMatchConfig({ seats: 1, tickRate: 1, inputDelay: 7, inputDelayMin: 2, inputDelayMax: 9 }),
  ).toMatchObject({ inputDelay: 7, inputDelayMin: 2, inputDelayMax: 9 })
})

test('what is given is what the config has', () => {
  const lobby = { ...lobbyDefaults, start: 'by-owner' } as const
  const options = Uint8Array.of(1, 2)
  const config = makeMatchConfig({ seats: 64, tickRate: 240, lagMode: 'median', lobby, options })
  expect(config).toMatchObject({ seats: 64, tickRate: 240, lagMode: 'median', lobby })
  expect(config.options).toBe(options)
})

test('by default a match begins when it is full, and everybody can pause it', () => {
  expect(lobbyDefaults.start).toBe('when-full')
  expect(paceDefaults.pauseBy).toBe('player')
})

test('what follows from the game is a part of the config, and the lobby is not of it', () => {
  const names = matchConfig.members.map(({ name }) => name)
  for (const key of gameConfigKeys) expect(names).toContain(key)
  expect(gameConfigKeys).not.toContain('lobby')
})

test.each([
  ['no seats', { seats: 0 }],
  ['more seats than there can be', { seats: 65 }],
  ['a wait that outlasts the patience of those who hear nothing', { missing: waitOf(4_001) }],
  ['an input further ahead than it is kept', { inputDelay: 192 }],
  ['no players', { lobby: { ...lobbyDefaults, playersMin: 0 } }],
  ['a load that takes no time', { lobby: { ...lobbyDefaults, loadMs: 999 } }],
  ['a pause without end', { pace: { ...paceDefaults, pauseMsMax: 600_001 } }],
  ['options that are too long', { options: new Uint8Array(1_025) }],
])('a config with %s is none', (_title, changes) => {
  const config = makeMatchConfig({ seats: 2, tickRate: 30, ...changes })
  expect(matchConfig.accepts(config)).toBe(false)
})

function waitOf(waitMs: number): { kind: 'wait'; waitMs: number } {
  return { kind: 'wait', waitMs }
}
