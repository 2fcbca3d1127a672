import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { until } from '../../transport/testing/recorder.ts'
import { dialUdp } from '../../transport/udp/index.ts'
import type { RelayServerOptions } from '../relay-server.ts'
import { startRelay } from '../start-relay.ts'
import { TestPlayer } from '../testing/player.ts'
import { loadUdpKey, parseUdpKey } from './udp-key.ts'

let folder = ''
let path = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'samestep-test-'))
  path = join(folder, 'udp.key')
})
afterEach(() => rmSync(folder, { recursive: true }))

const sample = Buffer.alloc(32, 7).toString('base64url')

describe('the file of a key', () => {
  test('is made when it is missing, for its owner alone, and read ever after', () => {
    const made = loadUdpKey(path)
    expect(made.isNew).toBe(true)
    expect(made.secretKey.length).toBe(32)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readFileSync(path, 'latin1')).toBe(
      `${Buffer.from(made.secretKey).toString('base64url')}\n`,
    )
    expect(loadUdpKey(path)).toEqual({ secretKey: made.secretKey, isNew: false })
    // Nothing half made is left beside it.
    expect(readdirSync(folder)).toEqual(['udp.key'])
  })

  test('is another one in every place', () => {
    expect(loadUdpKey(path).secretKey).not.toEqual(loadUdpKey(`${path}2`).secretKey)
  })

  test.each([`${sample}`, `${sample}\n`, `${sample}\r\n`])('may be written by hand: %j', (text) => {
    writeFileSync(path, text, { mode: 0o600 })
    expect(loadUdpKey(path)).toEqual({ secretKey: new Uint8Array(32).fill(7), isNew: false })
  })

  test.each([
    ['nothing', ''],
    ['a short one', sample.slice(1)],
    ['a long one', `${sample}A`],
    ['two lines', `${sample}\n${sample}\n`],
    ['a letter of no key', sample.replace('B', '+')],
    ['bits that no key has', `${sample.slice(0, -1)}d`],
    ['a large file', sample.repeat(1_000)],
  ])('with %s is refused, and what stands in it is not told', (_, text) => {
    writeFileSync(path, text, { mode: 0o600 })
    const message = `Cannot use the UDP key file ${path}: it has no key; it must have 43 characters of base64url in one line; let the relay make one in a file that does not exist yet`
    expect(() => loadUdpKey(path)).toThrow(
      expect.objectContaining({ code: 'SS_BAD_ARGUMENT', message }),
    )
    expect(readFileSync(path, 'latin1')).toBe(text)
  })

  test.each([0o644, 0o640, 0o604, 0o620, 0o601])(
    'that others may use is refused: mode %i',
    (mode) => {
      writeFileSync(path, sample)
      chmodSync(path, mode)
      const message = `Cannot use the UDP key file ${path}: others than its owner may use it (its mode is ${mode.toString(8)}); it must be its owner's alone: chmod 600 ${path}`
      expect(() => loadUdpKey(path)).toThrow(message)
      chmodSync(path, 0o400)
      expect(loadUdpKey(path).isNew).toBe(false)
    },
  )

  test('that is a folder, or lies in none, is told to be so', () => {
    mkdirSync(path, { mode: 0o700 })
    expect(() => loadUdpKey(path)).toThrow('it is not a file; it must be a file with a key')
    const nowhere = join(folder, 'nowhere', 'udp.key')
    expect(() => loadUdpKey(nowhere)).toThrow(`Cannot make the UDP key file ${nowhere}: ENOENT`)
    const inside = join(path, 'x')
    writeFileSync(join(folder, 'file'), '')
    expect(() => loadUdpKey(join(folder, 'file', 'x'))).toThrow('it cannot be read (ENOTDIR')
    expect(loadUdpKey(inside).isNew).toBe(true)
  })
})

describe('a path that is no file', () => {
  test('is refused when it is a link that leads nowhere, at every start alike', () => {
    symlinkSync(join(folder, 'nowhere'), path)
    const message = `Cannot use the UDP key file ${path}: it is a link to a file that does not exist`
    expect(() => loadUdpKey(path)).toThrow(message)
    expect(() => loadUdpKey(path)).toThrow(message)
    expect(readdirSync(folder)).toEqual(['udp.key'])
    loadUdpKey(join(folder, 'nowhere'))
    expect(loadUdpKey(path).isNew).toBe(false)
  })

  test('is refused when it is a FIFO, without waiting for somebody to write', () => {
    execFileSync('mkfifo', ['-m', '600', path])
    expect(() => loadUdpKey(path)).toThrow('it is not a file; it must be a file with a key')
  })

  test('is refused when it is a key itself, without a file of that name', () => {
    const other = Buffer.alloc(32, 9).toString('base64url')
    const message = `Cannot use the UDP key file: the value is not a path but looks like a key; pass the path of a file, or the key as udp.secretKey (SAMESTEP_UDP_KEY)`
    expect(() => loadUdpKey(other)).toThrow(message)
    expect(existsSync(other)).toBe(false)
  })
})

test('a key is spelled in one way', () => {
  expect(parseUdpKey(sample)).toEqual(new Uint8Array(32).fill(7))
  for (const text of ['', 'A', `${sample}=`, ` ${sample}`, `${sample.slice(0, -1)}d`]) {
    expect(parseUdpKey(text)).toBeUndefined()
  }
})

describe('a relay', () => {
  const start = (udp: RelayServerOptions['udp'], port = 0) =>
    startRelay({ port, webrtc: false, log: false, ...(udp === undefined ? {} : { udp }) })

  test('is the same one after a restart, for players that hold its address', async () => {
    const first = await start({ secretKeyFile: path })
    expect(first.notices).toEqual([`Made a UDP key in ${path}: keep it, and keep it secret`])
    const player = new TestPlayer(first.url, { match: 'm', dial: dialUdp(first.urls.udp!) })
    await until(() => player.ticks > 3, 'ticks')
    await first.close()
    const second = await start({ secretKeyFile: path }, first.port)
    expect(second.urls.udp).toBe(first.urls.udp)
    expect(second.notices).toEqual([])
    const again = new TestPlayer(second.url, { match: 'm', dial: dialUdp(first.urls.udp!) })
    await until(() => again.ticks > 3, 'ticks by the address of before')
    player.stop()
    again.stop()
    await second.close()
  })

  test('has the key that it is given, and another one at every start without', async () => {
    const urls: (string | undefined)[] = []
    for (const udp of [{ secretKey: sample }, { secretKey: sample }, undefined, undefined]) {
      const relay = await start(udp)
      urls.push(new URL(relay.urls.udp!).hash)
      await relay.close()
    }
    expect(urls[0]).toBe(urls[1])
    expect(new Set(urls).size).toBe(3)
  })

  test('does not start with a key that others may read', async () => {
    writeFileSync(path, sample)
    chmodSync(path, 0o644)
    await expect(start({ secretKeyFile: path })).rejects.toMatchObject({ code: 'SS_BAD_ARGUMENT' })
  })
})
