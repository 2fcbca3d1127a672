import { seatsMax } from '../../sim/limits.ts'
import { loadMsMax, optionsBytesMax, spectatorsMax, speedPercentMax } from '../../wire/limits.ts'
import type { MatchConfig } from '../../wire/messages/match-config.ts'
import { resyncsMaxDefault } from '../desync/reaction.ts'
import type { Refusal } from './door.ts'

/**
 * Limits on what the creator of a match may choose. A client decides seats, rate and options of a
 * match by being the first to ask for it, and the relay does the work: the operator says how much.
 */
export interface MatchCaps {
  readonly seatsMax: number
  /** A match that asks for more spectators is created, and takes this many. */
  readonly spectatorsMax: number
  readonly tickRateMax: number
  readonly speedPercentMax: number
  /** Tick rate times speed: what a match costs the relay. */
  readonly ticksPerSecondMax: number
  readonly optionsBytesMax: number
  /** How long an empty match is kept, once it was launched. */
  readonly emptyMsMax: number
  /**
   * How often within ten minutes a player who differs from the majority is given its state. With 0,
   * no match may be created with `desync: 'resync'`.
   */
  readonly resyncsMax: number
}

/** What the protocol allows. For relays that no stranger can reach, and for tests. */
export const capsOfProtocol: MatchCaps = {
  seatsMax,
  spectatorsMax,
  tickRateMax: 240,
  speedPercentMax,
  ticksPerSecondMax: 2_400,
  optionsBytesMax,
  emptyMsMax: loadMsMax,
  resyncsMax: resyncsMaxDefault,
}

/** Checks a config against the limits. Returns the first choice that is too large, with its limit. */
export function checkCaps(config: MatchConfig, caps: MatchCaps): Refusal | undefined {
  const { seats, tickRate, options, lobby } = config
  const choices = [
    ['seats', seats, caps.seatsMax],
    ['tick rate', tickRate, caps.tickRateMax],
    ['ticks per second', tickRate, caps.ticksPerSecondMax],
    ['bytes of options', options.byteLength, caps.optionsBytesMax],
    ['ms to keep it empty', lobby.emptyMs, caps.emptyMsMax],
  ] as const
  for (const [item, wanted, most] of choices) {
    if (wanted > most) return tooMuch(item, wanted, most)
  }
  if (config.desync === 'resync' && caps.resyncsMax === 0) return noResync
  return undefined
}

/** The highest speed of a match with this tick rate, in percent. */
export function speedCap(tickRate: number, caps: MatchCaps): number {
  return Math.min(caps.speedPercentMax, Math.floor((100 * caps.ticksPerSecondMax) / tickRate))
}

const noResync: Refusal = {
  reason: 'no-match',
  item: 'desync',
  theirs: 'resync',
  ours: 'warn or halt',
  message:
    "Cannot create the match: it asks for desync: 'resync'; this relay allows 'warn' and 'halt'",
}

function tooMuch(item: string, wanted: number, most: number): Refusal {
  const what = item === 'tick rate' ? `a tick rate of ${wanted}` : `${wanted} ${item}`
  return {
    reason: 'no-match',
    item,
    theirs: String(wanted),
    ours: `at most ${most}`,
    message: `Cannot create the match: it asks for ${what}; this relay allows at most ${most}`,
  }
}
