import { assert } from '../base/assert.ts'
import { orderBytesMax, seatsMax, tickRateMax } from '../sim/limits.ts'

/**
 * Every maximum of the protocol, with its reason. A test checks how they relate. What means a duration
 * is a time here, and becomes ticks by {@link ticksIn}: games run at 1 to 240 ticks per second.
 */

/** Ticks that a time lasts at so many per second, rounded up. */
export function ticksIn(ms: number, ticksPerSecond: number): number {
  // Shares of a second are no binary fractions; their product must not be rounded up by that.
  return Math.ceil((ms * ticksPerSecond) / 1_000 - 1e-9)
}

/** Bytes of one datagram: what every path on the internet carries without fragments. */
export const datagramBytesMax = 1_200

/** Bytes of one packet on a stream: a snapshot piece with room to spare. */
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
export const inputBitsTotalMax = 8 * (4_096 - 1_024 - 328)

/** Bits in a bundle that one order costs besides its bytes, at most: seat, number, length, more. */
export const orderFrameBits = 7 + 8 + 12 + 1

/** Further bits of one that no player issued: whether a spectator did, and the number of its member. */
export const otherIssuerBits = 1 + 32

/** Orders of one bundle: bounds what one tick makes everybody run. More wait for the next tick. */
export const bundleOrdersMax = 127

/** System events of one bundle: every seat joins, and half of them leave. More wait for the next tick. */
export const bundleEventsMax = 96

/**
 * Bits of the member who is given a seat. Nobody after the 65 536th visitor of a match is: more bits
 * would take room from the inputs of every match.
 */
export const heirBits = 16

/** The last visitor of a match who can be given a seat. */
export const heirIdMax = 2 ** heirBits - 1

/** Bits of the largest system event: its kind, the seat, and whether and which member plays it now. */
export const eventBitsMax = 3 + 6 + 1 + heirBits

/** Bits of a bundle besides inputs, orders and events: marks, number of events, zero bits. */
export const bundleFrameBitsMax = 5 + 8 + 7

/**
 * Between the newest tick that a peer confirmed and the newest that is sent to it: far above any round
 * trip. In ticks never fewer than {@link windowTicksMin}, so that slow games catch up as fast.
 */
export const windowMs = 4_000
export const windowTicksMin = 120
export const windowTicksMax = 960

/** Bytes of these ticks: what {@link windowTicksMin} of the largest bundles take. */
export const windowBytesMax = windowTicksMin * bundleBytesMax

/** The window of a match that seals so many ticks per second. */
export function windowTicksFor(ticksPerSecond: number): number {
  return Math.min(Math.max(ticksIn(windowMs, ticksPerSecond), windowTicksMin), windowTicksMax)
}

/**
 * Bits of a truncated tick number in front of bundles. Enough because channels tell when a tick message
 * was overtaken: a packet that was stuck for minutes would otherwise pass for one of four seconds
 * later. What is of use when it comes late, and what may lie further ahead of or behind its receiver
 * than {@link shortTicksMax}, says the whole number.
 */
export const tickBits = 8
export const shortTicksMax = 120

/**
 * Bits of the newest tick that a client has, in its turns: how far it has come since the relay last
 * heard of it is bounded by the window alone.
 */
export const receivedBits = 16

/**
 * Packets to one client in a second, and in a tick. A client that is far behind gets what it lacks in
 * turns: everything in every tick would fill its line with copies.
 */
export const packetsPerSecondMax = 480
export const packetsPerTickMax = 16

/** What one tick may send to one client at so many per second: two at the least, new and old. */
export function packetsPerTickFor(ticksPerSecond: number): number {
  const share = Math.ceil(packetsPerSecondMax / ticksPerSecond)
  return Math.min(Math.max(share, 2), packetsPerTickMax)
}

/**
 * New ticks that wait for each other at the most, so that they go out in one packet: those of 133 ms,
 * which are four at 30 per second. As in Astranyx: a fourth saves little more of the headers than a
 * third did.
 */
export const ticksPerPacketMax = 32

/** Bundles of one message in the short form: five bits count them. */
export const shortBundlesMax = 32

/** Bundles repeated in one packet: what 1 s of silence adds up to at 240 ticks per second. */
export const bundlesPerPacketMax = 240

/**
 * For how long a match keeps ticks for those who have not confirmed them: longer than the longest
 * silence after which a seat is kept, that of a hidden page (75 s). Whoever is further behind needs a
 * snapshot.
 */
export const logMs = 90_000

/** The same in bytes, for all ticks of a match: 90 KiB in each second. */
export const logBytesMax = 8_388_608

/** Bytes that a kept bundle counts besides its content: what an array of its own costs. */
export const bundleChargeBytes = 128

/**
 * Ticks that a client holds without having run them. What it has on top is not confirmed, and the relay
 * keeps it; a machine that is so far behind runs for a while without anything new.
 */
