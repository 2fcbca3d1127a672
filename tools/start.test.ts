import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './programs.ts'

const start = (...args: string[]) =>
  spawn(process.execPath, ['--import', 'tsx', join('tools', 'start.ts'), ...args], { cwd: root })

/** Reads what a program prints until it matches; gives the match. */
async function readUntil(stream: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  let text = ''
  for await (const bytes of stream) {
    text += bytes
    if (pattern.test(text)) return text
  }
  throw new Error(`It ended without ${pattern}: ${text}`)
}

test('npm start serves the page until it is told to end, beside whoever has its port', async () => {
  const other = createServer().listen(7_777, '127.0.0.1')
  // Taken by somebody else here is as good.
  await Promise.race([once(other, 'listening'), once(other, 'error')])
  const child = start()
  try {
    const text = await readUntil(child.stdout, /Ctrl-C ends it/)
    expect(text).toMatch(/Port 7777 is taken: trying 7787/)
    const [address = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? []
    expect(address).not.toContain('7777')
    const page = await (await fetch(address)).text()
    expect(page).toContain('<canvas')
    for (const [, file] of page.matchAll(/(?:src|href)="(\w+\.\w+)"/g)) {
      expect((await fetch(`${address}/${file}`)).status).toBe(200)
    }
    child.kill('SIGINT')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  } finally {
    child.kill('SIGKILL')
    other.close()
  }
})

test('npm start takes the port that it is told, and says when it cannot', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const child = start('--port', String(port))
  const text = await readUntil(child.stderr, /\n/)
  expect(text).toContain(String(port))
  expect((await once(child, 'exit'))[0]).toBe(1)
  other.close()
})

test.each([
  [['--help'], 0, /--port.*--lan.*--headless/s],
  [['--port', 'seven'], 1, /it must be a number from 0 to 65535/],
  [['--colour'], 1, /--help/],
])('npm start %j ends with %i and a word about it', async (args, code, pattern) => {
  const child = start(...args)
  const text = await readUntil(code === 0 ? child.stdout : child.stderr, pattern)
  expect(text).toMatch(pattern)
  if (child.exitCode === null) await once(child, 'exit')
  expect(child.exitCode).toBe(code)
})
