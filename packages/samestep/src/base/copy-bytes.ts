/** Up to this many bytes, a loop is faster than the calls that `set` needs. */
const loopBytesMax = 64

/**
 * A copy of the bytes from `start` to before `end`. Not `slice`: on Node's buffers, which are
 * `Uint8Array` too, that gives a view of memory that its owner will use again.
 */
export function copyBytes(source: Uint8Array, start = 0, end: number = source.length): Uint8Array {
  const size = end - start
  const copy = new Uint8Array(size)
  if (size <= loopBytesMax) {
    for (let at = 0; at < size; at++) copy[at] = source[start + at]!
  } else {
    copy.set(size === source.length ? source : source.subarray(start, end))
  }
  return copy
}
