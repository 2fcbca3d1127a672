import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../programs.ts'
import { repertoires } from './repertoires.ts'
import type { DoorsSummary } from './summary.ts'

function doors(...args: readonly string[]) {
  return spawnSync(process.execPath, ['--import', 'tsx', 'tools/doors.ts', ...args], {
    cwd: root,
    encoding: 'utf8',
    timeout: 170_000,
  })
}

/** Any seed must do; this one is the same each time, and stands in the name of the test. */
const seed = 5

test.runIf(process.platform === 'linux')(
  `strangers of seed ${seed} at every door harm no honest match, and leave nothing behind`,
  { timeout: 180_000 },
  () => {
    const args = ['--minutes', '0.5', '--seed', String(seed), '--short', '--json']
    const { status, stdout, stderr } = doors(...args)
    expect(stdout, stderr).not.toBe('')
    const { stages, replay } = JSON.parse(stdout) as DoorsSummary
    expect(
      stages.map(({ faults, recent }) => ({ faults, recent })),
      replay,
    ).toEqual([{ faults: [], recent: [] }])
    expect(status, stderr).toBe(0)
    expect(stages[0]?.executed).toBeGreaterThan(100)
    expect(Object.keys(stages[0]?.acts ?? {}).length).toBeGreaterThan(20)
  },
)

test('every act has a name of its own: a report counts by name', () => {
  const names = Object.values(repertoires).flatMap((acts) => Object.keys(acts))
  expect(names).toEqual([...new Set(names)])
})

test('--help shows an example, and an unknown option is refused without a stack', () => {
  const { status, stdout, stderr } = doors('--help')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toContain('npm run doors -- --minutes 2 --seed 5 --relay solo')
  const unknown = doors('--minute', '2')
  expect(unknown).toMatchObject({ status: 1, stdout: '' })
  expect(unknown.stderr).toBe("Unknown option '--minute'; --help lists the options\n")
})

test('options that make no sense end it with a sentence', () => {
  expect(doors('--minutes', 'long').stderr).toBe(
    'Cannot use --minutes long: it must be a number from 0.05 to 600\n',
  )
})
