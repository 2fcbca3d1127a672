import fc from 'fast-check'
import type { RoomAction, RoomActionType } from '../messages/room-actions.ts'
import { scopeWords, voteWords } from '../messages/room-actions.ts'
import { bytesUpTo, lateJoins, record, texts, u32, visibilities } from './field-arbitraries.ts'

type ActionArbitraries = {
  readonly [T in RoomActionType]: fc.Arbitrary<Omit<Extract<RoomAction, { type: T }>, 'type'>>
}

const actionParts: ActionArbitraries = {
  'take-seat': record({ seat: u32 }),
  'leave-seat': record({}),
  'choose-team': record({ team: u32 }),
  'set-ready': record({ isReady: fc.boolean(), optionsRevision: u32 }),
  'report-load': record({ progress: u32 }),
  'set-options': record({ options: bytesUpTo(100) }),
  'lock-seat': record({ seat: u32, isLocked: fc.boolean() }),
  kick: record({ member: u32 }),
  'give-ownership': record({ member: u32 }),
  'set-visibility': record({ visibility: visibilities }),
  'set-late-join': record({ lateJoin: lateJoins }),
  start: record({}),
  cancel: record({}),
  say: record({ scope: fc.constantFrom(...scopeWords), text: texts(200) }),
  mute: record({ member: u32, isMuted: fc.boolean() }),
  pause: record({}),
  resume: record({}),
  'set-speed': record({ percent: u32 }),
  propose: record({ vote: fc.constantFrom(...voteWords), target: u32, percent: u32 }),
  cast: record({ id: u32, isYes: fc.boolean() }),
  'add-bot': record({ seat: u32 }),
  'remove-bot': record({ seat: u32 }),
  'hand-over': record({ seat: u32, member: u32 }),
  'reclaim-seat': record({}),
}

/** The names of all actions, by another list than the one under test. */
export const actionNames = Object.keys(actionParts) as RoomActionType[]

/** An action of this name. */
export function actionOf(type: RoomActionType): fc.Arbitrary<RoomAction> {
  const parts = actionParts[type] as fc.Arbitrary<object>
  return parts.map((it) => ({ type, ...it }) as RoomAction)
}
