export { BundleCodec, type BundleContent, type BundleOrder } from './bundle-codec.ts'
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
} from './client-turn.ts'
export {
  type CloseReason,
  closeCodes,
  closeReasons,
  type OrderRefusal,
  orderRefusals,
} from './codes.ts'
export { type InputLayout, InputMapping, type InputSlot } from './input-layout.ts'
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
} from './messages.ts'
export {
  type BundlePart,
  isRelayBundles,
  type ReceivedBundles,
  type RelayControl,
  readRelayBundles,
  refusalsPerControlMax,
  writeBundlePart,
  writeRelayBundles,
} from './relay-bundles.ts'
export { type RenderContext, type Rendered, renderMessage } from './render.ts'
export { SlotDelta, slotDeltaBitsMax } from './slot-delta.ts'
export { expandTick, isWithinWindow, truncateTick } from './tick-window.ts'
export { lagTicksMax, type TurnHash } from './turn-hash.ts'
