/**
 * Checks of what strangers send during signalling, before any of it reaches the parser of a browser
 * or of a native library. Only what a connection of two data channels needs gets through.
 */
import { WireError } from '../../base/errors.ts'
import { candidateBytesMax, descriptionBytesMax } from './limits.ts'

/** What is left of a description that was checked. */
export interface CheckedDescription {
  readonly sdp: string
  /** `sha-256 AB:CD:…`: which certificate the other side will show. DTLS holds it to that. */
  readonly fingerprint: string
}

const lines = /\r?\n/
const fingerprintLine = /^a=fingerprint:(sha-256 (?:[0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2})$/

/**
 * Takes a description apart as far as it matters. There must be exactly one section, of data
 * channels, and exactly one fingerprint: with two, a signature over one would say nothing about the
 * one that is used (T-102).
 *
 * @throws WireError for anything else.
 */
export function checkDescription(sdp: string): CheckedDescription {
  if (sdp.length > descriptionBytesMax) fail('SS_WIRE_TOO_LARGE', `${sdp.length} characters`)
  if (!/^[\x20-\x7e\r\n]*$/.test(sdp)) fail('SS_WIRE_OUT_OF_RANGE', 'characters that no SDP has')
  const all = sdp.split(lines)
  if (all[0] !== 'v=0') fail('SS_WIRE_BAD_MAGIC', 'another beginning than v=0')
  const media = all.filter((line) => line.startsWith('m='))
  const isData = /^m=application \d{1,5} (?:UDP|TCP)\/DTLS\/SCTP webrtc-datachannel$/.test(
    media[0] ?? '',
  )
  if (media.length !== 1 || !isData) {
    fail('SS_WIRE_OUT_OF_RANGE', 'something else than one section of data channels')
  }
  for (const name of ['ice-ufrag', 'ice-pwd', 'fingerprint', 'setup', 'mid'] as const) {
    const count = all.filter((line) => line.startsWith(`a=${name}:`)).length
    if (count !== 1) fail('SS_WIRE_OUT_OF_RANGE', `${count} lines of ${name} instead of one`)
  }
  return { sdp, fingerprint: fingerprintOf(sdp) }
}

/** The fingerprint in a description. The digits in capitals, as a signature needs one form. */
export function fingerprintOf(sdp: string): string {
  for (const line of sdp.split(lines)) {
    const found = fingerprintLine.exec(line)?.[1]
    if (found !== undefined) return `sha-256 ${found.slice(8).toUpperCase()}`
  }
  return fail('SS_WIRE_OUT_OF_RANGE', 'no fingerprint of SHA-256')
}

/** A description without the candidates in it. */
export function withoutCandidates(sdp: string): string {
  return sdp
    .split(lines)
    .filter((line) => !/^a=(?:candidate:|end-of-candidates)/.test(line))
    .join('\r\n')
}

/** An address to try, as it stands in a candidate. */
export interface CheckedCandidate {
  readonly candidate: string
  readonly address: string
  readonly type: 'host' | 'srflx' | 'prflx' | 'relay'
}

const candidateForm =
  /^candidate:[\w+/]{1,32} [12] (?:udp|tcp) \d{1,10} (\S{1,255}) \d{1,5} typ (host|srflx|prflx|relay)(?: [\x20-\x7e]*)?$/i

/** An IPv4 or IPv6 address, loosely: nothing here is a name that somebody would look up. */
const addressForm = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]*)$/i

/** How browsers hide their own addresses. Only other browsers of the same network can resolve it. */
const hiddenForm = /^[\da-f-]{36}\.local$/i

/**
 * Checks a candidate. `address` is an address or a hidden one, never a name of DNS: a stranger must
 * not decide what this machine looks up.
 *
 * @throws WireError for anything else.
 */
export function checkCandidate(text: string): CheckedCandidate {
  if (text.length > candidateBytesMax) fail('SS_WIRE_TOO_LARGE', `${text.length} characters`)
  const [, address, type] = candidateForm.exec(text) ?? []
  if (address === undefined || !(addressForm.test(address) || hiddenForm.test(address))) {
    return fail('SS_WIRE_OUT_OF_RANGE', 'no candidate with an address')
  }
  return { candidate: text, address, type: type!.toLowerCase() as CheckedCandidate['type'] }
}

/** Whether the address of a candidate can be used without looking anything up. */
export function isPlainAddress(address: string): boolean {
  return addressForm.test(address)
}

function fail(code: WireError['code'], what: string): never {
  throw new WireError(code, 0, `Cannot take a description or candidate: it has ${what}`)
}
