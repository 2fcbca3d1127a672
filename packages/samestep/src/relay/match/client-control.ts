import type { OrderRefusal } from '../../wire/codes.ts'
import type { RelayControl } from '../../wire/ticks/relay-bundles.ts'
import { marginUnknown, refusalsPerControlMax } from '../../wire/ticks/relay-bundles.ts'

/**
 * What one client is told besides the ticks: which of its orders were taken or refused, and how early
 * its inputs arrive. A block has a version; it is repeated until the client names it. Changes add up
 * until a block is sent, so that there are no more versions than ticks.
 */
export class ClientControl {
  #block: RelayControl = {
    version: 0,
    orderNumber: 0,
    lateInputs: 0,
    echoStamp: 0,
    echoHeldMs: 0,
    token: 0,
    marginMinMs: marginUnknown,
    marginMedianMs: marginUnknown,
    refusals: [],
  }
  /** Whether something has changed since the block was made. */
  #isStale = false
  /** The versions that the client saw last, and was sent last, over this link; -1 for none. */
  #seenVersion = 0
  #sentVersion = 0
  /**
   * How many blocks were made, and the newest that the client saw. A version is such a number modulo
   * {@link controlVersions}.
   */
  #count = 0
  #seenCount = 0
  #lateInputs = 0
  /** Unconfirmed refusals; `count` is the number of the first block that can contain one. */
  #refusals: { number: number; reason: OrderRefusal; count: number; isOld: boolean }[] = []
  /** How early inputs arrived since the last block: the newest few, because only the newest matter. */
  readonly #margins: number[] = new Array<number>(marginsKept).fill(0)
  #marginCount = 0
  /** The version of the block, kept here so that most ticks need to read nothing else. */
  #version = 0
  #token = 0
  #stamp = 0
  #stampAtMs = Number.NEGATIVE_INFINITY
  #echoedAtMs = Number.NEGATIVE_INFINITY

  /** Whether the block differs from what was sent over this link: for streams, which lose nothing. */
  get isUnsent(): boolean {
    return this.#sentVersion !== this.#version
  }

  /** Whether the block differs from what the client says it has seen: for datagrams. */
  get isUnseen(): boolean {
    return this.#seenVersion !== this.#version
  }

  /** Refusals that the client has not confirmed, except those of a previous relay: it may know them. */
  get openRefusals(): number {
    let count = 0
    for (const { isOld } of this.#refusals) if (!isOld) count += 1
    return count
  }

  /** All unconfirmed refusals, in sequence, with the low 16 bits of their numbers. */
  get refusals(): readonly { readonly number: number; readonly reason: OrderRefusal }[] {
    return this.#refusals
  }

  /** There is a new link: what was sent over the old one may never have arrived. */
  restart(): void {
    this.#sentVersion = -1
    this.#seenVersion = -1
    // The client sees nothing over this link that is older than the first block sent over it.
    this.#seenCount = Math.max(this.#count - 1, 0)
  }

  /** The client names the version that it saw last, or {@link controlVersions} for none. */
  see(version: number): void {
    if (version === this.#seenVersion) return
    this.#seenVersion = version
    if (version < controlVersions) this.#confirm(version)
  }

  /** `isOld` marks what a previous relay refused. */
  refuse(number: number, reason: OrderRefusal, isOld = false): void {
    this.#refusals.push({ number: number % 65_536, reason, count: this.#count + 1, isOld })
    this.#isStale = true
  }

  countLateInput(): void {
    this.#lateInputs = (this.#lateInputs + 1) % 256
    this.#isStale = true
  }

  /** A new token for the client to send back. */
  setToken(token: number): void {
    this.#token = token
    this.#isStale = true
  }

  /** An input arrived `marginMs` before its tick was sealed; negative for after. */
  noteMargin(marginMs: number): void {
    const whole = Math.round(Math.min(Math.max(marginMs, -marginMsMax), marginMsMax))
    this.#margins[this.#marginCount % marginsKept] = whole
    this.#marginCount += 1
  }

  /** Orders were taken or refused: the next block says so. */
  answerOrders(): void {
    this.#isStale = true
  }

  /** The client repeated orders that were answered: the answer was lost. */
  repeat(): void {
    this.#seenVersion = -1
  }

  /** Notes the client's own time, to be echoed. */
  noteStamp(stamp: number, nowMs: number): void {
    this.#stamp = stamp
    this.#stampAtMs = nowMs
    if (nowMs - this.#echoedAtMs >= echoEveryMs) this.#isStale = true
  }

  /** Makes a new block if something has changed. Called before something is sent. */
  refresh(nextOrder: number): void {
    // More unseen blocks could not be told apart by their versions: changes wait.
    if (!this.#isStale || this.#count - this.#seenCount >= unseenBlocksMax) return
    this.#isStale = false
    this.#count += 1
    const refusals = this.#takeRefusals()
    const marginsUsed = Math.min(this.#marginCount, marginsKept)
    if (marginsUsed > 0) sortMargins(this.#margins, marginsUsed)
    this.#version = this.#count % controlVersions
    this.#block = {
      version: this.#version,
      orderNumber: nextOrder % 65_536,
      lateInputs: this.#lateInputs,
      echoStamp: 0,
      echoHeldMs: 0,
      token: this.#token,
      marginMinMs: marginsUsed === 0 ? marginUnknown : (sortedMargins[0] as number),
      marginMedianMs:
        marginsUsed === 0 ? marginUnknown : (sortedMargins[marginsUsed >> 1] as number),
      refusals,
    }
    this.#marginCount = 0
  }

  #takeRefusals(): RelayControl['refusals'] {
    if (this.#refusals.length === 0) return noRefusals
    // What does not fit waits for a later block, and counts as seen only with that one.
    for (const waiting of this.#refusals.slice(refusalsPerControlMax)) {
      waiting.count = this.#count + 1
    }
    return this.#refusals.slice(0, refusalsPerControlMax)
  }

  /** The block, to be sent now. */
  take(nowMs: number): RelayControl {
    this.#sentVersion = this.#version
    this.#echoedAtMs = nowMs
    const held = Math.min(Math.round(nowMs - this.#stampAtMs), 65_535)
    const { version, orderNumber, lateInputs, token } = this.#block
    const { marginMinMs, marginMedianMs, refusals } = this.#block
    return {
      version,
      orderNumber,
      lateInputs,
      echoStamp: this.#stamp,
      echoHeldMs: held,
      token,
      marginMinMs,
      marginMedianMs,
      refusals,
    }
  }

  /**
   * The client has seen a block, and so every refusal in it. Usually the block has changed since: on
   * a long line, orders are answered more often than a version can come back.
   */
  #confirm(version: number): void {
    const seen = this.#seenCount % controlVersions
    const newCount = this.#seenCount + ((version - seen + controlVersions) % controlVersions)
    // No such block was ever made: the version is outdated, or a lie.
    if (newCount > this.#count) return
    this.#seenCount = newCount
    const isOpen = ({ count }: { readonly count: number }) => count > newCount
    if (this.#refusals.every(isOpen)) return
    this.#refusals = this.#refusals.filter(isOpen)
    this.#isStale = true
  }
}

const noRefusals: RelayControl['refusals'] = Object.freeze([])

/** Margins of one block: about a second of inputs at 30 per second. */
const marginsKept = 32

/** Larger margins are clamped to this: nobody holds an input back for half a minute. */
const marginMsMax = 30_000

/** Versions of the block. 255 is left out: a client that has seen none sends it. */
export const controlVersions = 255

/** Blocks that may be unseen at once: fewer than there are versions, with room for outdated ones. */
const unseenBlocksMax = 200

/** How often a client learns its round trip if nothing else changes. */
const echoEveryMs = 500

/** Shared by all clients: calls do not overlap. */
const sortedMargins = new Int16Array(marginsKept)

/** Insertion sort: samples are few, and a block is made for every client twice a second. */
function sortMargins(samples: readonly number[], used: number): void {
  const sorted = sortedMargins
  for (let index = 0; index < used; index++) {
    const sample = samples[index] as number
    let at = index
    for (; at > 0 && (sorted[at - 1] as number) > sample; at--) {
      sorted[at] = sorted[at - 1] as number
    }
    sorted[at] = sample
  }
}
