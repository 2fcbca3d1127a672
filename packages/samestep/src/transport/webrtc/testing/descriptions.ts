/** Descriptions as the implementations write them, with one made-up fingerprint. */

const fingerprint = Array.from({ length: 32 }, (_, index) => index.toString(16).padStart(2, '0'))
  .join(':')
  .toUpperCase()

function lines(...all: readonly string[]): string {
  return `${all.join('\r\n')}\r\n`
}

/** An offer of Chromium: everything in the section. */
export const chromiumOffer = lines(
  'v=0',
  'o=- 4611731400430051336 2 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'a=extmap-allow-mixed',
  'a=msid-semantic: WMS',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=ice-ufrag:x8Lk',
  'a=ice-pwd:asd88fgpdd777uzjYhagZg12',
  'a=ice-options:trickle',
  `a=fingerprint:sha-256 ${fingerprint}`,
  'a=setup:actpass',
  'a=mid:0',
  'a=sctp-port:5000',
  'a=max-message-size:262144',
)

/** An offer of Firefox: the fingerprint stands before the section. */
export const firefoxOffer = lines(
  'v=0',
  'o=mozilla...THIS_IS_SDPARTA-99.0 2835120431 0 IN IP4 0.0.0.0',
  's=-',
  't=0 0',
  'a=sendrecv',
  `a=fingerprint:sha-256 ${fingerprint}`,
  'a=group:BUNDLE 0',
  'a=ice-options:trickle',
  'a=msid-semantic:WMS *',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=sendrecv',
  'a=ice-pwd:asd88fgpdd777uzjYhagZg12asd88fgp',
  'a=ice-ufrag:5c19d8f2',
  'a=mid:0',
  'a=setup:actpass',
  'a=sctp-port:5000',
  'a=max-message-size:1073741823',
)

/** An answer of the native library. */
export const nativeAnswer = lines(
  'v=0',
  'o=rtc 3596034055 0 IN IP4 127.0.0.1',
  's=-',
  't=0 0',
  'a=group:BUNDLE 0',
  'a=msid-semantic:WMS *',
  'a=ice-options:ice2,trickle',
  `a=fingerprint:sha-256 ${fingerprint}`,
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'c=IN IP4 0.0.0.0',
  'a=mid:0',
  'a=sendrecv',
  'a=sctp-port:5000',
  'a=max-message-size:16384',
  'a=setup:active',
  'a=ice-ufrag:ivDP',
  'a=ice-pwd:AyYmsDGQ4MJhrKot839hN+',
)
