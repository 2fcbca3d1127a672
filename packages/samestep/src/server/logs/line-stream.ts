import { write } from 'node:fs'

/** Bytes that wait for a reader that does not read. More is lost rather than waited for. */
const waitingBytesMax = 1_048_576

/** Bytes of one write: lines are put together under load. */
const chunkBytesMax = 65_536

/** How long to wait when the other end takes nothing now. */
const retryMs = 10

/**
 * Writes lines to a file descriptor, in sequence, without ever making anybody wait: a terminal or a
 * pipe that stands still must stop no match.
 */
export class LineStream {
  /** Lines that were lost because nobody read. */
  lost = 0
  readonly #descriptor: number
  readonly #lines: string[] = []
  #waitingBytes = 0
  #isBroken = false
  #chunk: Buffer | undefined
  #whenEmpty: (() => void)[] = []

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  write(line: string): void {
    if (this.#isBroken || this.#waitingBytes > waitingBytesMax) {
      this.lost += 1
      return
    }
    this.#lines.push(line)
    this.#waitingBytes += line.length
    if (this.#chunk === undefined) this.#writeNext()
  }

  /** Resolves when all is written, or when that takes too long. */
  flush(waitMsMax = 500): Promise<void> {
    if (this.#chunk === undefined) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMsMax)
      this.#whenEmpty.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  #writeNext(): void {
    let text = ''
    while (this.#lines.length > 0 && text.length < chunkBytesMax) text += this.#lines.shift()
    if (text === '') {
      this.#chunk = undefined
      for (const resolve of this.#whenEmpty.splice(0)) resolve()
      return
    }
    this.#waitingBytes -= text.length
    this.#chunk = Buffer.from(text)
    this.#writeChunk(this.#chunk)
  }

  #writeChunk(chunk: Buffer): void {
    write(this.#descriptor, chunk, (error, written) => {
      if (error?.code === 'EAGAIN') setTimeout(() => this.#writeChunk(chunk), retryMs)
      else if (error !== null) {
        // Whoever read it is gone, and nobody else will come.
        this.#isBroken = true
        this.#lines.length = 0
        this.#writeNext()
      } else if (written < chunk.length) this.#writeChunk(chunk.subarray(written))
      else this.#writeNext()
    })
  }
}
