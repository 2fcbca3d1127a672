/**
 * What happened, twice: as a running 64-bit hash of every delivered event (two runs of one plan must
 * agree, I-22), and, when asked for, as the last lines in readable form for the report of a failure.
 */

/** What an event is, in the trace. The numbers are part of the hash, so they never change. */
export const traceKinds = ['', 'packet', 'opened', 'closed', 'time', 'work', 'action'] as const

/** One kind of traced event: an index into {@link traceKinds}. */
export type TraceKind = 1 | 2 | 3 | 4 | 5 | 6

const linePrefixBytes = 12

type Line = {
  timeUs: number
  kind: number
  node: string
  link: number
  byteLength: number
  prefix: string
  note: string
}

/** Hash and last lines of one run. */
export class Trace {
  readonly #words = new Int32Array([0x243f_6a88, 0x1319_8a2e])
  readonly #lines: Line[] = []
  readonly #linesMax: number
  #next = 0

  /** Keeps the last `linesMax` lines; 0, the fast choice, keeps none. */
  constructor(linesMax = 0) {
    this.#linesMax = linesMax
  }

  get isKeepingLines(): boolean {
    return this.#linesMax > 0
  }

  /** Takes one event into the hash. `node` and `link` are numbers, −1 for none. */
  hash(kind: TraceKind, timeUs: number, node: number, link: number, bytes?: Uint8Array): void {
    const words = this.#words
    let a = words[0]!
    let b = words[1]!
    // The time's upper bits are shared by many events; they share their word with kind and node.
    const high = Math.floor(timeUs / 4_294_967_296)
    a = Math.imul(a ^ timeUs, 0x9e37_79b1)
    b = Math.imul(b ^ (high + (kind << 16) + (node << 20)), 0x85eb_ca77)
    a = ((a ^ (a >>> 15)) + b) | 0
    b = ((b << 19) | (b >>> 13)) ^ a ^ link
    if (bytes !== undefined) {
      const length = bytes.length
      let index = 0
      for (; index + 4 <= length; index += 4) {
        const word =
          bytes[index]! |
          (bytes[index + 1]! << 8) |
          (bytes[index + 2]! << 16) |
          (bytes[index + 3]! << 24)
        a = Math.imul(a ^ word, 0x9e37_79b1)
        b = Math.imul(((b << 19) | (b >>> 13)) ^ a, 0x85eb_ca77)
        a ^= a >>> 15
      }
      let rest = length << 24
      for (let shift = 0; index < length; index++, shift += 8) rest ^= bytes[index]! << shift
      a = Math.imul(a ^ rest, 0x9e37_79b1)
      b = Math.imul((b ^ (b >>> 13)) + a + length, 0x85eb_ca77)
    }
    words[0] = a ^ (a >>> 16)
    words[1] = b ^ (b >>> 14)
  }

  /** Keeps a line about an event that was hashed. */
  keep(kind: TraceKind, timeUs: number, node: string, link: number, bytes?: Uint8Array): void {
    let prefix = ''
    for (let index = 0; index < Math.min(linePrefixBytes, bytes?.length ?? 0); index++) {
      prefix += hex(bytes![index]!, 2)
    }
    this.#push({ timeUs, kind, node, link, byteLength: bytes?.length ?? -1, prefix, note: '' })
  }

  /** Keeps a line that somebody wrote: a fault that begins, an order that is issued. */
  note(text: string, timeUs: number): void {
    if (this.isKeepingLines) {
      this.#push({ timeUs, kind: 0, node: '', link: -1, byteLength: -1, prefix: '', note: text })
    }
  }

  /** 16 hex digits over everything so far. */
  digest(): string {
    return hex(this.#words[0]! >>> 0, 8) + hex(this.#words[1]! >>> 0, 8)
  }

  /** The kept lines as text, oldest first. */
  lines(): string[] {
    const ring = [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)]
    return ring.map((line) => {
      const time = (line.timeUs / 1000).toFixed(3).padStart(12)
      if (line.kind === 0) return `${time}  * ${line.note}`
      const link = line.link < 0 ? '' : ` link ${line.link}`
      const dots = line.byteLength > linePrefixBytes ? '…' : ''
      const bytes = line.byteLength < 0 ? '' : ` ${line.byteLength} B ${line.prefix}${dots}`
      return `${time}  ${line.node.padEnd(8)} ${traceKinds[line.kind]}${link}${bytes}`.trimEnd()
    })
  }

  #push(line: Line): void {
    if (this.#lines.length < this.#linesMax) this.#lines.push(line)
    else {
      this.#lines[this.#next] = line
      this.#next = (this.#next + 1) % this.#linesMax
    }
  }
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0')
}
