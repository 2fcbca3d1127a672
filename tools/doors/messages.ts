import type { Place } from './stranger.ts'

/** What the process of the strangers is told. */
export type CrowdOrder =
  | {
      readonly type: 'begin'
      readonly place: Place
      readonly seed: number
      readonly strangers: number
    }
  | { readonly type: 'stop' }

/** What it tells. */
export type CrowdReport =
  | { readonly type: 'ready' }
  /** Acts that were begun, oldest first. */
  | { readonly type: 'did'; readonly acts: readonly string[] }
  /** A mistake of the strangers themselves. */
  | { readonly type: 'broken'; readonly message: string }
  | { readonly type: 'gone' }
