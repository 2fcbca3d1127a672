import { assert } from '../base/assert.ts'
import { datagramBytesMax, linkOverheadBytesMax, streamPacketBytesMax } from '../wire/limits.ts'
import { goneMs } from '../wire/patience.ts'

/** Every maximum and every time of the link layer, with its reason; relations are asserted below. */

/** Bytes of the smallest datagram that a path may be limited to: a segment still carries 270 bytes. */
export const datagramBytesMin = 300

/** Bytes of a packet's head at most: marks, epoch, number, acknowledgement, held time, mask. */
export const headBytesMax = 1 + 2 + 2 + 2 + 1 + 4

/** Bytes of the checksum behind a packet. */
export const checksumBytes = 4

/** Bytes in front of a segment: length, kind and mark of the last one in two, its number in two. */
export const segmentHeadBytes = 4

/** Parts of one packet: counted by one byte. */
export const partsMax = 255

/** Bytes of a control or bulk message: with one byte for its lane, what a stream takes at once. */
export const laneMessageBytesMax = streamPacketBytesMax - 1

/** Bytes of a segment's content when it fills the largest datagram alone, without a checksum. */
export const segmentBytesMax = datagramBytesMax - headBytesMax - 1 - segmentHeadBytes /* 1 183 */

/** A cut below this many bytes costs more in heads than it saves by using up a packet's room. */
export const segmentBytesMin = 128

/** Segments of the control lane between the oldest unacknowledged and the newest one. */
export const controlSegmentsMax = 32

/**
 * The same for the bulk lane. 76 segments of 1 183 bytes per round trip are 450 KB/s at 200 ms: a
 * megabyte of snapshot in three seconds.
 */
export const bulkSegmentsMax = 76

/** Bytes of received segments and unfinished messages that a channel keeps. */
export const reassemblyBytesMax = 262_144

/** Bytes that wait in one lane for being sent and acknowledged, at most. */
export const laneQueueBytesMax = 131_072

/** Bytes that a queued message counts besides its content, so that tiny ones are bounded too. */
export const messageChargeBytes = 64

/** Bytes of received messages that nobody polled. A packet that comes on top is dropped. */
export const inboxBytesMax = 131_072

/** Packets made and not polled. Further ticks are lost, as the network would lose them. */
export const outboxPacketsMax = 64

/** Packets whose fate a sender remembers: four seconds at 240 packets per second. */
export const sentPacketsMax = 1_024

/** Packets behind the newest one that a receiver still tells apart from doubles. */
export const receivedPacketsMax = 1_024

/** How far the mask of an acknowledgement reaches back. */
export const maskBits = 32

/**
 * Packets that may be sent without any acknowledgement. Numbers have 16 bits and are expanded to the
 * nearest one, so a receiver that misses half of the range would take the next packet for an old
 * one. Ticks stop before; what keeps the link alive is sent so seldom that it never gets there.
 */
export const silentPacketsMax = 28_672

/** Acknowledged packets behind which a missing one counts as lost, at first. As in QUIC and TCP. */
export const reorderPacketsMin = 3

/** The same after late packets taught patience. Less than the mask reaches back. */
export const reorderPacketsMax = 24

/** How long a packet may stay without a verdict: keepalives answer each other every second. */
export const staleMs = 3_000

/** How long an acknowledgement of something reliable waits for a packet to ride on. */
export const ackDelayMs = 25

/** The same when only ticks came: nobody waits for it, it only feeds the estimates (REL-14). */
export const lazyAckDelayMs = 200

/** Reliable packets that are acknowledged at once: the mask covers four such answers. */
export const ackPacketsMax = 8

/** Packets of any kind that are acknowledged at once: the mask covers two such answers. */
export const lazyAckPacketsMax = 16

/** Silence after which a keepalive goes out: holds address translations open, measures the path. */
export const keepaliveMs = 1_000

/** Silence of the other side after which a channel is lost: when a player is dropped, too. */
export const silenceMsDefault: number = goneMs

/** The longest such silence: an hour of keepalives does not use up the numbers left for them. */
export const silenceMsLimit = 3_600_000

/** Waiting for an acknowledgement before anything was measured. */
export const timeoutMsInitial = 500

/** Never shorter, so that a hiccup of the other machine is no loss. */
export const timeoutMsMin = 100

/** Never longer, so that a link that comes back is used within two seconds. */
export const timeoutMsMax = 2_000

/** Times that a goodbye is sent before the channel closes without an answer. */
export const goodbyesMax = 5

/** How long a closing channel tries to get its control messages through. */
export const closingMsMax = 5_000

/** Bytes that a stream channel holds for its transport. A stream cannot drop: above it, it fails. */
export const streamOutboxBytesMax = 1_048_576

/** Bytes of messages that a stream channel holds for its owner. Above it, it fails. */
export const streamInboxBytesMax = 1_048_576

/** Bytes in the transport's buffer above which bulk waits: at 10 Mbit/s they delay a tick by 13 ms. */
export const streamBacklogBytesMax = 16_384

/** Pause between two bulk packets on a stream, so that a tick never waits for more than one. */
export const streamBulkEveryMs = 5

assert(
  headBytesMax + checksumBytes <= linkOverheadBytesMax,
  'What wire leaves for the link must hold the head and the checksum',
)
assert(
  2 * laneMessageBytesMax + (controlSegmentsMax + bulkSegmentsMax) * segmentBytesMax <=
    reassemblyBytesMax,
  'Two unfinished messages and two full windows must fit the reassembly',
)
assert(laneQueueBytesMax >= laneMessageBytesMax + messageChargeBytes, 'A lane holds one message')
assert(reorderPacketsMax < maskBits, 'Patience must end before the mask does')
assert(lazyAckPacketsMax * 2 <= maskBits, 'The mask must survive lost acknowledgements')
assert(keepaliveMs + timeoutMsMax <= staleMs, 'A keepalive must answer before patience ends')
assert(
  silentPacketsMax + silenceMsLimit / keepaliveMs + partsMax < 2 ** 15,
  'Packets must stop before their numbers become ambiguous',
)
assert(
  datagramBytesMin - headBytesMax - 1 - segmentHeadBytes - checksumBytes >= segmentBytesMin,
  'The smallest datagram must hold a useful segment',
)
