import type { Doors } from '../../wire/messages/doors.ts'
import type { MatchTable } from '../match/match-table.ts'
import type { Recoveries } from '../recovery/recoveries.ts'
import type { RelayOutputs } from '../relay-outputs.ts'
import type { WitnessRule } from './door.ts'
import type { LinkEndings } from './link-endings.ts'
import type { LinkTable } from './link-table.ts'

/** What a reception needs of the relay around it. */
export interface ReceptionParts {
  readonly links: LinkTable
  readonly matches: MatchTable
  readonly outputs: RelayOutputs
  readonly endings: LinkEndings
  /** Whether somebody else decides who comes in. */
  readonly isAuthorizing: boolean
  /** Where the player connects from in whose process this is; nobody plays there when `undefined`. */
  readonly hostAddress: string | undefined
  /** The debug level that members are asked for; 0 for none. */
  readonly debugLevel: number
  /** By which other ways links can come. */
  doors(): Doors
  /** Who may be the witness of a match. */
  readonly witnesses: WitnessRule
  /** What the driver's clock says. */
  driverMs(): number
  randomBytes(count: number): Uint8Array
  /** Matches that are put together from what clients have; none where nothing is given to them. */
  readonly recoveries: Recoveries | undefined
}
