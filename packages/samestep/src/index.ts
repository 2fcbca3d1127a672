export { UsageError } from './base/errors.ts'
export type { Preset } from './client/membership/client-options.ts'
export type { MatchAction } from './client/membership/match-action.ts'
export type { OrderEnd } from './client/outbox/order-outbox.ts'
export type { ClientStatus } from './client/status/client-status.ts'
export type { PlayState } from './client/status/play-state.ts'
export type { Presence } from './client/status/presence-changes.ts'
export type { RoomView } from './client/status/room-view.ts'
export type { DesyncReport } from './desync/index.ts'
export { runHeadless } from './driver/headless/run-headless.ts'
export type { LocalMatch, LocalOptions } from './driver/local/play-local.ts'
export { playLocal } from './driver/local/play-local.ts'
export type { MatchFault } from './driver/match/fault-log.ts'
export type {
  Match,
  MatchEndReason,
  MatchEvents,
  OrderEvent,
  OrderHandle,
  Picture,
} from './driver/match/match.ts'
export type { JoinProgress } from './driver/online/await-seat.ts'
export type { JoinFailure } from './driver/online/join-error.ts'
export { JoinError } from './driver/online/join-error.ts'
export { joinMatch } from './driver/online/join-match.ts'
export type { JoinOptions } from './driver/online/join-options.ts'
export { fixed } from './sim/fixed.ts'
export { foldContent, hashContent } from './sim/game/definition/content.ts'
export type {
  ApplyContext,
  GameInput,
  GameOptions,
  GameOrder,
  GameShape,
  GameState,
  SetupContext,
  StepContext,
  ValidateContext,
} from './sim/game/definition/context.ts'
export { system } from './sim/game/definition/context.ts'
export type { Game } from './sim/game/definition/define-game.ts'
export { defineGame } from './sim/game/definition/define-game.ts'
export { batch, isDue, isTurnOf, runBatch } from './sim/game/definition/schedule.ts'
export { derived } from './sim/game/derived/derived.ts'
export { sleepList } from './sim/game/derived/sleep-list.ts'
export { order } from './sim/game/orders/order.ts'
export type { SystemEvent } from './sim/game/run/bundle.ts'
export { relaySeat, spectatorOf, spectatorSeat } from './sim/game/run/bundle.ts'
export { dmath } from './sim/math/dmath.ts'
export { CosmeticRandom, Random, syncedCosmetic } from './sim/random/index.ts'
export type { ValueOf } from './sim/schema/index.ts'
export {
  bool,
  bytes,
  f32,
  f64,
  i8,
  i16,
  i32,
  list,
  map,
  oneOf,
  optional,
  range,
  ref,
  seat,
  set,
  struct,
  text,
  u8,
  u16,
  u32,
} from './sim/schema/index.ts'
export { custom } from './sim/state/custom.ts'
export { SpatialGrid } from './sim/state/grid.ts'
export { plain } from './sim/state/plain.ts'
export { lerp, lerpAngle } from './sim/state/previous.ts'
export { queue } from './sim/state/queue.ts'
export type { Single } from './sim/state/single.ts'
export { single } from './sim/state/single.ts'
export { table } from './sim/state/table.ts'
export type { Table } from './sim/state/table-rows.ts'
export type { JoinStage } from './wire/codes.ts'
export { isComing } from './wire/codes.ts'
export type { RoomAction } from './wire/messages/room-actions.ts'
