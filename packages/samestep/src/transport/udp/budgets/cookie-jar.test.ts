import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { cookieBytes, cookieLifeMs, secretLifeMs } from '../limits.ts'
import { clientAddress, seededBytes } from '../testing/udp-world.ts'
import { CookieJar } from './cookie-jar.ts'

const here = clientAddress(1)

describe('T-03 a cookie is good here, for who got it, and not for long', () => {
  const ephemeral = new Uint8Array(32).fill(5)
  const make = (jar: CookieJar, nowMs: number, from = here, key = ephemeral): Uint8Array => {
    const cookie = new Uint8Array(cookieBytes)
    jar.write(cookie, 0, from, key, nowMs)
    return cookie
  }

  test('another address, port, key, bit, server or time is refused', () => {
    const jar = new CookieJar(seededBytes(1), 500)
    const cookie = make(jar, 1_000)
    expect(jar.isGood(cookie, here, ephemeral, 1_000)).toBe(true)
    expect(jar.isGood(cookie, here, ephemeral, 1_000 + cookieLifeMs)).toBe(true)
    expect(jar.isGood(cookie, here, ephemeral, 1_001 + cookieLifeMs)).toBe(false)
    expect(jar.isGood(cookie, { ...here, port: here.port + 1 }, ephemeral, 1_000)).toBe(false)
    expect(jar.isGood(cookie, { ...here, address: '203.0.113.2' }, ephemeral, 1_000)).toBe(false)
    expect(jar.isGood(cookie, here, new Uint8Array(32), 1_000)).toBe(false)
    expect(new CookieJar(seededBytes(2), 500).isGood(cookie, here, ephemeral, 1_000)).toBe(false)
    for (let bit = 0; bit < cookieBytes * 8; bit++) {
      const damaged = Uint8Array.from(cookie)
      damaged[bit >> 3]! ^= 1 << (bit & 7)
      expect(jar.isGood(damaged, here, ephemeral, 1_000)).toBe(false)
    }
  })

  test('the secret changes every two minutes; the one before still knows its cookies', () => {
    const jar = new CookieJar(seededBytes(1), 0)
    const last = make(jar, secretLifeMs - 1)
    expect(jar.isGood(last, here, ephemeral, secretLifeMs + 1_000)).toBe(true)
    const next = make(jar, secretLifeMs)
    expect(next[0]).not.toBe(last[0])
    expect(jar.isGood(next, here, ephemeral, secretLifeMs)).toBe(true)
    // Ages ago, and the time counts modulo 2³²: the secret is gone even if the age seems right.
    expect(jar.isGood(last, here, ephemeral, 2 ** 32 + secretLifeMs)).toBe(false)
    expect(jar.isGood(last, here, ephemeral, 256 * secretLifeMs)).toBe(false)
  })

  test('it is the HMAC-SHA256 of RFC 2104, cut to 16 bytes', () => {
    const secret = seededBytes(1)(32)
    const jar = new CookieJar(() => secret, 0)
    const cookie = make(jar, 0x01020304 % secretLifeMs)
    const message = Buffer.concat([
      Uint8Array.of(1, cookie[0]!),
      cookie.subarray(1, 5),
      ephemeral,
      Uint8Array.of(here.port & 255, here.port >> 8),
      Buffer.from(here.address, 'latin1'),
    ])
    const mac = createHmac('sha256', secret).update(message).digest().subarray(0, 16)
    expect(Buffer.from(cookie.subarray(5)).equals(mac)).toBe(true)
  })
})
