export type { Software } from '../wire/messages/software.ts'
export type { Authorize, JoinAdmittance, JoinDecision, JoinRequest } from './authorize.ts'
export { saveDebugFiles } from './debug-files.ts'
export type { LineNumbers } from './logs/line-numbers.ts'
export type { CreateMatchOptions } from './new-match.ts'
export type {
  LogLevel,
  MatchSummary,
  PlayerSummary,
  RelayCounters,
  RelayServer,
  RelayServerOptions,
  RelayStatus,
  RelayUrls,
  UdpPortOptions,
  WebrtcPortOptions,
  WorkerStatus,
} from './relay-server.ts'
export { startRelay } from './start-relay.ts'
export { checkTokens, type TokenCheck, type TokenOptions } from './tokens/check-tokens.ts'
export { type IssuedToken, issueToken, type TokenContent } from './tokens/issue-token.ts'
