import { waitingOrdersMax } from '../wire/limits.ts'
import type { Doors } from '../wire/messages/doors.ts'
import { noDoors } from '../wire/messages/doors.ts'
import type { WitnessRule } from './links/door.ts'
import type { MatchCaps } from './links/match-caps.ts'
import { capsOfProtocol } from './links/match-caps.ts'
import type { Match } from './match/match.ts'
import type { Makers } from './match/people/makers.ts'
import { makeUpMsDefault } from './match/ticks/tick-clock.ts'

/** How a relay is made. */
export interface RelayOptions {
  /** Where ids, seeds and tickets come from: true randomness in a process, a seed in a storm. */
  randomBytes(count: number): Uint8Array
  /** The most matches at once. */
  readonly matchesMax?: number
  /** The most matches at once that links of one address made. No limit when left out. */
  readonly matchesPerAddress?: number
  /** The most matches that links of one address make in a minute. No limit when left out. */
  readonly matchesPerMinute?: number
  /** Who made how many, where several relays share these limits. The relay's own count when left out. */
  readonly makers?: Makers<Match> | undefined
  /** What whoever makes a match may choose; whatever the protocol allows when left out. */
  readonly caps?: MatchCaps
  /** Whether a kick counts for the address too, and so for everybody behind it. Not when left out. */
  readonly kicksAddresses?: boolean
  /** Time that a stall of the process costs, and that matches make up at twice the pace; 200 ms. */
  readonly makeUpMs?: number
  /**
   * Whether each join waits for {@link Relay.handleAuthorized}, after an output `authorize`. When left
   * out, everybody is let in.
   */
  readonly isAuthorizing?: boolean
  /** Who may be the witness of a match: whoever was authorized as one (`token`) when left out. */
  readonly witnesses?: WitnessRule
  /** By which other ways links can come, so that clients can try them. None when left out. */
  doors?(): Doors
  /** The most orders of one seat that wait for a tick with room; more are refused. */
  readonly waitingOrdersMax?: number
  /**
   * A clock by which the cost of serving a match is measured, in ms. Without one, matches cost nothing,
   * and none is served later than it is due.
   */
  meterMs?(): number
  /**
   * Whether whoever is first may make a match of that name; `permission` is what was said about that
   * when it was authorized, if anything. When left out, everybody may who was not forbidden to.
   */
  mayCreate?(name: string, permission: boolean | undefined): boolean
  /**
   * The address of the player in whose process this relay runs, if there is one: no match goes faster
   * than that machine can bear, whoever else plays (LAG-06).
   */
  readonly hostAddress?: string | undefined
  /**
   * 32 secret bytes under which members are given what a relay with the same key needs to go on with
   * their match, should this one be lost. Nothing is given when left out.
   */
  readonly recoveryKey?: Uint8Array | undefined
  /** Whether what happens is written down: see `Relay.startRecord`. False when left out. */
  readonly isRecorded?: boolean
  /**
   * Whether turns wait for the next tick of their match, which is when they begin to matter: with many
   * matches that saves much time. True when left out.
   */
  readonly deferTurns?: boolean
  /**
   * Whether the state of a match is fetched now and then while a single player is left in it, who may
   * reload the page and would find nobody to get it from. True when left out.
   */
  readonly keepStates?: boolean
  /**
   * Whether all members of a match are told the values that differ, and the folders of source files, when
   * a desync is explained. For development: in a match, what a machine holds may be another player's
   * secret. False when left out.
   */
  readonly showsDesyncValues?: boolean
  /**
   * The debug level that clients are asked for. A wish: a client follows it as far as its own options
   * allow. 0 when left out: nobody is asked.
   */
  readonly debugLevel?: number
  /**
   * Whether a player is asked for a state from before a desync, so that its report can be run again
   * anywhere. For relays that keep reports: nobody else is told. False when left out.
   */
  readonly collectsDesyncStates?: boolean
}

/** What is meant where nothing is said. */
export const optionDefaults = {
  matchesMax: 10_000,
  matchesPerAddress: Number.POSITIVE_INFINITY,
  matchesPerMinute: Number.POSITIVE_INFINITY,
  caps: capsOfProtocol,
  kicksAddresses: false,
  makeUpMs: makeUpMsDefault,
  isAuthorizing: false,
  witnesses: 'token',
  waitingOrdersMax,
  meterMs: (): number => 0,
  mayCreate: (_name: string, permission: boolean | undefined): boolean => permission !== false,
  doors: (): Doors => noDoors,
  deferTurns: true,
  keepStates: true,
  isRecorded: false,
  recoveryKey: undefined,
  makers: undefined,
  hostAddress: undefined,
  showsDesyncValues: false,
  debugLevel: 0,
  collectsDesyncStates: false,
} as const
