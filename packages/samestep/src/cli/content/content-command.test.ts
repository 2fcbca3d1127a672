import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeUtf8 } from '../../base/utf8.ts'
import { foldContent, hashContent } from '../../sim/game/definition/content.ts'
import { cliArgs } from '../testing/cli-args.ts'

let folder = ''

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  mkdirSync(join(folder, 'maps', 'old'), { recursive: true })
  mkdirSync(join(folder, 'empty'))
  writeFileSync(join(folder, 'maps', 'dunes.json'), 'sand')
  writeFileSync(join(folder, 'maps', '.DS_Store'), 'left by a desktop')
  writeFileSync(join(folder, 'maps', 'old', 'ice.json'), 'cold')
  writeFileSync(join(folder, 'rules.json'), '')
})

afterAll(() => rmSync(folder, { recursive: true }))

function run(...args: readonly string[]) {
  const argv = [...cliArgs, 'content', ...args]
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' })
  return { status, stdout, stderr }
}

const hash = (text: string) => hashContent(encodeUtf8(text))

test('samestep content prints the manifest that defineGame and joinMatch take', () => {
  const { status, stdout } = run('--root', folder, join(folder, 'rules.json'), join(folder, 'maps'))
  expect(status).toBe(0)
  const printed = JSON.parse(stdout)
  expect(printed).toEqual({
    'maps/dunes.json': hash('sand'),
    'maps/old/ice.json': hash('cold'),
    'rules.json': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  expect(Object.keys(printed)).toEqual(Object.keys(printed).sort())
}, 60_000)

test('--fold makes one entry of a folder, as foldContent does in the game', () => {
  const { stdout } = run('--root', folder, '--fold', join(folder, 'maps'))
  const maps = { 'maps/old/ice.json': hash('cold'), 'maps/dunes.json': hash('sand') }
  expect(JSON.parse(stdout)).toEqual({ 'maps/': foldContent(maps) })
}, 60_000)

test('--check names what differs, and mistakes end it with 2 and a sentence', () => {
  const manifest = join(folder, 'content.json')
  const write = (content: unknown) => writeFileSync(manifest, JSON.stringify(content))
  const check = () => run('--root', folder, join(folder, 'maps'), '--check', manifest)
  write({ 'maps/dunes.json': hash('sand'), 'maps/old/ice.json': hash('cold') })
  expect(check()).toEqual({ status: 0, stdout: '', stderr: '' })
  write({ 'maps/dunes.json': hash('mud'), 'maps/sea.json': hash('salt') })
  expect(check()).toMatchObject({
    status: 1,
    stdout: 'differs  maps/dunes.json\nnew      maps/old/ice.json\nmissing  maps/sea.json\n',
  })
  write({ 'maps/dunes.json': 'no hash' })
  expect(check()).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^Cannot compare with .*: the hash of 'maps\/dunes.json' must be/,
    ),
  })
  const failures = [
    [[join(folder, 'none.json')], /ENOENT/],
    [['--root', join(folder, 'maps'), join(folder, 'rules.json')], /it is not below/],
    [['--root', folder, join(folder, 'empty')], /it has no files/],
    [[], /missing required argument 'files'/],
  ] as const
  for (const [args, sentence] of failures) {
    const { status, stdout, stderr } = run(...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(sentence)
  }
}, 60_000)
