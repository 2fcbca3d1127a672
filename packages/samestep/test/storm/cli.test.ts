import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readStormPlan } from '../../src/storm/index.ts'

/** The built program: `npm test` builds first. */
const main = resolve(import.meta.dirname, '../../dist/cli/main.js')
const crooked = resolve(import.meta.dirname, 'fixtures/crooked-game.ts')

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-cli-'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function run(...args: string[]) {
  return spawnSync(process.execPath, [main, ...args], { cwd: folder, encoding: 'utf8' })
}

/** The processes that a process has started, once there are so many. */
async function childrenOf(pid: number, count: number): Promise<number[]> {
  for (;;) {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    if (children.length >= count) return children.map(Number)
    await setTimeout(20)
  }
}

describe('every command', () => {
  test.each([[[]], [['storm']], [['storm', 'replay']], [['storm', 'shrink']]])(
    '%j explains itself, with an example',
    (words) => {
      const { stdout, status } = run(...words, '--help')
      expect(status).toBe(0)
      expect(stdout).toMatch(/Examples?:\n {2}npx samestep storm/)
    },
  )
})

describe('samestep storm', () => {
  test('prints one report as JSON and ends with 0 when nothing broke', () => {
    const args = ['storm', '--plans', '1', '--players', '2', '--profile', 'sunny', '--json']
    const report = JSON.parse(
      execFileSync(process.execPath, [main, ...args], { cwd: folder }).toString(),
    )
    expect(report).toMatchObject({ ok: true, plans: 1, simulatedHours: 0.025, failures: [] })
    expect(report.events).toBeGreaterThan(1_000)
  })

  test('has plans of as many simulated hours as asked, and says so for who runs one again', () => {
    const long = run('storm', '--profile', 'longhaul', '--hours', '0.05', '--plans', '1', '--json')
    expect(long.status).toBe(0)
    // The quiet is another half a minute at least, and somebody may sleep.
    expect(JSON.parse(long.stdout).simulatedHours).toBeGreaterThan(0.05)
    const { stdout } = run('storm', crooked, '--plans', '1', '--players', '2', '--hours', '0.01')
    expect(stdout).toMatch(/storm \S+ --seed 1 --profile \S+ --plans 1 --hours 0\.01 --players 2/)
  })

  test('goes on until the relay died, and players came back, as often as asked', () => {
    const wanted = ['--crashes', '3', '--rejoins', '5', '--players', '2']
    const { stdout, status } = run('storm', '--profile', 'relay-crash', ...wanted, '--json')
    expect(status).toBe(0)
    const { crashes, rejoins, plans } = JSON.parse(stdout)
    expect(crashes).toBeGreaterThanOrEqual(3)
    expect(rejoins).toBeGreaterThanOrEqual(5)
    expect(plans).toBeLessThan(10)
  })

  test('that is interrupted ends after its plan, with a report and the code of the signal', async () => {
    const args = [main, 'storm', '--profile', 'sunny', '--players', '2', '--minutes', '10']
    const child = spawn(process.execPath, args, { cwd: folder })
    let [printed, progress] = ['', '']
    child.stdout.on('data', (bytes) => {
      printed += bytes
    })
    child.stderr.on('data', (bytes) => {
      if (progress === '') child.kill('SIGINT')
      progress += bytes
    })
    const [code] = await once(child, 'close')
    expect(progress).toContain('simulated hours')
    expect(printed).toMatch(/^\S+ simulated hours in \d+ plans[\s\S]*No invariant was violated\.$/m)
    expect(printed).toContain('Stopped by SIGINT')
    expect(code).toBe(130)
  })

  test('runs the same plans in several jobs as in one, and adds them up', () => {
    const words = ['storm', '--plans', '6', '--players', '2', '--seed', '7', '--json']
    const [one, three] = [[], ['--jobs', '3']].map((jobs) => {
      const { eventsPerSecond, ...report } = JSON.parse(run(...words, ...jobs).stdout)
      expect(eventsPerSecond).toBeGreaterThan(0)
      return report
    })
    expect(three).toEqual(one)
    expect(three).toMatchObject({ ok: true, plans: 6, reruns: 1 })
  })

  test('names the failing plan of a job, with the game of that job', () => {
    const words = ['storm', crooked, '--plans', '4', '--players', '2', '--jobs', '2']
    const { stdout, status } = run(...words)
    expect(status).toBe(1)
    expect(stdout).toContain('I-08 violated')
    const [, file = ''] = /storm replay (\S+)/.exec(stdout) ?? []
    expect(run('storm', 'replay', file, '--game', crooked).stdout).toContain('I-08 violated')
  })

  test.each([['0'], ['513'], ['two']])('%s jobs are refused', (count) => {
    const { stderr, status } = run('storm', '--jobs', count)
    expect(status).toBe(2)
    expect(stderr).toContain('It must be a whole number')
  })

  test('a job that dies ends the storm, with the reason and a report of what was run', async () => {
    const child = spawn(process.execPath, [main, 'storm', '--jobs', '2', '--minutes', '10'], {
      cwd: folder,
    })
    let said = ''
    child.stderr.on('data', (bytes) => {
      said += bytes
    })
    const jobs = await childrenOf(child.pid as number, 2)
    process.kill(jobs[0] as number, 'SIGKILL')
    const [code] = await once(child, 'close')
    expect(code).toBe(2)
    expect(said).toContain('A job ended with SIGKILL')
  })

  test('loads a game in TypeScript, ends with 1 when it falls out of step, and tells how to see it again', () => {
    const { stdout, status } = run(
      'storm',
      crooked,
      '--plans',
      '5',
      '--seed',
      '1',
      '--players',
      '2',
    )
    expect(status).toBe(1)
    expect(stdout).toContain('I-08 violated')
    const [, file = ''] = /storm replay (\S+)/.exec(stdout) ?? []
    expect(file).toMatch(/^storm-failure-I-08-\d+\.json$/)
    const again = run('storm', 'replay', file, '--game', crooked)
    expect(again.status).toBe(1)
    expect(again.stdout).toContain('I-08 violated')
    const [, bySeed = ''] = /npx samestep (storm \S+ --seed .*)/.exec(stdout) ?? []
    expect(run(...bySeed.split(' ')).stdout).toContain('I-08 violated')
  })

  test('shrinks a failing plan to what the failure needs', () => {
    const failing = `storm-failure-I-08-1.json`
    if (!existsSync(join(folder, failing))) run('storm', crooked, '--plans', '1', '--players', '2')
    const { stdout, status } = run(
      'storm',
      'shrink',
      failing,
      '--game',
      crooked,
      '--out',
      'small.json',
    )
    expect(status).toBe(0)
    expect(stdout).toContain('Nothing more can be removed.')
    const small = readStormPlan(readFileSync(join(folder, 'small.json'), 'utf8'))
    expect(small.faults).toEqual([])
    expect(small.nodes.length).toBeLessThanOrEqual(3)
    expect(run('storm', 'replay', 'small.json', '--game', crooked).status).toBe(1)
  })

  test.each([
    [['storm', 'gone.ts'], 'there is no file gone.ts'],
    [['storm', main.replace('main.js', 'game/load-game.js')], 'exports none'],
    [['storm', 'replay', 'gone.json'], 'gone.json'],
    [['storm', crooked, '--export', 'straight'], "exports no game 'straight', but crooked"],
  ])('%j is answered in one sentence', (words, sentence) => {
    const { stderr, status } = run(...words)
    expect(status).toBe(2)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(stderr).toContain(sentence)
  })
})
