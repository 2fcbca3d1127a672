import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closingLine } from './closing-line.ts'
import { root } from './programs.ts'

let folder = ''

beforeEach(() => {
  // Inside the repository, so that the planted tests can import vitest.
  const cache = join(root, '.cache')
  mkdirSync(cache, { recursive: true })
  folder = mkdtempSync(join(cache, 'closing-line-'))
  const reporter = JSON.stringify(join(root, 'tools', 'closing-line.ts'))
  writeFileSync(
    join(folder, 'vitest.config.ts'),
    `import { ClosingLine } from ${reporter}\nexport default { test: { reporters: ['default', new ClosingLine()] } }\n`,
  )
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Runs vitest for real on one planted file. */
function runPlanted(text: string): { lastLine: string | undefined; status: number | null } {
  writeFileSync(
    join(folder, 'planted.test.ts'),
    `import { beforeAll, test } from 'vitest'\n${text}\n`,
  )
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const { stdout, status } = spawnSync(process.execPath, [vitest, 'run', '--root', folder], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  })
  return { lastLine: stdout.trimEnd().split('\n').at(-1), status }
}

const fails = "throw new Error('planted')"

describe('the closing line', () => {
  test('names the skipped tests only when there are any', () => {
    expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe('12 passed, 0 failed')
    expect(closingLine({ passed: 1, failed: 2, skipped: 3 })).toBe('1 passed, 2 failed, 3 skipped')
  })

  test('is the last line of a run, and counts each test once', () => {
    const text = `test('a', () => {})\ntest('b', () => {})\ntest.skip('c', () => {})`
    expect(runPlanted(text)).toEqual({ lastLine: '2 passed, 0 failed, 1 skipped', status: 0 })
  })

  test('counts failing tests', () => {
    const text = `test('a', () => {})\ntest('b', () => { ${fails} })`
    expect(runPlanted(text)).toEqual({ lastLine: '1 passed, 1 failed', status: 1 })
  })

  test('counts a file that cannot be loaded as a failure', () => {
    expect(runPlanted(fails)).toEqual({ lastLine: '0 passed, 1 failed', status: 1 })
  })

  test('counts an error that nobody caught as a failure', () => {
    const text = `test('a', async () => {
      setTimeout(() => { ${fails} }, 0)
      await new Promise((resolve) => setTimeout(resolve, 50))
    })`
    expect(runPlanted(text)).toEqual({ lastLine: '1 passed, 1 failed', status: 1 })
  })

  test('never reports zero failures when a hook threw', () => {
    const { lastLine, status } = runPlanted(
      `beforeAll(() => { ${fails} })\ntest('a', () => {})\ntest('b', () => {})`,
    )
    expect(status).toBe(1)
    expect(lastLine).toMatch(/^0 passed, [1-9]\d* failed/)
  })
})
