import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { saveFile } from './save-file.ts'

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-save-'))
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  rmSync(folder, { recursive: true })
})

test('in Node bytes become a file', () => {
  const path = join(folder, 'a.desync')
  expect(saveFile(path, Uint8Array.of(1, 2, 3))).toBe(path)
  expect([...readFileSync(path)]).toEqual([1, 2, 3])
  expect(() => saveFile(join(folder, 'none', 'a'), new Uint8Array(1))).toThrow('ENOENT')
})

test('on a page they become a download, under the name alone', () => {
  vi.useFakeTimers()
  const link = { href: '', download: '', click: vi.fn() }
  const document = { createElement: () => link } as unknown as Document
  const revoke = vi.spyOn(URL, 'revokeObjectURL')
  expect(saveFile('folder/a.desync', Uint8Array.of(1), { document })).toBe('a.desync')
  expect(link).toMatchObject({ download: 'a.desync', href: expect.stringMatching(/^blob:/) })
  expect(link.click).toHaveBeenCalledOnce()
  vi.runAllTimers()
  expect(revoke).toHaveBeenCalledExactlyOnceWith(link.href)
})

test('where there is neither, a sentence says what to do', () => {
  expect(() => saveFile('a', new Uint8Array(1), {})).toThrow('send the result of toBytes()')
})
