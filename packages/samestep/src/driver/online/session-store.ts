import { secretBytes, ticketBytes } from '../../wire/messages/return-proof.ts'

/**
 * Stores what a page needs to get its seat back after a reload, like `sessionStorage`, which lasts as long
 * as its tab. In Node, any object with these three methods.
 */
export interface SessionStore {
  getItem(key: string): string | null
  setItem(key: string, value: string): void
  removeItem(key: string): void
}

/** What a client proves with that a session is its own. */
export interface SessionKeys {
  readonly ticket: Uint8Array
  readonly secret: Uint8Array
}

/** The keys of one session, over reloads where there is a store. */
export class KeptSession {
  readonly #store: SessionStore | undefined
  readonly #key: string
  readonly keys: SessionKeys

  /** `key` names the match, and the role in it: a tab may play in one and watch another. */
  constructor(store: SessionStore | undefined, key: string) {
    this.#store = store
    this.#key = `samestep ${key}`
    this.keys = this.#read() ?? makeKeys()
    this.#write()
  }

  /** The session is over for good: whoever loads the page again is somebody new. */
  forget(): void {
    attempt(() => this.#store?.removeItem(this.#key))
  }

  #read(): SessionKeys | undefined {
    const text = attempt(() => this.#store?.getItem(this.#key)) ?? ''
    const match = keptText.exec(text)
    if (match === null) return undefined
    return { ticket: bytesOf(match[1] as string), secret: bytesOf(match[2] as string) }
  }

  #write(): void {
    const { ticket, secret } = this.keys
    attempt(() => this.#store?.setItem(this.#key, `${hexOf(ticket)} ${hexOf(secret)}`))
  }
}

/**
 * The store that was asked for: the tab's own where there is one, for `true` and for nothing; none for
 * `false`.
 */
export function storeFor(remember: boolean | SessionStore | undefined): SessionStore | undefined {
  if (typeof remember === 'object') return remember
  if (remember === false) return undefined
  // A page without the right to store anything throws at the first look.
  return attempt(() => (globalThis as { readonly sessionStorage?: SessionStore }).sessionStorage)
}

/** Reasons for an end after which a page that is loaded again should not come back. */
const finalReasons: ReadonlySet<string> = new Set([
  'left',
  'kicked',
  'match-over',
  'no-match',
  'auth',
  'reconnect-budget',
  'replaced',
])

/** Whether a session that ended so can never be gone on with. */
export function isFinal(reason: string): boolean {
  return finalReasons.has(reason)
}

const keptText = new RegExp(`^([0-9a-f]{${ticketBytes * 2}}) ([0-9a-f]{${secretBytes * 2}})$`)

function makeKeys(): SessionKeys {
  return {
    ticket: crypto.getRandomValues(new Uint8Array(ticketBytes)),
    secret: crypto.getRandomValues(new Uint8Array(secretBytes)),
  }
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

/** Storage is a convenience: where it fails, the page is as one that has none. */
function attempt<T>(action: () => T): T | undefined {
  try {
    return action()
  } catch {
    return undefined
  }
}
