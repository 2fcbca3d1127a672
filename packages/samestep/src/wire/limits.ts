import { assert } from '../base/assert.ts'
import { orderBytesMax, seatsMax } from '../sim/limits.ts'

/** Every maximum of the protocol, with its reason. A test checks how they relate. */

/** Bytes of one datagram: what every path on the internet carries without fragments. */
export const datagramBytesMax = 1_200

/** Bytes of one packet on a stream: a snapshot piece with room to spare (reliability §2.5). */
export const streamPacketBytesMax = 65_536

/** Bytes that the link machine puts in front of a message in a datagram, at most. */
export const linkOverheadBytesMax = 24

/** Bytes of the head of a {@link RelayBundles} message before its first bundle, at most. */
export const bundlesHeadBytesMax = 112

/** Bytes of bundles that one datagram carries beside its heads. */
export const datagramBundleBytesMax =
  datagramBytesMax - linkOverheadBytesMax - bundlesHeadBytesMax /* 1 064 */

/**
 * Bytes of one sealed bundle. Orders are taken until a bundle fills one datagram; the rest wait for
 * the next tick, in sequence. Only inputs of many seats together with one large order need more, and
 * then the bundle travels in parts.
 */
export const bundleBytesMax = 4_096

/** Bits of the inputs of all seats in one tick: leaves room for the largest order and all events. */
export const inputBitsTotalMax = 8 * (4_096 - 1_024 - 320)

/** Bits in a bundle that one order costs besides its bytes, at most: seat, number, length, more. */
export const orderFrameBits = 6 + 8 + 12 + 1

/** Orders of one bundle: bounds what one tick makes everybody run. More wait for the next tick. */
export const bundleOrdersMax = 127

/** System events of one bundle: every seat joins, leaves and some pause. */
export const bundleEventsMax = 160

/** Bits of the largest system event: its kind, and the seat and reason or a percentage. */
export const eventBitsMax = 13

/** Bits of a bundle besides inputs, orders and events: marks, number of events, zero bits. */
export const bundleFrameBitsMax = 5 + 8 + 7

/**
 * Ticks between the newest one that a peer confirmed and the newest that is sent to it. Less than
 * half of what the truncated tick numbers can tell apart.
 */
export const windowTicksMax = 120

/**
 * Bits of a truncated tick number. Enough because channels pass on tick messages in the sequence in
 * which they were sent, or not at all: a packet that was stuck for minutes would otherwise pass for
 * one of four seconds later.
 */
export const tickBits = 8

/** Bundles repeated in one packet: at 30 ticks per second, what 1 s of silence adds up to. */
export const bundlesPerPacketMax = 32

/**
 * Ticks that a match keeps for those who have not confirmed them: 60 s at 30 ticks per second, the
 * time after which a silent player is dropped. Whoever is further behind needs a snapshot.
 */
export const logTicksMax = 1_800

/** Orders issued and not yet accepted by the relay. Issuing more is refused at once. */
export const outboxOrdersMax = 64

/** Bytes of those orders. */
export const outboxBytesMax = 16_384

/** Orders of one seat that wait in the relay for a tick with room. More are refused. */
export const waitingOrdersMax = 128

/** Ticks ahead of the newest sealed one for which the relay keeps inputs (T-34). */
export const inputAheadTicksMax = 64

/** Inputs repeated in one packet: as many as there can be between issuing and sealing. */
export const inputsPerTurnMax = 64

/** Fields of an input, and bits of all of them: held controls, not a document. */
export const inputSlotsMax = 32

/** Sessions of one relay that have not said hello yet. */
export const strangersMax = 4_096

/** Bytes of a match's name, of a player's name in UTF-8, of options. */
export const matchNameBytesMax = 64
export const playerNameBytesMax = 128
export const optionsBytesMax = 1_024

/** Spectators of one match besides its seats. */
export const spectatorsMax = 192

assert(2 ** tickBits >= 2 * windowTicksMax, 'A truncated tick must be unique within the window')
assert(bundlesPerPacketMax <= windowTicksMax, 'A packet cannot hold more than the window')
assert(
  bundleFrameBitsMax +
    inputBitsTotalMax +
    orderFrameBits +
    orderBytesMax * 8 +
    bundleEventsMax * eventBitsMax <=
    bundleBytesMax * 8,
  'All inputs, the largest order and all events must fit one bundle',
)
assert(seatsMax <= 64, 'Seat numbers have six bits')
