/** What a page may load at first, in bytes of gzip, by what its game imports. */

/** One promise about the size of a page. */
export interface SizeLimit {
  readonly title: string
  readonly code: string
  /** A little above what was reached: who needs more moves something else into a later chunk. */
  readonly gzippedMax: number
}

const use = (names: string): string =>
  `import { ${names} } from 'samestep'\nglobalThis.used = [${names}]`

/** The imports whose size is watched. */
export const sizeLimits: readonly SizeLimit[] = [
  { title: 'defineGame', code: use('defineGame, table, fixed'), gzippedMax: 26_500 },
  { title: 'playLocal', code: use('defineGame, table, fixed, playLocal'), gzippedMax: 181_000 },
  { title: 'joinMatch', code: use('defineGame, table, fixed, joinMatch'), gzippedMax: 31_000 },
]

/** Clients of others, gzip, measured from what they publish. */
export const peers: readonly (readonly [name: string, kilobytes: number])[] = [
  ['poki netlib (transport only)', 7.7],
  ['rollback-netcode 0.0.6', 17.6],
  ['nakama-js', 20],
  ['netplayjs', 49],
  ['@colyseus/sdk', 70],
  ['boardgame.io (not minified)', 79],
  ['Croquet', 121],
]
