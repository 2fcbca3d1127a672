import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { root } from '../programs.ts'
import type { Measured, Outcome } from './attack.ts'
import { commonPromises } from './promises.ts'
import { attacks } from './registry.ts'
import { broken, formatAll, judge } from './report.ts'

const calm: Measured = {
  ticks: 150,
  p50: 33,
  p99: 40,
  max: 50,
  timerP99: 36,
  cpu: 0.04,
  peakMib: 75,
}
const idle = { links: 1, matches: 1, descriptors: 24 }
const probed = { asked: 20, failed: 0, longestMs: 5 }

/** An attack that nobody noticed. */
const harmless: Outcome = {
  did: { sent: 1 },
  before: calm,
  meanwhile: { ...calm, p99: 79, peakMib: 120 },
  after: calm,
  isAlive: true,
  faults: 0,
  cuts: [],
  joinMs: 60,
  health: probed,
  pages: probed,
  matchesMost: 2,
  linksMost: 2,
  idle,
  rest: { ...idle, descriptors: 26 },
  restSeconds: 3,
  loads: [200, 200],
  exitCode: 0,
}

describe('what every attack is judged by', () => {
  const brokenBy = (change: Partial<Outcome>) =>
    commonPromises({ ...harmless, ...change }, { growthMibMax: 50 }).flatMap(({ what, isKept }) =>
      isKept ? [] : [what],
    )

  test('an attack that nobody noticed keeps all promises', () => {
    expect(brokenBy({})).toEqual([])
  })

  const dead: Partial<Outcome> = { isAlive: false, faults: undefined, rest: undefined, exitCode: 1 }
  test.each<[string, Partial<Outcome>, readonly RegExp[]]>([
    [
      'a dead relay',
      dead,
      [/lives/, /fault/, /MiB/, /links are/, /matches are/, /descriptors are/],
    ],
    ['a relay that does not stop in order', { exitCode: 1 }, [/stops in order/]],
    ['a fault', { faults: 1 }, [/fault is counted: 1/]],
    ['a cut link', { cuts: ['1006 '] }, [/no honest link is cut: 1006/]],
    ['late ticks', { meanwhile: { ...calm, p99: 81 } }, [/81 ms is at most 2 × 40 ms/]],
    ['no ticks', { meanwhile: { ...calm, ticks: 0, p99: 0 } }, [/tick p99/]],
    ['memory', { meanwhile: { ...calm, peakMib: 126 } }, [/51 MiB more are at most 50/]],
    ['memory that comes later', { after: { ...calm, peakMib: 126 } }, [/51 MiB/]],
    ['no health', { health: { ...probed, failed: 1 } }, [/1 of 20 failed/]],
    ['no page', { pages: { ...probed, failed: 2 } }, [/2 of 20 failed/]],
    ['no downloads afterwards', { loads: [200, 503] }, [/200 503/]],
    ['links that stay', { rest: { ...idle, links: 2 } }, [/links are free again: 2 of 1/]],
    ['matches that stay', { rest: { ...idle, matches: 65 } }, [/65 of 1 before/]],
    ['descriptors that stay', { rest: { ...idle, descriptors: 29 } }, [/29 of 24 before/]],
  ])('%s is named, and nothing else', (_what, change, expected) => {
    expect(brokenBy(change)).toEqual(expected.map((text) => expect.stringMatching(text)))
  })
})

test('what is not kept stands below the table', () => {
  const [wave] = attacks
  const did = { wanted: 10, opened: 9, 'open at the end': 2, 'longest life in ms': 5_000 }
  const ran = judge('wave', wave!.cases[0]!, { ...harmless, did })
  expect(broken(ran)).toEqual(['all sockets opened: 9 of 10', 'all are closed: 2 left'])
  expect(formatAll([ran])).toContain('  NOT KEPT: all are closed: 2 left')
})

describe('the command', () => {
  const attack = (...args: readonly string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', 'tools/attack.ts', ...args], {
      cwd: root,
      encoding: 'utf8',
    })

  test('lists every attack and case in its help', () => {
    const { status, stdout } = attack('--help')
    expect(status).toBe(0)
    for (const { name, what, cases } of attacks) {
      expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'))
      expect(stdout).toContain(what)
      for (const { title } of cases) expect(stdout).toContain(title)
    }
  })

  test('refuses what is no attack, and what is no number', () => {
    expect(attack('nothing').stderr).toMatch(/^Cannot attack by 'nothing': it must be one of wave,/)
    const { status, stderr } = attack('wave', '--seconds', '0')
    expect([status, stderr]).toEqual([
      1,
      'Cannot use --seconds 0: it must be a whole number from 1 to 600\n',
    ])
  })
})
