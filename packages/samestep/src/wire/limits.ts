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
 * Bits of a truncated tick number. Enough because channels tell when a tick message was overtaken: a
 * packet that was stuck for minutes would otherwise pass for one of four seconds later. What is of
 * use when it comes late says the whole number.
 */
export const tickBits = 8

/**
 * Packets that one tick sends to one client. A client that is far behind gets what it lacks in turns:
 * everything in every tick would fill its line with copies.
 */
export const packetsPerTickMax = 16

/**
 * New ticks that wait for each other at the most, so that they go out in one packet. As in Astranyx: a
 * fourth saves little more of the headers than a third did.
 */
export const ticksPerPacketMax = 4

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

/** Code points of a player's name, and of a line of chat: what a list, and a screen, can show. */
export const nameCodePointsMax = 32
export const chatCodePointsMax = 512

/** Bytes of a line of chat in UTF-8. */
export const chatBytesMax = 4 * chatCodePointsMax

/**
 * Orders of one seat in a second, over a long time, and at once. Faster than hands; a whole outbox
 * that was held up by a bad line comes on top (`relay/admission.ts`).
 */
export const ordersPerSecondMax = 20
export const ordersBurstMax = 40

/**
 * New orders of one seat between two answers of the relay; more end the session. No honest client
 * can send more, because its outbox holds no more that are unanswered.
 */
export const ordersPerAnswerMax = outboxOrdersMax

/**
 * Bytes of orders of one seat in a second, over a long time: eight seats that all use theirs fill
 * the 32 KiB that bundles of one datagram carry in a second at 30 ticks. At once: a full outbox.
 */
export const orderBytesPerSecondMax = 4_096
export const orderBytesBurstMax = outboxBytesMax + orderBytesMax

/** Kinds of orders of one game: the relay's table of them fits the message that brings it. */
export const orderKindsMax = 256

/** Classes of orders of one game: a match allows or forbids them by the bits of one word. */
export const orderClassesMax = 31

/** The largest cap on orders of one kind in one tick: as many as a bundle holds. */
export const ordersPerTickMax = bundleOrdersMax

/** Bounds of the speed of a match, in percent. An event has ten bits for it. */
export const speedPercentMin = 10
export const speedPercentMax = 1_000

/** The longest countdown, and the longest time that loading may take in all: slow disks exist. */
export const countdownMsMax = 60_000
export const loadMsMax = 600_000

/** Pauses of one seat in a match, and how long one may last. */
export const pausesMax = 255
export const pauseMsMax = 600_000

/** Orders of a bot in one message: a bot that thinks harder sends several. */
export const botOrdersMax = 16

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
assert(ordersPerAnswerMax >= outboxOrdersMax, 'A full outbox must never end its session')
assert(ordersBurstMax <= outboxOrdersMax, 'A burst cannot be larger than what a client can hold')
assert(playerNameBytesMax >= 4 * nameCodePointsMax, 'Every name must fit its bytes')
assert(speedPercentMax < 1_024, 'Ten bits tell the speed')
