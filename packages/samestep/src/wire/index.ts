export {
  type CloseReason,
  closeCodes,
  closeReasons,
  type OrderRefusal,
  orderRefusals,
} from './codes.ts'
export {
  decodeMessage,
  encodeMessage,
  helloMagic,
  type MatchConfig,
  type Message,
  type MessageBody,
  type MessageName,
  type MissingPolicy,
  matchConfig,
  messageBytesMax,
  messageTypes,
  protocols,
} from './messages/messages.ts'
export { type RenderContext, type Rendered, renderMessage } from './render.ts'
export { BundleCodec, type BundleContent, type BundleOrder } from './ticks/bundle-codec.ts'
export {
  type ClientTurn,
  expand16,
  isClientTurn,
  readClientTurn,
  readTurnHead,
  type TurnContext,
  type TurnHead,
  turnSlotsMax,
  writeClientTurn,
} from './ticks/client-turn.ts'
export { type InputLayout, InputMapping, type InputSlot } from './ticks/input-layout.ts'
export {
  type BundlePart,
  isRelayBundles,
  type ReceivedBundles,
  type RelayControl,
  readRelayBundles,
  refusalsPerControlMax,
  writeBundlePart,
  writeRelayBundles,
} from './ticks/relay-bundles.ts'
export { SlotDelta, slotDeltaBitsMax } from './ticks/slot-delta.ts'
export { expandTick, isWithinWindow, truncateTick } from './ticks/tick-window.ts'
export { lagTicksMax, type TurnHash } from './ticks/turn-hash.ts'
