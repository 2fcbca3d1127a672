export type { LaneStats, LanesStats } from '../link/lane-stats.ts'
export type { Burst, PathConditions, PathPatch } from '../netem/conditions.ts'
export { parseConditions } from '../netem/conditions-text.ts'
export type { PathStats } from '../netem/path.ts'
export type { ConditionerOptions } from './conditioner/conditioner.ts'
export { Conditioner } from './conditioner/conditioner.ts'
export { ConnectError } from './connect-error.ts'
export type {
  Accept,
  Connection,
  ConnectionEnd,
  ConnectionHandler,
  Dial,
  Listener,
} from './connection.ts'
export type { Timing } from './timing.ts'
export type { DialBestOptions, DialWay, Fallback } from './webrtc/dial-best.ts'
export { dialBest } from './webrtc/dial-best.ts'
export type { DialWebrtcOptions } from './webrtc/dial-webrtc.ts'
export { dialWebrtc } from './webrtc/dial-webrtc.ts'
export type { IceOptions, IceServer } from './webrtc/peer.ts'
export { dialWebSocket } from './websocket-client.ts'
