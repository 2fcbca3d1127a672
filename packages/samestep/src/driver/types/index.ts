export type { UsageErrorCode } from '../../base/errors.ts'
export type { DebugFile, DebugLevel, DebugOptions } from '../../client/debug/debug-level.ts'
export type { Cursors } from '../../client/events.ts'
export type {
  LagProtectionOptions,
  OrderOptions as OrderRuleOptions,
} from '../../client/membership/client-options.ts'
export type { VoteAction } from '../../client/membership/match-action.ts'
export type { Blame } from '../../client/status/blame.ts'
export type { PresenceChange } from '../../client/status/presence-changes.ts'
export type {
  ChatLine,
  MatchStats,
  RoomMember,
  SeatStats,
  VoteView,
} from '../../client/status/room-view.ts'
export type { ClientStatistics, LineStatistics } from '../../client/status/statistics.ts'
export type { DesyncVerdict } from '../../desync/index.ts'
export type { FixedField } from '../../sim/fixed.ts'
export type { ContentManifest } from '../../sim/game/definition/content.ts'
export type { System } from '../../sim/game/definition/context.ts'
export type { GameDefinition, ShapeOf, Verdict } from '../../sim/game/definition/definition.ts'
export type { Batch } from '../../sim/game/definition/schedule.ts'
export type { DerivedDeclaration } from '../../sim/game/derived/derived.ts'
export type { SleepList } from '../../sim/game/derived/sleep-list.ts'
export type { OrderData, OrderDeclaration, OrderRules } from '../../sim/game/orders/order.ts'
export type { LeaveReason } from '../../sim/game/run/bundle.ts'
export type { SimulationView } from '../../sim/game/run/simulation-view.ts'
export type { FixedVector } from '../../sim/math/fixed.ts'
export type { SyncedCosmetic } from '../../sim/random/index.ts'
export type {
  AnyField,
  BoolField,
  BytesField,
  Field,
  FloatField,
  IntField,
  Json,
  ListField,
  MapField,
  OneOfField,
  OptionalField,
  RecordOf,
  RefField,
  RetiredField,
  SetField,
  StructField,
  TextField,
} from '../../sim/schema/index.ts'
export type { CustomDeclaration, CustomLeaf, CustomOptions } from '../../sim/state/custom.ts'
export type { GridOptions } from '../../sim/state/grid.ts'
export type { PartDeclaration } from '../../sim/state/part.ts'
export type { DeepReadonly, PlainDeclaration } from '../../sim/state/plain.ts'
export type { BlendMode } from '../../sim/state/previous.ts'
export type { QueueDeclaration, WorkQueue } from '../../sim/state/queue.ts'
export type { SingleDeclaration, SingleView } from '../../sim/state/single.ts'
export type { TableDeclaration } from '../../sim/state/table.ts'
export type { TableReader, TableView } from '../../sim/state/table-rows.ts'
export type { Role } from '../../wire/codes.ts'
export type { DoorKind, Doors } from '../../wire/messages/doors.ts'
export type { LobbyConfig, MissingPolicy, PaceConfig } from '../../wire/messages/match-config.ts'
export type { MatchDebug } from '../debug/match-debug.ts'
export type { HeadlessEnd, HeadlessOptions } from '../headless/run-headless.ts'
export type { DialDoor } from '../machines/client-driver.ts'
export type { IssuedOrder, OrderOptions } from '../match/match.ts'
export type { AdvancedOptions } from '../online/join-options.ts'
export type { SessionStore } from '../online/session-store.ts'
