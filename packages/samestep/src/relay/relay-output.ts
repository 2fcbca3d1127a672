import { waitingOrdersMax } from '../wire/limits.ts'
import type { MatchEvent } from './match-types.ts'

/** How a relay is made. */
export interface RelayOptions {
  /** Where ids, seeds and tickets come from: true randomness in a process, a seed in a storm. */
  randomBytes(count: number): Uint8Array
  /** The most matches at once. */
  readonly matchesMax?: number
  /** The most orders of one seat that wait for a tick with room; more are refused. */
  readonly waitingOrdersMax?: number
  /** Whether whoever is first may make a match of that name. Everybody may when left out. */
  mayCreate?(name: string): boolean
  /** Whether every sealed tick is told, with its bundle: for tools. True when left out. */
  readonly tellSealed?: boolean
  /**
   * Whether turns wait for the next tick of their match, which is when they begin to matter: with many
   * matches that saves much time. True when left out.
   */
  readonly deferTurns?: boolean
}

/** What is meant where nothing is said. */
export const optionDefaults = {
  matchesMax: 10_000,
  waitingOrdersMax,
  mayCreate: (): boolean => true,
  tellSealed: true,
  deferTurns: true,
} as const

/** Sends a packet over a link of this owner, now. */
export type SendNow = (owner: unknown, bytes: Uint8Array) => void

/** What a relay wants done, in sequence. */
export type RelayOutput =
  /** `owner` is what was given when the link was opened. */
  | {
      readonly type: 'send'
      readonly link: number
      readonly owner: unknown
      readonly bytes: Uint8Array
    }
  /** Close this link once what was sent is out. */
  | { readonly type: 'close'; readonly link: number; readonly code: number }
  /** Whoever is at the other end was let in: it is no stranger any more. */
  | { readonly type: 'seated'; readonly link: number }
  | { readonly type: 'match'; readonly match: string; readonly event: MatchEvent }
