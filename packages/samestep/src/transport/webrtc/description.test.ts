import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import {
  checkCandidate,
  checkDescription,
  fingerprintOf,
  isPlainAddress,
  withoutCandidates,
} from './description.ts'
import { chromiumOffer, firefoxOffer, nativeAnswer } from './testing/descriptions.ts'

const digits = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0'))
const fingerprint = `sha-256 ${digits.join(':').toUpperCase()}`

describe('descriptions', () => {
  test.each([
    ['Chromium', chromiumOffer],
    ['Firefox', firefoxOffer],
    ['the native library', nativeAnswer],
  ])('one of %s is taken, with its fingerprint', (_who, sdp) => {
    expect(checkDescription(sdp)).toEqual({ sdp, fingerprint })
    expect(checkDescription(sdp.replaceAll('\r\n', '\n')).fingerprint).toBe(fingerprint)
  })

  test('a fingerprint has one form, however it was written', () => {
    const small = chromiumOffer.replace(
      /sha-256 [^\r]*/,
      fingerprint.replace(/[A-F]/g, (c) => c.toLowerCase()),
    )
    expect(fingerprintOf(small)).toBe(fingerprint)
  })

  const line = (text: string): string => `${chromiumOffer}${text}\r\n`
  test.each([
    ['nothing', ''],
    ['no SDP', 'hello'],
    [
      'a second fingerprint, so that a signature says nothing',
      line(`a=fingerprint:${fingerprint}`),
    ],
    ['a weaker fingerprint', chromiumOffer.replace('sha-256', 'sha-1')],
    ['a second section', line('m=audio 9 UDP/TLS/RTP/SAVPF 111')],
    ['media instead of data', chromiumOffer.replace('m=application', 'm=video')],
    ['no ICE password', chromiumOffer.replace(/a=ice-pwd:[^\r]*\r\n/, '')],
    ['two ICE names', line('a=ice-ufrag:abcd')],
    ['a byte that no SDP has', line('a=x:\0')],
    ['letters beyond ASCII', line('a=x:ä')],
    ['more than fits', line(`a=x:${'x'.repeat(9_000)}`)],
  ])('%s is refused', (_what, sdp) => {
    expect(() => checkDescription(sdp)).toThrow(WireError)
  })

  test('candidates in it can be left out', () => {
    const sdp = line('a=candidate:1 1 udp 1 10.0.0.1 1 typ host').concat('a=end-of-candidates\r\n')
    expect(withoutCandidates(sdp)).toBe(chromiumOffer)
  })
})

describe('candidates', () => {
  test.each([
    ['candidate:1 1 UDP 2114977791 127.0.0.1 48638 typ host', '127.0.0.1', 'host'],
    [
      'candidate:842163049 1 udp 1677729535 203.0.113.7 54609 typ srflx raddr 0.0.0.0 rport 0 generation 0 ufrag x8Lk network-cost 999',
      '203.0.113.7',
      'srflx',
    ],
    ['candidate:a+/B 2 tcp 1 2001:db8::1 9 typ relay tcptype active', '2001:db8::1', 'relay'],
    [
      'candidate:1 1 udp 2113937151 0b1f3b1c-2f8d-4f0e-8a39-9d2f0c9a7e11.local 50000 typ host',
      '0b1f3b1c-2f8d-4f0e-8a39-9d2f0c9a7e11.local',
      'host',
    ],
  ])('%s is taken', (text, address, type) => {
    expect(checkCandidate(text)).toEqual({ candidate: text, address, type })
  })

  test.each([
    ['nothing', ''],
    ['a name that would be looked up', 'candidate:1 1 udp 1 internal.example.org 80 typ host'],
    ['a short hidden name', 'candidate:1 1 udp 1 printer.local 80 typ host'],
    ['a line break', 'candidate:1 1 udp 1 10.0.0.1 80 typ host\r\na=evil'],
    ['another type', 'candidate:1 1 udp 1 10.0.0.1 80 typ evil'],
    ['too many digits', 'candidate:1 1 udp 11111111111 10.0.0.1 80 typ host'],
    ['too long', `candidate:1 1 udp 1 10.0.0.1 80 typ host ${'x'.repeat(600)}`],
  ])('%s is refused', (_what, text) => {
    expect(() => checkCandidate(text)).toThrow(WireError)
  })

  test('hidden addresses are no plain ones', () => {
    expect(isPlainAddress('10.0.0.1')).toBe(true)
    expect(isPlainAddress('fe80::1')).toBe(true)
    expect(isPlainAddress('0b1f3b1c-2f8d-4f0e-8a39-9d2f0c9a7e11.local')).toBe(false)
    expect(isPlainAddress('cafe')).toBe(false)
  })
})
