import { execFileSync, spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../transport/testing/recorder.ts'
import { LineStream } from './line-stream.ts'

test('lines come out whole and in sequence, and a flush waits for the last', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  const path = join(folder, 'log')
  const descriptor = openSync(path, 'w')
  const stream = new LineStream(descriptor)
  const lines = Array.from({ length: 5_000 }, (_, at) => `${at} ${'x'.repeat(at % 90)}\n`)
  for (const line of lines) stream.write(line)
  await stream.flush(20_000)
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  await stream.flush()
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

test('a reader that stands still costs lines, not time or memory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  // Both ends, so that opening waits for nobody; nobody reads.
  const descriptor = openSync(path, 'r+')
  const stream = new LineStream(descriptor)
  const line = `${'x'.repeat(999)}\n`
  for (let at = 0; at < 5_000; at++) stream.write(line)
  expect(stream.lost).toBeGreaterThan(3_000)
  await stream.flush(1)
  // What was kept comes out as soon as somebody reads.
  const reader = spawn('cat', [path])
  let readBytes = 0
  reader.stdout.on('data', (chunk) => {
    readBytes += chunk.length
  })
  await stream.flush(20_000)
  await until(() => readBytes === (5_000 - stream.lost) * line.length, 'all that was kept')
  reader.kill()
  closeSync(descriptor)
  rmSync(folder, { recursive: true })
})

test('where nobody can read any more, lines are given up', async () => {
  const stream = new LineStream(999_999)
  stream.write('one\n')
  await stream.flush()
  stream.write('two\n')
  expect(stream.lost).toBe(1)
})