export const inboxTicksMax = 1_800

/** Orders issued and not yet accepted by the relay. Issuing more is refused at once. */
export const outboxOrdersMax = 64

/** Bytes of those orders. */
export const outboxBytesMax = 16_384

/** Orders of one seat that wait in the relay for a tick with room. More are refused. */
export const waitingOrdersMax = 128

/**
 * Orders of one seat that wait in the relay for the end of a pause; more are refused. Half of a client's
 * outbox: the other half is for what may run meanwhile.
 */
export const heldOrdersMax = 32

/**
 * Ticks ahead of the newest sealed one for which the relay keeps inputs (T-34): more than the longest
 * default delay of the fastest game has, and some for what the delay grows by.
 */
export const inputAheadTicksMax = 192

/** Inputs repeated in one packet: as many as there can be between issuing and sealing. */
export const inputsPerTurnMax = 192

/**
 * Where the input delay moves by default: two ticks are what a LAN needs; at the other end are the
 * round trip of a player 250 ms away and what it varies by, so that players of all continents can play
 * together (DLY-01). It starts where most matches end up.
 */
export const delayTicksMinDefault = 2
export const delayMsMaxDefault = 550
export const delayMsStartDefault = 100

/** Fields of an input, and bits of all of them: held controls, not a document. */
export const inputSlotsMax = 32

/** Sessions of one relay that have not said hello yet. */
export const strangersMax = 4_096

/** Bytes of a match's name, of a player's name in UTF-8, of options. */
export const matchNameBytesMax = 64
export const playerNameBytesMax = 128
export const optionsBytesMax = 1_024

/** Bytes of what a client shows to be let in: a signed token with some claims. */
export const tokenBytesMax = 2_048

/** Bytes of each text in which a client says what it runs on: a name and a version. */
export const softwareBytesMax = 64

/** How long a player may do nothing before others are told, at the most. */
export const afkMsMax = 3_600_000

/** Bytes of who somebody is, as whoever decides about joins says, in UTF-8. */
export const identityBytesMax = 128

/** Spectators of one match besides its seats. */
export const spectatorsMax = 192

/**
 * Witnesses of one match: several for when one fails. Each costs the relay what a player does.
 */
export const witnessesMax = 4

/**
 * How much later than the players spectators may see a match, at the most: longer than anything that
 * somebody could tell a player in time to be of use. All ticks of that time are kept, and as many before.
 */
export const spectatorDelayMsMax = 300_000

/** Code points of a player's name, and of a line of chat: what a list, and a screen, can show. */
export const nameCodePointsMax = 32
export const chatCodePointsMax = 512

/** Bytes of a line of chat in UTF-8. */
export const chatBytesMax = 4 * chatCodePointsMax

/**
 * Orders of one seat in a second, over a long time, and at once. Faster than hands; a whole outbox
 * that was held up by a bad line comes on top (`relay/guard/admission.ts`).
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

assert(2 ** tickBits >= 2 * shortTicksMax, 'A truncated tick must be unique where it is used')
assert(shortBundlesMax <= shortTicksMax, 'A short message must lie where its ticks are unique')
assert(2 ** receivedBits >= 2 * windowTicksMax, 'A confirmed tick must be unique within the window')
assert(windowTicksFor(tickRateMax) === windowTicksMax, 'The fastest game has the largest window')
assert(bundlesPerPacketMax <= 256, 'One byte counts the bundles of a message')
assert(ticksPerPacketMax <= bundlesPerPacketMax, 'Ticks that wait for each other share a packet')
assert(
  ticksIn(delayMsMaxDefault, tickRateMax) < inputAheadTicksMax,
  'The relay must keep inputs for the longest default delay',
)
assert(
  bundleFrameBitsMax +
    inputBitsTotalMax +
    orderFrameBits +
    otherIssuerBits +
    orderBytesMax * 8 +
    bundleEventsMax * eventBitsMax <=
    bundleBytesMax * 8,
  'All inputs, the largest order and all events must fit one bundle',
)
assert(seatsMax <= 64, 'Seat numbers have six bits')
assert(heldOrdersMax < outboxOrdersMax, 'A pause must leave room for orders that may run in it')
assert(heldOrdersMax <= waitingOrdersMax, 'What a pause holds must find room in the relay')
assert(ordersPerAnswerMax >= outboxOrdersMax, 'A full outbox must never end its session')
assert(ordersBurstMax <= outboxOrdersMax, 'A burst cannot be larger than what a client can hold')
assert(playerNameBytesMax >= 4 * nameCodePointsMax, 'Every name must fit its bytes')
assert(speedPercentMax < 1_024, 'Ten bits tell the speed')

/** The highest debug level that there is: see docs/desync.md. */
export const debugLevelMax = 4
