import { assert } from '../../base/assert.ts'
import { datagramBytesMax, strangersMax } from '../../wire/limits.ts'
import { reasonBytesMax } from '../closing.ts'
import { strangersPerBlockMax } from '../node/websocket-limits.ts'

/** Every maximum and every time of the UDP transport, with its reason; relations are asserted below. */

/** Spoken before anything is agreed: a datagram of another version is dropped without an answer. */
export const udpVersion = 1

/**
 * Bytes of one UDP payload. IPv6 carries 1 280 everywhere, less 40 for its own head and 8 for UDP's;
 * IPv4 behind a translator (464XLAT) on such a path has exactly the same room. The largest packet of
 * the link machine and all that encryption adds fit, so every limit of the protocol stays the same
 * on every transport.
 */
export const udpPayloadBytesMax = 1_232

/**
 * Bytes of a hello. As large as anything that follows, for two reasons: whatever a forged hello makes
 * us send to its victim is smaller (T-02), and a path that is too narrow is found out at once.
 */
export const helloBytes = udpPayloadBytesMax

/** Bytes of an X25519 key, public or private, of a symmetric key, and of a SHA-256. */
export const keyBytes = 32

/** Bytes that authenticate what was encrypted. */
export const tagBytes = 16

/** Bytes of a session's number in packets to the server. Clients have one socket per session. */
export const sessionIdBytes = 4

/** Bytes of a sequence number, at most: up to 2⁵³−1, which JavaScript still counts exactly. */
export const sequenceBytesMax = 7

/** Bytes in front of what is encrypted, at most: kind, session, sequence. */
export const headBytesMax = 1 + sessionIdBytes + sequenceBytesMax

/** Bytes of a cookie: epoch of the secret, time, and half of an HMAC-SHA256. */
export const cookieBytes = 1 + 4 + 16

/** How long a cookie is good for: several round trips of a bad path, no stock for an attack (T-03). */
export const cookieLifeMs = 4_000

/** How long a secret makes cookies. The one before it still checks them. */
export const secretLifeMs = 120_000

/** Bytes of the beginning of a client's ephemeral key that answers repeat, so that nobody else's pass. */
export const echoBytes = 8

/** Bytes of a connect ticket, at most. Fits the first message of a handshake many times over. */
export const ticketBytesMax = 256

/** Bytes of what proves that a relay has forgotten a session. Shorter than any packet with them. */
export const resetTokenBytes = 16

/** How far the clock of whoever issues tickets may be off (T-14). */
export const ticketSkewMs = 60_000

/** Used tickets that are remembered until they expire. More are refused, not forgotten (T-14). */
export const ticketsMax = 65_536

/**
 * Hellos that are answered within 100 ms. Of one address: three hundred players behind one router who
 * start in the same second. In all: twenty thousand per second, a fifth of a core.
 */
export const helloBudget = { perAddress: 32, total: 2_000 } as const

/** The same for packets of sessions that are not known. After a restart, sixteen thousand in 8 s. */
export const resetBudget = { perAddress: 32, total: 200 } as const

/** Bytes of datagrams that the kernel keeps while this process does something else, if it allows. */
export const receiveBufferBytes = 4_194_304

/**
 * Handshakes that are computed in one second. Of one address: a class of players behind one router is
 * in after a second. In all: some thousand players are back ten seconds after a restart. Half of that is
 * only for addresses that want one or two, so that eight busy ones never keep the others out.
 */
export const handshakeBudget = {
  windowMs: 1_000,
  perAddress: 32,
  total: 256,
  reserved: 128,
  few: 2,
} as const

/**
 * Messages of known handshakes that are answered or computed within 100 ms: INITs that are said again,
 * and FINISHes. Of one address: as many as it has strangers, each of which repeats itself after 250 ms
 * or later. An INIT of XX is answered with 2.3 times its bytes, so this bounds what comes of it.
 */
export const repeatBudget = { perAddress: strangersPerBlockMax, total: 1_000 } as const

/** How long a handshake may take, on both sides. */
export const handshakeMs = 5_000

/** Sessions of one server: far more than one core can serve. */
export const sessionsMax = 16_384

/** Waiting for an answer of a handshake: at first, and at most after doubling. */
export const retryMsMin = 250
export const retryMsMax = 1_000

/** Age at which a client asks for another cookie instead of sending one that will expire. */
export const cookieRenewMs = 3_000

/** How long one key encrypts, as in WireGuard, and how many packets. Nobody ever gets to the latter. */
export const rekeyMs = 120_000
export const rekeyPackets = 2 ** 20

/** Packets of one key that nobody confirms. Then a session ends: no number is ever used twice. */
export const phasePacketsMax = 2 ** 32 - 1

/** Silence after which a session ends. Longer than the link machine waits, which knows better. */
export const silenceMsDefault = 90_000

/** New paths that a session tries in one second (T-09). */
export const rebindsPerSecondMax = 2

/** How long a new path has for the answer to its challenge, and when it is asked again. */
export const pathLifeMs = 5_000
export const pathRetryMs = 250

/** Bytes of a path challenge. */
export const pathChallengeBytes = 8

/** When a goodbye is said again, from the first one, and when its session is forgotten. */
export const goodbyeRepeatMs = [100, 300] as const
export const goodbyeLifeMs = 1_000

/** Bytes of the longest control frame: a goodbye with its kind, code and reason. */
export const frameBytesMax = 1 + 2 + reasonBytesMax

/** Bytes that wait in the socket of this process. What comes on top is lost, as in a router. */
export const socketQueueBytesMax = 4_194_304

/**
 * Errors of receiving in one second after which a socket counts as broken: libuv would report the same
 * one again and again without end (F-23). Errors of sending never count, they cost one datagram each.
 */
export const receiveErrorsPerSecondMax = 100

/**
 * Pause before a broken port is opened again: short at first, because players notice after 200 ms, then
 * doubled, so that a port that stays broken costs nothing. The longest is far below the silence that
 * sessions survive, so a relay whose network comes back within a minute keeps its players. There is no
 * last try: a port that is given up would need somebody to restart the relay.
 */
export const reopenMsMin = 100
export const reopenMsMax = 5_000

/** How often errors of sending are told, with their number: a dead network makes thousands a second. */
export const sendTroubleMs = 10_000

assert(
  datagramBytesMax + headBytesMax + tagBytes <= udpPayloadBytesMax,
  'The largest packet of the link machine fits one datagram',
)
assert(cookieRenewMs < cookieLifeMs, 'A cookie is renewed before it expires')
assert(frameBytesMax <= datagramBytesMax, 'A control frame fits a packet')
assert(secretLifeMs > cookieLifeMs, 'A cookie never outlives the secret after its own')
assert(
  handshakeBudget.few * 2 <= handshakeBudget.perAddress,
  'Asking for little is less than a share',
)
assert(
  handshakeBudget.perAddress <= handshakeBudget.total - handshakeBudget.reserved,
  'One address alone does not reach into what is reserved',
)
assert(
  strangersPerBlockMax < strangersMax && strangersPerBlockMax <= handshakeBudget.perAddress,
  'One address alone does not take all places, and may take its own within a second',
)
assert(4 * reopenMsMax < silenceMsDefault, 'Sessions survive several tries to open a port again')
