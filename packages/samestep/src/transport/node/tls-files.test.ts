import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CertificateFolder, certificates } from '../testing/certificates.ts'
import { readTls, tlsNotices } from './tls-files.ts'

let folder: CertificateFolder
beforeEach(() => {
  folder = new CertificateFolder()
  folder.write(certificates[0])
})
afterEach(() => folder.remove())

const readKey = (keyFile: string) => () => readTls({ ...folder.files, keyFile })

test('a key that is given where its file belongs is told as such, and not repeated', () => {
  const { key } = certificates[0]
  expect(readKey(key)).toThrow(
    'Cannot read the key: the value is not a path but looks like a key; it must be the path of a file in PEM',
  )
})

test.each(['/dev/zero', dirname(import.meta.filename)])('%s is no file, and refused', (path) => {
  expect(readKey(path)).toThrow(`Cannot read the key ${path}: it is not a regular file`)
})

test('a FIFO is refused at once, although nobody writes into it', () => {
  const path = join(dirname(folder.files.keyFile), 'pipe')
  execFileSync('mkfifo', [path])
  expect(readKey(path)).toThrow('it is not a regular file')
})

test('a key that others may read is used, with a notice', () => {
  const { keyFile } = folder.files
  chmodSync(keyFile, 0o644)
  expect(readTls(folder.files).minVersion).toBe('TLSv1.2')
  expect(tlsNotices(folder.files)).toEqual([
    `Others than its owner may use the TLS key ${keyFile} (its mode is 644): chmod 600 ${keyFile}`,
  ])
  chmodSync(keyFile, 0o600)
  expect(tlsNotices(folder.files)).toEqual([])
})
