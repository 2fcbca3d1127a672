import type { MatchCaps } from '../relay/links/match-caps.ts'
import { capsOfProtocol } from '../relay/links/match-caps.ts'
import { makeUpMsDefault } from '../relay/match/ticks/tick-clock.ts'
import type { RelayServerOptions } from './relay-server.ts'
import { loadSecretKey } from './settings/udp-key.ts'

/** What every core is told about matches, whichever process it is in. */
export interface MatchRules {
  readonly matchesMax: number
  readonly matchesPerAddress: number
  readonly matchesPerMinute: number
  readonly caps: MatchCaps
  readonly kicksAddresses: boolean
  readonly witnesses: 'anyone' | 'token' | 'nobody'
  readonly makeUpMs: number
  /** Whether members are told the values that differ when a desync is explained. */
  readonly showsDesyncValues: boolean
  /** The debug level that clients are asked for. */
  readonly debugLevel: number
  /** Where reports of desyncs are kept; nowhere when left out. */
  readonly desyncs?: string
  /** Under which clients keep what another relay needs; nothing is kept when left out. */
  readonly recoveryKey?: Uint8Array
}

/** The rules that somebody's options mean. Throws `SS_BAD_ARGUMENT` for a key file that is none. */
export function matchRulesOf(options: RelayServerOptions): MatchRules {
  const { recoveryKeyFile } = options
  return {
    matchesMax: options.matchesMax ?? matchesMaxDefault,
    matchesPerAddress: options.matchesPerAddress ?? matchesPerAddressDefault,
    matchesPerMinute: options.matchesPerMinute ?? matchesPerMinuteDefault,
    caps: { ...capsDefault, ...options.matchLimits },
    kicksAddresses: options.kickAddresses === true,
    witnesses: options.witnesses ?? 'token',
    makeUpMs: options.makeUpMs ?? makeUpMsDefault,
    showsDesyncValues: options.showDesyncValues === true,
    debugLevel: options.debugLevel ?? 0,
    ...(options.desyncs ? { desyncs: options.desyncs } : {}),
    ...(recoveryKeyFile
      ? { recoveryKey: loadSecretKey(recoveryKeyFile, 'recovery key').secretKey }
      : {}),
  }
}

/**
 * What whoever makes a match may choose. Eight times the usual speed, at 30 ticks per second, and no
 * match is kept long for nobody.
 */
const capsDefault: MatchCaps = { ...capsOfProtocol, ticksPerSecondMax: 240, emptyMsMax: 10_000 }

/** Matches that one address may make in a minute: as a school that plays short rounds. */
const matchesPerMinuteDefault = 240

/** The most matches, unless somebody says otherwise. Each takes about 100 KB at most of the time. */
const matchesMaxDefault = 10_000

/** Matches that one address may have made, unless somebody says otherwise: a school, or a LAN party. */
const matchesPerAddressDefault = 64
