/** Who may come in, decided before any WebSocket exists (T-20, T-27). */
import type { IncomingMessage } from 'node:http'
import { UsageError } from '../../base/errors.ts'
import { strangersMax } from '../../wire/limits.ts'
import { addressBlock, TrustedProxies } from './address-block.ts'
import { strangersPerBlockMax } from './websocket-limits.ts'

/** What the guard can be told. */
export interface UpgradeGuardOptions {
  /**
   * Pages that may connect, by their exact origin (`https://game.example`); the text `null` for pages
   * without one. Programs that are no browsers send no origin and are not asked. Empty when left out.
   */
  readonly origins?: readonly string[] | 'any'
  /** Addresses and networks of proxies whose `X-Forwarded-For` counts. None when left out. */
  readonly trustedProxies?: readonly string[]
  /** The only path that is answered. Every path when left out. */
  readonly path?: string
  /** Connections per address that have not said who they are: 16 when left out. */
  readonly strangersPerAddress?: number
}

/** Why somebody was not let in. */
export type Refusal =
  | 'path'
  | 'version'
  | 'origin'
  | 'address-full'
  | 'full'
  | 'connections-per-address'

/** The HTTP answer of each refusal. */
export const refusalStatus: Readonly<Record<Refusal, number>> = {
  path: 404,
  version: 426,
  origin: 403,
  'address-full': 429,
  full: 503,
  'connections-per-address': 429,
}

/** Keeps count of the connections of each address, over as many listeners as share it. */
export interface ConnectionLedger {
  /** Takes a place. Gives what frees it; undefined when the address has all that it may have. */
  enter(address: string): (() => void) | undefined
}

/** Judges requests for an upgrade, and counts strangers by address. */
export class UpgradeGuard {
  readonly #origins: ReadonlySet<string> | 'any'
  readonly #proxies: TrustedProxies
  readonly #path: string | undefined
  readonly #perBlockMax: number
  /** Strangers of each block that has any. */
  readonly #strangers = new Map<string, number>()
  #strangersTotal = 0

  constructor(options: UpgradeGuardOptions) {
    this.#origins = options.origins === 'any' ? 'any' : checkOrigins(options.origins ?? [])
    this.#proxies = new TrustedProxies(options.trustedProxies ?? [])
    this.#path = options.path
    this.#perBlockMax = options.strangersPerAddress ?? strangersPerBlockMax
  }

  /** Where a request comes from, as far as it can be believed. */
  addressOf(request: IncomingMessage): string {
    return this.#proxies.addressOfRequest(request)
  }

  /** Whether the path is one of ours. */
  isOurs(request: IncomingMessage): boolean {
    if (this.#path === undefined) return true
    const url = request.url ?? ''
    const query = url.indexOf('?')
    return (query < 0 ? url : url.slice(0, query)) === this.#path
  }

  /** Why this request is refused; undefined when it is not. */
  judge(request: IncomingMessage, address: string): Refusal | undefined {
    if (!this.isOurs(request)) return 'path'
    // Version 8 named its origin in another header, and no browser of today speaks it.
    if (request.headers['sec-websocket-version'] !== '13') return 'version'
    const { origin } = request.headers
    if (origin !== undefined && this.#origins !== 'any' && !this.#origins.has(origin)) {
      return 'origin'
    }
    if ((this.#strangers.get(addressBlock(address)) ?? 0) >= this.#perBlockMax) {
      return 'address-full'
    }
    return this.#strangersTotal >= strangersMax ? 'full' : undefined
  }

  /** Counts a stranger. The function that it returns uncounts it, once. */
  admit(address: string): () => void {
    const block = addressBlock(address)
    this.#strangers.set(block, (this.#strangers.get(block) ?? 0) + 1)
    this.#strangersTotal++
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      this.#strangersTotal--
      const left = this.#strangers.get(block)! - 1
      if (left === 0) this.#strangers.delete(block)
      else this.#strangers.set(block, left)
    }
  }
}

/** Every origin must be spelled as browsers spell it, or it would never match. */
function checkOrigins(origins: readonly string[]): ReadonlySet<string> {
  for (const origin of origins) {
    if (origin === 'null') continue
    const spelled = URL.canParse(origin) ? new URL(origin).origin : undefined
    if (spelled === origin) continue
    const isNear = spelled !== undefined && spelled !== 'null'
    throw new UsageError(
      'SS_BAD_ARGUMENT',
      `Cannot allow the origin ${JSON.stringify(origin)}: it must be spelled as browsers do, ` +
        (isNear ? `${JSON.stringify(spelled)}` : 'such as "https://game.example"'),
    )
  }
  return new Set(origins)
}
