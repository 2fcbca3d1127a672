import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  installTarball,
  linkInstalled,
  packPackage,
  runNpm,
} from '../../../tools/packed-package.ts'

/**
 * A game as somebody starts it who has nothing of this repository but the packed packages. Only the
 * template whose dependencies are all installed here: `npm run test:templates` does the same, and more,
 * with each of them and a real `npm install`; their linter too, which here would meet our compiler.
 */

let folder = ''
let samestep = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'create-samestep-packed-'))
  samestep = packPackage('samestep', folder)
  mkdirSync(join(folder, 'creator'))
  installTarball(packPackage('create-samestep', folder), join(folder, 'creator'))
}, 60_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.each(['minimal'])('a game from the template %s', (template) => {
  let game = ''

  beforeAll(() => {
    const name = `${template}-game`
    const command = join(folder, 'creator', 'node_modules', '.bin', 'create-samestep')
    const args = [command, name, '--template', template, '--yes']
    execFileSync(process.execPath, args, { cwd: folder })
    game = join(folder, name)
    installTarball(samestep, game)
    const { devDependencies } = JSON.parse(readFileSync(join(game, 'package.json'), 'utf8'))
    for (const each of Object.keys(devDependencies)) linkInstalled(each, game)
  }, 60_000)

  test('passes its own tests', () => {
    expect(runNpm(['test'], game)).toMatch(/3 passed/)
  })

  test('passes its own check', () => {
    // A short one: at length it is for its author, and for the tests of the check itself.
    const output = runNpm(['run', 'check', '--', '--ticks', '200', '--here'], game)
    expect(output).toContain('Nothing differed.')
  })

  test('compiles, and becomes a page that needs nothing of Node', () => {
    const output = runNpm(['run', 'build'], game)
    expect(output).not.toMatch(/externalized|warning/i)
    expect(existsSync(join(game, 'dist', 'index.html'))).toBe(true)
  })

  test('needs nothing of Node in its scripts', () => {
    const scripts = readdirSync(join(game, 'dist', 'assets')).filter((name) => name.endsWith('.js'))
    expect(scripts.length).toBeGreaterThan(0)
    for (const script of scripts) {
      const code = readFileSync(join(game, 'dist', 'assets', script), 'utf8')
      expect(/(?:from|import)\s*\(?["'`]node:[a-z/]+/.exec(code)?.[0]).toBeUndefined()
    }
  })

  test('has the relay that it starts', () => {
    expect(runNpm(['start', '--', '--help'], game)).toContain('--port')
  })
})
