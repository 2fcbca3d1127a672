/**
 * What Node's streams say beside their calls: how many bytes were read, and whether a write is still
 * under way. Node keeps that in one array for all of them. Who knows the array need not ask the stream
 * for it, which looks into half a dozen objects that nothing else would have touched.
 *
 * It is not part of what Node promises, though all of Node 20 to 24 have it. Where it is not as
 * expected, or Node was told to complain about such things, there is none.
 */

/** The array, and where in it what is. */
export interface StreamState {
  readonly values: Int32Array
  /** The bytes of the last read, or a negative error. */
  readonly readBytes: number
  /** 1 when the last write has to wait. */
  readonly isWaiting: number
  /** What the system is asked with to write. */
  readonly Request: new () => object
}

/** What this version of Node has of it. */
export const streamState: StreamState | undefined = findStreamState(process.execArgv, process.env)

/** Asks Node, unless it would complain. */
export function findStreamState(
  flags: readonly string[],
  env: NodeJS.ProcessEnv,
): StreamState | undefined {
  const isFrownedUpon = flags.includes('--pending-deprecation') || env.NODE_PENDING_DEPRECATION
  if (isFrownedUpon) return undefined
  try {
    const { binding } = process as unknown as { binding(name: string): unknown }
    return readStreamState(binding.call(process, 'stream_wrap'))
  } catch {
    // It may be forbidden, or gone.
    return undefined
  }
}

/** Checks what was found. */
export function readStreamState(found: unknown): StreamState | undefined {
  const { streamBaseState, kReadBytesOrError, kLastWriteWasAsync, WriteWrap } = found as {
    readonly [name: string]: unknown
  }
  if (!(streamBaseState instanceof Int32Array) || typeof WriteWrap !== 'function') return undefined
  const isPlace = (value: unknown): value is number =>
    Number.isInteger(value) && (value as number) >= 0 && (value as number) < streamBaseState.length
  if (!isPlace(kReadBytesOrError) || !isPlace(kLastWriteWasAsync)) return undefined
  return {
    values: streamBaseState,
    readBytes: kReadBytesOrError,
    isWaiting: kLastWriteWasAsync,
    Request: WriteWrap as new () => object,
  }
}
