/** Finds where the head of a request ends, in whatever pieces it comes. */

const lineFeed = 10
const carriageReturn = 13

/**
 * Looks for the empty line behind a head, as strict and as careless clients write it: `\n\r\n` or
 * `\n\n`. An HTTP parser ends no head without one, so that bytes up to the first empty line are never
 * more than one request.
 */
export class HeadEnd {
  /** Bytes of the line so far, and whether the first of them is a carriage return. */
  #lineBytes = 0
  #beginsWithReturn = false

  /** Where the head ends in these bytes, which follow those before; −1 when it does not. */
  find(bytes: Buffer): number {
    let from = 0
    for (;;) {
      const at = bytes.indexOf(lineFeed, from)
      const end = at < 0 ? bytes.length : at
      if (this.#lineBytes === 0 && end > from) {
        this.#beginsWithReturn = bytes[from] === carriageReturn
      }
      this.#lineBytes += end - from
      if (at < 0) return -1
      const isEmpty = this.#lineBytes === 0 || (this.#lineBytes === 1 && this.#beginsWithReturn)
      this.#lineBytes = 0
      if (isEmpty) return at + 1
      from = at + 1
    }
  }
}

/** Empty lines in front of a request, which a parser would skip: where the request begins. */
export function skipEmptyLines(bytes: Buffer): number {
  let at = 0
  while (bytes[at] === carriageReturn || bytes[at] === lineFeed) at += 1
  return at
}
