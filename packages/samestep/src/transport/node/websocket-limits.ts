import { assert } from '../../base/assert.ts'
import { streamOutboxBytesMax } from '../../link/limits.ts'
import { streamPacketBytesMax } from '../../wire/limits.ts'

/** Every maximum of the WebSocket port, with its reason. `reliability` numbers are T-20 to T-29. */

/** Frames of one message. Honest ones have one; proxies may cut, but not into more (T-23). */
export const fragmentsMax = 64

/** Pieces in which the kernel hands over one frame: 64 KiB in segments of 1 460 bytes are 45 (T-23). */
export const chunksMax = 256

/** Bytes of the head of a request. Ours have 300; browsers with many cookies a few thousand (T-22). */
export const headBytesMax = 8_192

/** Lines of that head (T-22). */
export const headLinesMax = 64

/** How long a request may take to arrive, from the first moment of its connection (T-22). */
export const requestMsMax = 5_000

/** How often Node looks for those that take longer: often, so that thousands do not end in one go. */
export const requestCheckMs = 100

/** How long a connection may be idle between two requests for pages. */
export const keepAliveMs = 5_000

/**
 * Connections of one address (/56 with IPv6) that are no WebSockets. A browser has six for pages, so
 * that forty players behind one router load a game at the same time.
 */
export const lobbyPerBlockMax = 256

/**
 * Connections of all addresses that are no WebSockets, and of which no request is being answered
 * (T-22). Honest ones wait for milliseconds, so that this is a rush of ten thousand per second; or they
 * are a browser's, idle after its pages came, and it opens another one when it needs it. More of them
 * would not let anybody else in, but leave more garbage behind and make the pauses for it longer.
 */
export const lobbyWaitingMax = 512

/** How long one waits at most, whatever for: its greeting in TLS, its request, or the next one (T-22). */
export const lobbyWaitMs = 5_500

/**
 * How long requests are answered before timers and other sockets have their turn. Half of what a tick
 * of the busiest usual match takes, and forty answers.
 */
export const requestTurnMs = 2

/**
 * Bytes that may wait behind a request until it is answered: one more head. Browsers send nothing
 * before an answer is there; who sends more gets this one answer and is closed.
 */
export const heldBytesMax = headBytesMax

/** Requests on one connection. A page has a few hundred files; a browser opens the next one itself. */
export const requestsPerConnectionMax = 1_000

/** How long the requests of an address are counted together. */
export const requestsWindowMs = 10_000

/**
 * Requests of one address (/56 with IPv6) in that time: forty players behind one router who load a
 * game of fifty files at once. An answer costs about 50 µs, so this is a hundredth of a core.
 */
export const requestsPerAddressMax = 2_048

/** Addresses whose requests are counted: 6 MB at most. Beyond, the one seen first is forgotten. */
export const budgetBlocksMax = 65_536

/** How long an answer may wait for its reader: it holds a connection, and a page holds a file. */
export const answerStallMsMax = 20_000

/** Pings and pongs per second, and at once. A browser sends none by itself (T-25). */
export const pingsPerSecond = 10

/** Bytes waiting for a slow reader, above which its clock runs: four seconds of the busiest match. */
export const slowBytes = 262_144

/** How long they may wait (T-26). A phone between two cells is silent for less. */
export const slowMsMax = 2_000

/** Bytes waiting for a reader at all: above it, it is closed at once (T-26). */
export const backlogBytesMax = 1_048_576

/** How often slow readers are looked at, so that one is found although nothing is sent to it. */
export const slowCheckMs = 250

/** How long a farewell may take before the socket is destroyed: a vanished peer never answers it. */
export const closeMsMax = 2_000

/** The same for a slow reader: its backlog is memory, and the farewell stands behind it. */
export const slowCloseMsMax = 500

/** Connections of one /32 (/56 with IPv6) that have not said who they are (T-27). */
export const strangersPerBlockMax = 16

assert(lobbyWaitMs > Math.max(requestMsMax, keepAliveMs), 'Node says why before the lobby acts')
assert(heldBytesMax >= headBytesMax, 'A second request may come while the first is answered')
assert(lobbyWaitingMax > lobbyPerBlockMax, 'One address alone must not fill the lobby')
assert(slowBytes > 2 * streamPacketBytesMax, 'One large packet must not make a reader slow')
assert(
  backlogBytesMax >= streamOutboxBytesMax,
  'What a stream channel may give at once must not end its connection',
)
