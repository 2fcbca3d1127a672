import { assert } from '../../base/assert.ts'
import { datagramBytesMax } from '../../wire/limits.ts'

/** Every maximum and every time of WebRTC, with its reason. */

/** Bytes of one signalling message: a description has about 1 KB, and four times that with a crowd. */
export const signallingBytesMax = 16_384

/** Bytes of a description: what is left of a message beside its proof. */
export const descriptionBytesMax = 8_192

/** Bytes of a proof: the largest signature in use (RSA with 8 192 bits) fits. */
export const proofBytesMax = 1_024

/** Bytes of one candidate: a line of about 150 characters, longer with extensions. */
export const candidateBytesMax = 512

/** Bytes of the name of a media section. Browsers write `0` or `data`. */
export const midBytesMax = 32

/**
 * Characters of the name and of the password of ICE: what RFC 8839 allows. Browsers write 4 and 24, and
 * both come back with every check of a way.
 */
export const iceTextMax = 256

/** Candidates that one side may send: a laptop with VPNs has about 20. */
export const candidatesMax = 64

/** Messages that one side may send during signalling: its description, its candidates and the end. */
export const signallingMessagesMax = candidatesMax + 2

/**
 * Bytes that wait for a stranger who does not read. An answer, 64 candidates and the pongs of ten
 * seconds are 60 KB; whoever has more waiting wants the memory, not the answer.
 */
export const signallingBacklogBytesMax = 65_536

/** How long two peers may take from the first word to open lanes. */
export const negotiationMsMax = 10_000

/**
 * How long a server's peer looks for a way before it gives up. Whoever names a forged source in its
 * checks makes the peer send to that address until then: 376 bytes in these 3 s, 576 in 10 s. An honest
 * client is found within two round trips of the answer, and uses its fallback after 3 s.
 */
export const reachMsMax = 3_000

/** How long a player waits for WebRTC before the fallback is used: longer, and people reload. */
export const patienceMsDefault = 3_000

/** How long an alternative that failed is not tried again, so that reconnecting does not wait. */
export const distrustMs = 60_000

/**
 * Bytes that wait in the lane of ticks. What waits is older than what is dropped instead, and every
 * tick repeats what is unacknowledged: a short queue loses nothing, a long one only delays.
 */
export const tickBacklogBytesMax = 16_384

/** Bytes that wait in the reliable lane before the other side counts as too slow (T-104). */
export const reliableBacklogBytesMax = 262_144

/** Largest message that we tell the other side to send. A packet fits, and nothing larger is meant. */
export const messageBytesMax = 16_384

/** How long a closing connection waits until the other side has heard the code. */
export const farewellMsMax = 2_000

/** Peers of one server that negotiate at the same time. Each holds a socket and some threads' time. */
export const pendingPeersMax = 256

/**
 * How long a stranger counts at least for its address: otherwise failing fast would allow trying
 * without end, and every try costs a key pair.
 */
export const strangerMsMin = 1_000

/** Peers of one server that are open. Each takes about 100 KB outside of the JavaScript heap. */
export const openPeersMax = 4_096

assert(
  descriptionBytesMax + proofBytesMax + 16 <= signallingBytesMax,
  'A description with its proof must fit a message',
)
assert(reachMsMax < negotiationMsMax, 'Finding a way is a part of negotiating')
assert(datagramBytesMax <= messageBytesMax, 'A packet must fit a message')
