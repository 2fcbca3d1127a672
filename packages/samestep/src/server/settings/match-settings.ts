/** Settings of matches: how many, who makes them, and what whoever makes one may choose. */

import * as v from 'valibot'
import { resyncsMaxDefault } from '../../relay/desync/reaction.ts'
import { makeUpMsDefault } from '../../relay/match/ticks/tick-clock.ts'
import { seatsMax } from '../../sim/limits.ts'
import { optionsBytesMax, spectatorsMax, speedPercentMax } from '../../wire/limits.ts'
import type { Setting } from './setting-kinds.ts'
import { asNumber, countSetting, whole, words } from './setting-kinds.ts'

/** In the sequence in which people look for them. */
export const matchSettings: readonly Setting[] = [
  countSetting(
    {
      key: 'matchesMax',
      flag: '--matches-max <number>',
      env: 'SAMESTEP_MATCHES_MAX',
      what: 'matches at once',
      initial: '10000',
    },
    1,
    1_000_000,
  ),
  countSetting(
    {
      key: 'matchesPerAddress',
      flag: '--matches-per-address <number>',
      env: 'SAMESTEP_MATCHES_PER_ADDRESS',
      what: 'existing matches that one address may have created',
      initial: '64',
    },
    1,
    1_000_000,
  ),
  countSetting(
    {
      key: 'matchesPerMinute',
      flag: '--matches-per-minute <number>',
      env: 'SAMESTEP_MATCHES_PER_MINUTE',
      what: 'matches that one address may create per minute',
      initial: '240',
    },
    1,
    10_000,
  ),
  {
    key: 'createMatches',
    flag: '--create-matches <who>',
    env: 'SAMESTEP_CREATE_MATCHES',
    what: 'who may create a match by joining a new name; token: only authorized players',
    allowed: 'anyone, token or nobody',
    initial: 'anyone',
    schema: v.picklist(['anyone', 'token', 'nobody']),
    fromText: (value) => value,
  },
  {
    key: 'witnesses',
    flag: '--witnesses <who>',
    env: 'SAMESTEP_WITNESSES',
    what: 'who may join a match as a witness; token: only authorized witnesses',
    allowed: 'anyone, token or nobody',
    initial: 'token',
    schema: v.picklist(['anyone', 'token', 'nobody']),
    fromText: (value) => value,
  },
  countSetting(
    {
      key: 'matchLimits.seatsMax',
      flag: '--seats-max <number>',
      env: 'SAMESTEP_SEATS_MAX',
      what: 'seats of a match',
      initial: String(seatsMax),
    },
    1,
    seatsMax,
  ),
  countSetting(
    {
      key: 'matchLimits.spectatorsMax',
      flag: '--spectators-max <number>',
      env: 'SAMESTEP_SPECTATORS_MAX',
      what: 'spectators of a match',
      initial: String(spectatorsMax),
    },
    0,
    spectatorsMax,
  ),
  countSetting(
    {
      key: 'matchLimits.tickRateMax',
      flag: '--tick-rate-max <number>',
      env: 'SAMESTEP_TICK_RATE_MAX',
      what: 'tick rate of a match, per second',
      initial: '240',
    },
    1,
    240,
  ),
  countSetting(
    {
      key: 'matchLimits.speedPercentMax',
      flag: '--speed-max <percent>',
      env: 'SAMESTEP_SPEED_MAX',
      what: 'maximum speed of a match, in percent',
      initial: String(speedPercentMax),
    },
    100,
    speedPercentMax,
  ),
  countSetting(
    {
      key: 'matchLimits.ticksPerSecondMax',
      flag: '--ticks-per-second-max <number>',
      env: 'SAMESTEP_TICKS_PER_SECOND_MAX',
      what: 'tick rate of a match times its speed',
      initial: '240',
    },
    1,
    2_400,
  ),
  countSetting(
    {
      key: 'matchLimits.optionsBytesMax',
      flag: '--options-bytes-max <number>',
      env: 'SAMESTEP_OPTIONS_BYTES_MAX',
      what: 'bytes of the options of a match',
      initial: String(optionsBytesMax),
    },
    0,
    optionsBytesMax,
  ),
  countSetting(
    {
      key: 'matchLimits.emptyMsMax',
      flag: '--empty-ms-max <number>',
      env: 'SAMESTEP_EMPTY_MS_MAX',
      what: 'milliseconds for which a launched match may be kept while it is empty',
      initial: '10000',
    },
    0,
    600_000,
  ),
  countSetting(
    {
      key: 'matchLimits.resyncsMax',
      flag: '--resyncs-max <number>',
      env: 'SAMESTEP_RESYNCS_MAX',
      what: "resyncs of one player in ten minutes, in matches with desync: 'resync'; 0 forbids such matches",
      initial: String(resyncsMaxDefault),
    },
    0,
    100,
  ),
  {
    key: 'showDesyncValues',
    flag: '--show-desync-values [yes|no]',
    env: 'SAMESTEP_SHOW_DESYNC_VALUES',
    what: 'show players the values that differ in a desync; for development only, because they may be secrets of other players',
    allowed: 'true or false (yes or no)',
    initial: 'no',
    schema: v.boolean(),
    fromText: (value) => words.get(value) ?? value,
  },
  {
    key: 'debugLevel',
    flag: '--debug-level <level>',
    env: 'SAMESTEP_DEBUG_LEVEL',
    what: 'debug level requested from clients, for development; only clients built with relayDebugLevelMax follow',
    allowed: 'a whole number from 0 (off) to 4',
    initial: '0',
    schema: whole(0, 4),
    fromText: asNumber,
  },
  {
    key: 'kickAddresses',
    flag: '--kick-addresses [yes|no]',
    env: 'SAMESTEP_KICK_ADDRESSES',
    what: 'a kick also blocks the address, and everybody else behind it',
    allowed: 'true or false (yes or no)',
    initial: 'no',
    schema: v.boolean(),
    fromText: (value) => words.get(value) ?? value,
  },
  countSetting(
    {
      key: 'makeUpMs',
      flag: '--make-up-ms <number>',
      env: 'SAMESTEP_MAKE_UP_MS',
      what: 'milliseconds of a stall that matches make up, at twice their pace; the rest becomes a pause',
      initial: String(makeUpMsDefault),
    },
    0,
    2_000,
  ),
  countSetting(
    {
      key: 'connectionsMax',
      flag: '--connections-max <number>',
      env: 'SAMESTEP_CONNECTIONS_MAX',
      what: 'WebSockets at once; keep it below the limit of open files',
      initial: '16384',
    },
    1,
    1_000_000,
  ),
  countSetting(
    {
      key: 'connectionsPerAddress',
      flag: '--connections-per-address <number>',
      env: 'SAMESTEP_CONNECTIONS_PER_ADDRESS',
      what: 'players and spectators of one address at once, over all transports',
      initial: '256',
    },
    1,
    1_000_000,
  ),
  countSetting(
    {
      key: 'strangersPerAddress',
      flag: '--strangers-per-address <number>',
      env: 'SAMESTEP_STRANGERS_PER_ADDRESS',
      what: 'connections of one address that have not joined yet',
      initial: '16',
    },
    1,
    1_000_000,
  ),
]
