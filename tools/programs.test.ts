import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findProgram, root } from './programs.ts'

test('finds a program by name on PATH, or by its absolute path', () => {
  expect(findProgram([process.execPath])).toBe(process.execPath)
  expect(findProgram(['npm'])).toMatch(/npm$/)
})

test('takes the first candidate that exists', () => {
  expect(findProgram(['no-such-program', '/no/such/program', process.execPath, 'npm'])).toBe(
    process.execPath,
  )
  expect(findProgram(['no-such-program'])).toBeUndefined()
})

test('a file that is not executable is no program', () => {
  expect(findProgram([join(root, 'package.json')])).toBeUndefined()
})

test('a missing program that cannot be installed ends the tool with what to do', () => {
  const code = `
    import { ensureProgram } from './tools/programs.ts'
    ensureProgram({ name: 'Lynx', candidates: ['lynx'], debianPackages: ['lynx'] })
    process.stdout.write('went on')
  `
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', code],
    // Without a PATH there is no apt-get either.
    { cwd: root, encoding: 'utf8', env: { ...process.env, PATH: '' } },
  )
  expect(stderr).toBe(
    'Cannot find Lynx: install it (Debian: apt-get install lynx), then run this again\n',
  )
  expect(stdout).toBe('')
  expect(status).toBe(1)
})
