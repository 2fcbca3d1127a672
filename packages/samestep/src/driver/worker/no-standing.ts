import { noCursors } from '../../client/events.ts'
import { nobody } from '../../client/status/blame.ts'
import type { Standing } from './worker-messages.ts'

/** Where a match stands before its worker said anything. */
export const outside: Standing = {
  status: 'connecting',
  seat: undefined,
  member: undefined,
  transport: undefined,
  cursors: noCursors,
  playState: { name: 'connecting' },
  blame: nobody,
  botSeats: [],
  debugLevel: 0,
  launch: 0,
}
