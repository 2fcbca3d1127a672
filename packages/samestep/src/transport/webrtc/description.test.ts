import { describe, expect, test } from 'vitest'
import { WireError } from '../../base/errors.ts'
import {
  checkCandidate,
  checkDescription,
  checkMid,
  fingerprintOf,
  isPlainAddress,
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
    const checked = checkDescription(sdp)
    expect(checked.fingerprint).toBe(fingerprint)
    expect(checkDescription(sdp.replaceAll('\r\n', '\n'))).toEqual(checked)
    // What matters of it is still there, and what was written anew is taken again as it is.
    for (const name of ['ice-ufrag', 'ice-pwd', 'setup', 'mid', 'sctp-port', 'max-message-size']) {
      const [line] = sdp.match(new RegExp(`a=${name}:.*`)) ?? []
      expect(checked.sdp.split('\r\n')).toContain(line)
    }
    expect(checkDescription(checked.sdp)).toEqual(checked)
  })

  test('a fingerprint has one form, however it was written', () => {
    const small = chromiumOffer.replace(
      /sha-256 [^\r]*/,
      fingerprint.replace(/[A-F]/g, (c) => c.toLowerCase()),
    )
    expect(fingerprintOf(small)).toBe(fingerprint)
  })

  const withMid = (mid: string): string => chromiumOffer.replace('a=mid:0', `a=mid:${mid}`)
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
    ['a section name of 33 characters', withMid('m'.repeat(33))],
    ['a section name of 4 000 characters', withMid('m'.repeat(4_000))],
    ['no section name', withMid('')],
    ['a section name with a blank', withMid('a b')],
    ['a section name with a bracket', withMid('a<b')],
    ['a short ICE name', chromiumOffer.replace('x8Lk', 'x8L')],
    ['an ICE name of 257 characters', chromiumOffer.replace('x8Lk', 'x'.repeat(257))],
    ['an ICE name with a colon', chromiumOffer.replace('x8Lk', 'x8:k')],
    ['a short ICE password', chromiumOffer.replace(/a=ice-pwd:\w+/, 'a=ice-pwd:short')],
    ['a role that is none', chromiumOffer.replace('actpass', 'holdconn')],
    ['a port that is none', chromiumOffer.replace('sctp-port:5000', 'sctp-port:500000')],
    ['two ports', line('a=sctp-port:5001')],
    ['a section that is turned off', chromiumOffer.replace('m=application 9', 'm=application 0')],
  ])('%s is refused', (_what, sdp) => {
    expect(() => checkDescription(sdp)).toThrow(WireError)
  })

  test.each([
    ['an attribute that nobody knows', `a=x-${'y'.repeat(6_000)}:1`],
    ['candidates, which have messages of their own', 'a=candidate:1 1 udp 1 10.0.0.1 1 typ host'],
    ['the end of candidates', 'a=end-of-candidates'],
    ['a group', 'a=group:BUNDLE elsewhere'],
    ['a line for people', 'i=a description of many words'],
    ['another origin', 'o=evil 1 1 IN IP4 10.0.0.1'],
  ])('%s does not get through', (_what, text) => {
    expect(checkDescription(line(text))).toEqual(checkDescription(chromiumOffer))
  })

  test('a section name of 32 characters, of any that a name may have, is fine', () => {
    const name = "!#$%&'*+-.09AZ^_`az{|}~".padEnd(32, 'x')
    // A function, since $& means something in the text of a replacement.
    const sdp = chromiumOffer.replace('a=mid:0', () => `a=mid:${name}`)
    expect(checkDescription(sdp).sdp).toContain(`a=mid:${name}\r\n`)
    expect(() => checkMid(name)).not.toThrow()
    expect(() => checkMid(`${name}x`)).toThrow(WireError)
  })

  test('a description without the two values that may be left out means their defaults', () => {
    const sdp = chromiumOffer.replace(/a=(?:sctp-port|max-message-size):\d+\r\n/g, '')
    expect(checkDescription(sdp).sdp).toMatch(/a=sctp-port:5000\r\na=max-message-size:65536\r\n$/)
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
