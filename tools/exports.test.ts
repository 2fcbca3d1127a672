import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findMissingTargets, listTargets } from './exports.ts'
import { root } from './programs.ts'

test('lists every file behind nested conditions and commands', () => {
  const targets = listTargets({
    exports: {
      '.': { types: './a.d.ts', browser: { default: './b.js' }, default: './a.js' },
      './private': null,
      './package.json': './package.json',
    },
    bin: { samestep: './cli.js' },
  })
  expect(targets.map(({ path }) => path)).toEqual([
    './a.d.ts',
    './b.js',
    './a.js',
    './package.json',
    './cli.js',
  ])
})

test('the package has these doors, and opens no other by accident', () => {
  const folder = join(root, 'packages', 'samestep')
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  expect(Object.keys(exports)).toEqual([
    '.',
    './broadcast',
    './check',
    './debug',
    './eslint',
    './jobs',
    './overlay',
    './server',
    './storm',
    './testing',
    './transport',
    './types',
    './udp',
    './worker',
    './package.json',
  ])
  expect(findMissingTargets(folder)).toEqual([])
})

test('names the subpath and the file of a door that leads nowhere', () => {
  const folder = mkdtempSync(join(tmpdir(), 'exports-'))
  try {
    const exports = { '.': './package.json', './gone': './dist/gone.js' }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ exports }))
    expect(findMissingTargets(folder)).toEqual([
      './gone leads to ./dist/gone.js, which the build did not make',
    ])
  } finally {
    rmSync(folder, { recursive: true })
  }
})
