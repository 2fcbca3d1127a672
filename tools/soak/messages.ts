import type { PlayerPlan, PlayerReport } from './player.ts'
import type { Addresses } from './ways.ts'

/** What a troupe of players in a process of its own is told. */
export type TroupeOrder =
  | { readonly type: 'join'; readonly plans: readonly PlayerPlan[]; readonly addresses: Addresses }
  | { readonly type: 'begin' }
  | { readonly type: 'rest' }
  | { readonly type: 'report'; readonly ticks: Ticks; readonly msMax: number }
  | { readonly type: 'leave' }

/** A tick for each match. */
export type Ticks = { readonly [match: string]: number }

/** What it answers. */
export type TroupeAnswer =
  | { readonly type: 'ready' }
  | { readonly type: 'joined'; readonly failure: string | undefined }
  | { readonly type: 'reports'; readonly reports: readonly PlayerReport[] }
  | { readonly type: 'left' }
