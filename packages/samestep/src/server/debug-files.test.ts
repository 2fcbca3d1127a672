import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { saveDebugFiles } from './debug-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'samestep-debug-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('pieces of one name are one file, and files of before are replaced', () => {
  const inside = join(folder, 'a', 'b')
  for (const _run of [1, 2]) {
    const save = saveDebugFiles(inside)
    save({ name: 'm_0000000000.ssrc', bytes: Uint8Array.of(1, 2) })
    save({ name: 'm_0000000010.snap', bytes: Uint8Array.of(9) })
    save({ name: 'm_0000000000.ssrc', bytes: Uint8Array.of(3) })
  }
  expect(readdirSync(inside).sort()).toEqual(['m_0000000000.ssrc', 'm_0000000010.snap'])
  expect([...readFileSync(join(inside, 'm_0000000000.ssrc'))]).toEqual([1, 2, 3])
})

test('no name leads out of the folder', () => {
  saveDebugFiles(join(folder, 'c'))({ name: '../../out.snap', bytes: Uint8Array.of(1) })
  expect(readdirSync(join(folder, 'c'))).toEqual(['.._.._out.snap'])
})
