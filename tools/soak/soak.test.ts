import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../programs.ts'
import type { SoakSummary } from './summary.ts'

function soak(...args: readonly string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', 'tools/soak.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 110_000,
  })
}

test('eight players over every transport, with cuts and kills, lose nothing and agree', {
  timeout: 120_000,
}, () => {
  const { status, stdout, stderr } = soak(
    ...['--clients', '8', '--minutes', '0.25', '--round-seconds', '6', '--seed', '5', '--json'],
  )
  const summary = JSON.parse(stdout) as SoakSummary
  expect(summary).toMatchObject({
    lost: 0,
    doubled: 0,
    misplaced: 0,
    unsettled: 0,
    hashMismatches: 0,
    relayMismatches: 0,
    dropped: 0,
    leftOver: 0,
    errors: [],
  })
  expect(status, stderr).toBe(0)
  expect(summary.rounds).toBeGreaterThanOrEqual(1)
  expect(summary.kills).toBe(summary.rounds)
  expect(summary.executed).toBeGreaterThan(50)
  const reconnects = summary.ways.reduce((sum, way) => sum + way.reconnects, 0)
  expect(reconnects).toBeGreaterThan(0)
})

test('options that make no sense end it with a sentence', () => {
  const { status, stderr } = soak('--clients', '9')
  expect([status, stderr]).toEqual([
    1,
    'Cannot use --clients 9: a match has 8 seats; give a multiple of that\n',
  ])
  expect(soak('--minutes', 'long').stderr).toBe(
    'Cannot use --minutes long: it must be a number from 0\n',
  )
})
