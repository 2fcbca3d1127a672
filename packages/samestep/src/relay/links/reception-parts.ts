import type { Doors } from '../../wire/messages/doors.ts'
import type { MatchTable } from '../match/match-table.ts'
import type { Recoveries } from '../recovery/recoveries.ts'
import type { RelayOutputs } from '../relay-outputs.ts'
import type { WitnessRule } from './door.ts'
import type { LinkEndings } from './link-endings.ts'
import type { LinkTable } from './link-table.ts'

/** What a reception needs from its relay. */
export interface ReceptionParts {
  readonly links: LinkTable
  readonly matches: MatchTable
  readonly outputs: RelayOutputs
  readonly endings: LinkEndings
  /** Whether the operator's code decides who may join. */
  readonly isAuthorizing: boolean
  /** The address of the player in whose process the relay runs; `undefined` if nobody plays there. */
  readonly hostAddress: string | undefined
  /** The debug level that members are asked for; 0 for none. */
  readonly debugLevel: number
  /** The other transports that clients can use. */
  doors(): Doors
  /** Who may be a witness. */
  readonly witnesses: WitnessRule
  /** The time of the driver's clock. */
  driverMs(): number
  randomBytes(count: number): Uint8Array
  /** Rebuilds matches from what clients have; `undefined` if clients are given nothing to keep. */
  readonly recoveries: Recoveries | undefined
}
