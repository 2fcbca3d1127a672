/**
 * The errors that a caller may meet. `docs/errors.md` explains every code; codes never change.
 *
 * A developer's mistake is a {@link UsageError}, thrown at once. A stranger's bytes are a
 * {@link WireError}, caught by whoever handles that stranger. Our own mistakes are neither:
 * see `assert.ts`.
 */

/** The codes of {@link UsageError}: every way to misuse the library. */
export type UsageErrorCode =
  /** A game definition contradicts itself or leaves something out. */
  | 'SS_BAD_DEFINITION'
  /** A field type was declared with invalid limits. */
  | 'SS_BAD_FIELD'
  /** A value does not fit the field that it is written to. */
  | 'SS_BAD_VALUE'
  /** An order name that the game does not declare, or data that does not fit it. */
  | 'SS_BAD_ORDER'
  /** A function got an argument outside its documented domain. */
  | 'SS_BAD_ARGUMENT'
  /** `add` on a table that is full. */
  | 'SS_TABLE_FULL'
  /** A row or ref that is not alive was used where a living one is needed. */
  | 'SS_STALE_ROW'
  /** A write to the read-only view that rendering gets. */
  | 'SS_READONLY_VIEW'
  /** A bundle was given to a simulation out of sequence. */
  | 'SS_WRONG_TICK'
  /** A step, system, validate or apply returned a promise. */
  | 'SS_ASYNC_STEP'
  /** Game code called, within a tick, something that gives different results on other machines. */
  | 'SS_NONDETERMINISTIC'
  /** The state was written to between two ticks. */
  | 'SS_OUTSIDE_WRITE'
  /** Too many orders are pending to issue another. */
  | 'SS_OUTBOX_FULL'
  /** A match is over, or its client was closed. */
  | 'SS_CLOSED'
  /** A spectator tried to play. */
  | 'SS_NOT_LAUNCHED'
  | 'SS_NOT_SEATED'
  /** This engine computes the self-test vector differently; it would desync. */
  | 'SS_ENGINE_DIFFERS'
  /** A worker was built from another version of the library or the game than its page. */
  | 'SS_WORKER_DIFFERS'
  /** An unencrypted listener that other machines can reach was requested. */
  | 'SS_INSECURE'
  /** The port cannot be opened: it is taken, forbidden, or the address is not of this machine. */
  | 'SS_CANNOT_LISTEN'
  | 'SS_CANNOT_CREATE'

/** The codes of {@link WireError}: every way for bytes from outside to be refused. */
export type WireErrorCode =
  /** The bytes end before the value does. */
  | 'SS_WIRE_TRUNCATED'
  /** Bytes are left over after the value. */
  | 'SS_WIRE_TRAILING_BYTES'
  /** A value is outside the range of its field. */
  | 'SS_WIRE_OUT_OF_RANGE'
  /** The encoding is not canonical; only the canonical one is accepted. */
  | 'SS_WIRE_NOT_CANONICAL'
  /** A length or count is larger than its maximum. */
  | 'SS_WIRE_TOO_LARGE'
  /** The bytes do not start with the expected mark. */
  | 'SS_WIRE_BAD_MAGIC'
  /** Made by a version of the format that this library does not read. */
  | 'SS_WIRE_BAD_VERSION'
  /** Made by another game, another version of it, or another match. */
  | 'SS_WIRE_MISMATCH'
  /** A section, column or message that the reader does not know. */
  | 'SS_WIRE_UNKNOWN'
  /** A checksum over the bytes does not match. */
  | 'SS_WIRE_BAD_CHECKSUM'

/** Every way for an attempt to connect to fail. The class is with the transports. */
export type ConnectErrorCode =
  /** The machine is there, but nothing listens at that port. */
  | 'SS_CONNECT_REFUSED'
  /** No machine has that name, or there is no way to it. */
  | 'SS_CONNECT_UNREACHABLE'
  /** No answer within the time allowed. */
  | 'SS_CONNECT_TIMEOUT'
  /** The other end is there and answered, but does not want this connection. */
  | 'SS_CONNECT_REJECTED'
  /** The other end cannot prove who it is, or the connection would not be encrypted. */
  | 'SS_CONNECT_INSECURE'
  /** The caller's own signal ended the attempt. */
  | 'SS_CONNECT_ABORTED'
  /** It failed, and the platform does not say how. Browsers never do. */
  | 'SS_CONNECT_FAILED'

/**
 * A developer's mistake, thrown at once. The message says what was tried, what is wrong and what is
 * expected.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly code: UsageErrorCode

  constructor(code: UsageErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/** Invalid bytes from outside. Ends a session, never the process. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: WireErrorCode
  /** Where reading stopped, in bytes from the start. */
  readonly offset: number

  constructor(code: WireErrorCode, offset: number, message: string) {
    super(message)
    this.code = code
    this.offset = offset
  }
}
