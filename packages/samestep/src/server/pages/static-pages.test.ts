import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RelayServer } from '../relay-server.ts'
import { startRelay } from '../start-relay.ts'
import { pathOf, StaticPages } from './static-pages.ts'

describe('pages', () => {
  let folder = ''
  let relay: RelayServer

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
    const pages = join(folder, 'pages')
    mkdirSync(join(pages, 'sub'), { recursive: true })
    mkdirSync(join(pages, '.git'))
    mkdirSync(join(folder, 'pages-secret'))
    writeFileSync(join(folder, 'secret.txt'), 'secret')
    writeFileSync(join(folder, 'pages-secret', 'a.txt'), 'secret')
    writeFileSync(join(pages, '.git', 'config'), 'secret')
    writeFileSync(join(pages, '.env'), 'secret')
    writeFileSync(join(pages, 'index.html'), '<h1>game</h1>')
    writeFileSync(join(pages, 'empty.txt'), '')
    writeFileSync(join(pages, 'été 1.txt'), 'summer')
    writeFileSync(join(pages, 'sub', 'index.html'), '<h1>sub</h1>')
    writeFileSync(join(pages, 'game-B4kD3x9Q.js'), 'let a')
    writeFileSync(join(pages, 'kernel.wasm'), 'wasm')
    symlinkSync(join(folder, 'secret.txt'), join(pages, 'link.txt'))
    symlinkSync(folder, join(pages, 'out'))
    symlinkSync(join(pages, 'index.html'), join(pages, 'inside.html'))
    relay = await startRelay({ port: 0, udp: false, webrtc: false, log: false, pages })
  })

  afterAll(async () => {
    await relay.close()
    rmSync(folder, { recursive: true })
  })

  const get = (path: string, init: RequestInit = {}) =>
    fetch(`${relay.urls.http}${path}`, { redirect: 'manual', ...init })

  /** Asks with exactly these bytes: what fetch would tidy up first. */
  const ask = (path: string, method = 'GET') =>
    new Promise<string>((resolve) => {
      const socket = connect(relay.port, '127.0.0.1')
      let answer = ''
      socket.on('data', (chunk) => {
        answer += chunk
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', () => {})
      socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
    })

  test.each([
    ['/', 'text/html; charset=utf-8', 'no-cache', '<h1>game</h1>'],
    ['/?x=1', 'text/html; charset=utf-8', 'no-cache', '<h1>game</h1>'],
    ['/sub/', 'text/html; charset=utf-8', 'no-cache', '<h1>sub</h1>'],
    ['/inside.html', 'text/html; charset=utf-8', 'no-cache', '<h1>game</h1>'],
    ['/empty.txt', 'text/plain; charset=utf-8', 'no-cache', ''],
    ['/%C3%A9t%C3%A9%201.txt', 'text/plain; charset=utf-8', 'no-cache', 'summer'],
    ['/kernel.wasm', 'application/wasm', 'no-cache', 'wasm'],
    [
      '/game-B4kD3x9Q.js',
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
      'let a',
    ],
  ])('%s is %s, %s', async (path, type, cache, body) => {
    const answer = await get(path)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe(type)
    expect(answer.headers.get('cache-control')).toBe(cache)
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await answer.text()).toBe(body)
  })

  test.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/sub/../../secret.txt',
    '/sub/..%2f..%2fsecret.txt',
    '/..\\secret.txt',
    '/..%5csecret.txt',
    '/%252e%252e/secret.txt',
    '/../pages-secret/a.txt',
    '//etc/passwd',
    '/%2fetc/passwd',
    '/%00',
    '/index.html%00.txt',
    '/.env',
    '/.git/config',
    '/sub/./index.html',
    '/link.txt',
    '/out/secret.txt',
    '/%',
    '/C:/windows',
    'http://other/secret.txt',
    '*',
  ])('%s leads nowhere', async (path) => {
    const answer = await ask(path)
    expect(answer).toMatch(/^HTTP\/1\.1 40[04] /)
    expect(answer).not.toContain('secret\r\n')
    expect(answer.split('\r\n\r\n')[1] ?? '').not.toContain('secret')
  })

  test('a page that did not change is not sent again', async () => {
    const etag = (await get('/')).headers.get('etag')!
    const again = await get('/', { headers: { 'If-None-Match': `"x", ${etag}` } })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    expect((await get('/', { headers: { 'If-None-Match': '"x"' } })).status).toBe(200)
  })

  test('HEAD says how long it would be; other methods are not taken', async () => {
    const head = await ask('/', 'HEAD')
    expect(head).toContain('Content-Length: 13')
    expect(head).not.toContain('game')
    expect(await ask('/', 'POST')).toMatch(/^HTTP\/1\.1 405 .*Allow: GET, HEAD/s)
  })

  test('a folder without its slash leads to the one with it', async () => {
    const answer = await get('/sub')
    expect(answer.status).toBe(301)
    expect(answer.headers.get('location')).toBe('/sub/')
  })

  test('health goes before pages', async () => {
    expect(await (await get('/health')).json()).toMatchObject({ status: 'ok' })
  })
})

test('a folder that is none is refused', async () => {
  await expect(StaticPages.open('/nowhere/at/all')).rejects.toThrow('it must be a folder')
  await expect(StaticPages.open(import.meta.filename)).rejects.toThrow('it must be a folder')
})

test('a path is decoded once', () => {
  expect(pathOf('/a%20b?c')).toBe('/a b')
  expect(pathOf('/a%2520b')).toBe('/a%20b')
  expect(pathOf('relative')).toBeUndefined()
})
