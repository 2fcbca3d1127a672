/**
 * Thrown when the library itself has a bug. Never caught inside the engine: the match should end loudly.
 */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Checks what only a bug of ours could break. Never call this on bytes that came off the wire. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new InvariantError(message)
}

/** Makes the compiler prove that a `switch` covers every case. */
export function unreachable(value: never): never {
  throw new InvariantError(`Reached a case that the types rule out: ${JSON.stringify(value)}`)
}
