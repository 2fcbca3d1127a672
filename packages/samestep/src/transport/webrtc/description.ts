/**
 * Checks of what strangers send during signalling, before any of it reaches the parser of a browser
 * or of a native library.
 *
 * A description is not passed on as it came. The values that a connection of two data channels needs
 * are read, each is checked, and the text is written anew from them:
 *
 *     stranger's text ──► values, checked ──► our text ──► library
 *
 * The library copies what it does not know from an offer into its answer, and the names that it does
 * know into its candidates. So nothing of a stranger's may reach it that we would not say ourselves.
 */
import { WireError } from '../../base/errors.ts'
import { candidateBytesMax, descriptionBytesMax, iceTextMax, midBytesMax } from './limits.ts'

/** What is left of a description that was checked. */
export interface CheckedDescription {
  /** Written anew, without candidates: those have messages of their own, which are counted. */
  readonly sdp: string
  /** `sha-256 AB:CD:…`: which certificate the other side will show. DTLS holds it to that. */
  readonly fingerprint: string
}

const lines = /\r?\n/
const fingerprintLine = /^a=fingerprint:(sha-256 (?:[0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2})$/
const mediaLine = /^m=application [1-9]\d{0,4} ((?:UDP|TCP)\/DTLS\/SCTP) webrtc-datachannel$/

/** The characters of a name in SDP: visible ASCII without quotes, brackets and separators. */
const token = "[!#-'*+\\-.0-9A-Z^-~]"

/** The attributes that count, and what each may be (RFC 8839, 8842, 8841; the grammar of RFC 4566). */
const forms = {
  'ice-ufrag': new RegExp(`^[A-Za-z0-9+/]{4,${iceTextMax}}$`),
  'ice-pwd': new RegExp(`^[A-Za-z0-9+/]{22,${iceTextMax}}$`),
  setup: /^(?:actpass|active|passive)$/,
  mid: new RegExp(`^${token}{1,${midBytesMax}}$`),
  'sctp-port': /^[1-9]\d{0,4}$/,
  'max-message-size': /^\d{1,10}$/,
} as const

/**
 * Takes a description apart and writes it anew. There must be exactly one section, of data channels,
 * and exactly one fingerprint: with two, a signature over one would say nothing about the one that is
 * used (T-102).
 *
 * @throws WireError for anything else.
 */
export function checkDescription(sdp: string): CheckedDescription {
  if (sdp.length > descriptionBytesMax) fail('SS_WIRE_TOO_LARGE', `${sdp.length} characters`)
  if (!/^[\x20-\x7e\r\n]*$/.test(sdp)) fail('SS_WIRE_OUT_OF_RANGE', 'characters that no SDP has')
  const all = sdp.split(lines)
  if (all[0] !== 'v=0') fail('SS_WIRE_BAD_MAGIC', 'another beginning than v=0')
  const media = all.filter((line) => line.startsWith('m='))
  const protocol = mediaLine.exec(media[0] ?? '')?.[1]
  if (media.length !== 1 || protocol === undefined) {
    return fail('SS_WIRE_OUT_OF_RANGE', 'something else than one section of data channels')
  }
  const fingerprints = all.filter((line) => line.startsWith('a=fingerprint:')).length
  if (fingerprints !== 1) fail('SS_WIRE_OUT_OF_RANGE', `${fingerprints} fingerprints, not one`)
  const fingerprint = fingerprintOf(sdp)
  const mid = readValue(all, 'mid')
  const written = [
    'v=0',
    'o=- 1 1 IN IP4 127.0.0.1',
    's=-',
    't=0 0',
    `a=group:BUNDLE ${mid}`,
    `m=application 9 ${protocol} webrtc-datachannel`,
    'c=IN IP4 0.0.0.0',
    `a=ice-ufrag:${readValue(all, 'ice-ufrag')}`,
    `a=ice-pwd:${readValue(all, 'ice-pwd')}`,
    'a=ice-options:trickle',
    `a=fingerprint:${fingerprint}`,
    `a=setup:${readValue(all, 'setup')}`,
    `a=mid:${mid}`,
    // What these two mean when they are left out is fixed by RFC 8841.
    `a=sctp-port:${readValue(all, 'sctp-port', '5000')}`,
    `a=max-message-size:${readValue(all, 'max-message-size', '65536')}`,
    '',
  ]
  return { sdp: written.join('\r\n'), fingerprint }
}

/** The value of an attribute that stands there once; `missing` where it may be left out. */
function readValue(all: readonly string[], name: keyof typeof forms, missing?: string): string {
  const start = `a=${name}:`
  const found = all.filter((line) => line.startsWith(start))
  if (found.length === 0 && missing !== undefined) return missing
  if (found.length !== 1) fail('SS_WIRE_OUT_OF_RANGE', `${found.length} lines of ${name}, not one`)
  const value = found[0]!.slice(start.length)
  if (!forms[name].test(value)) fail('SS_WIRE_OUT_OF_RANGE', `a bad ${name}`)
  return value
}

/** The fingerprint in a description. The digits in capitals, as a signature needs one form. */
export function fingerprintOf(sdp: string): string {
  for (const line of sdp.split(lines)) {
    const found = fingerprintLine.exec(line)?.[1]
    if (found !== undefined) return `sha-256 ${found.slice(8).toUpperCase()}`
  }
  return fail('SS_WIRE_OUT_OF_RANGE', 'no fingerprint of SHA-256')
}

/**
 * Checks the name of a section that a candidate is for.
 *
 * @throws WireError for one that no description may have.
 */
export function checkMid(mid: string): void {
  if (!forms.mid.test(mid)) fail('SS_WIRE_OUT_OF_RANGE', 'a bad mid')
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
