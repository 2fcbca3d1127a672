import type { ConnectErrorCode } from '../base/errors.ts'

/** What is known about a failed attempt besides its code. */
export interface ConnectErrorOptions {
  /** The HTTP status of the answer, if there was one. */
  readonly status?: number
  readonly cause?: unknown
}

/**
 * A connection could not be opened: the network failed, or the address is wrong. The message says what was
 * tried and what happened; `docs/errors.md` says for each code what to do.
 */
export class ConnectError extends Error {
  override readonly name = 'ConnectError'
  readonly code: ConnectErrorCode
  /** The URL that was dialled. */
  readonly url: string
  /** The HTTP status of the answer; undefined if there was none. */
  readonly status: number | undefined

  /** `what` ends the sentence "Cannot connect to …: ". */
  constructor(
    code: ConnectErrorCode,
    url: string,
    what: string,
    options: ConnectErrorOptions = {},
  ) {
    super(
      `Cannot connect to ${url}: ${what}`,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.url = url
    this.status = options.status
  }

  /** The attempt was aborted by its caller. */
  static aborted(url: string, reason: unknown): ConnectError {
    return new ConnectError('SS_CONNECT_ABORTED', url, 'the attempt was aborted', { cause: reason })
  }

  /** Nobody answered in time. */
  static timedOut(url: string, afterMs: number): ConnectError {
    return new ConnectError('SS_CONNECT_TIMEOUT', url, `no answer within ${afterMs} ms`)
  }
}
