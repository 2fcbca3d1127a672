export type {
  LogLevel,
  MatchSummary,
  PlayerSummary,
  PortOptions,
  RelayCounters,
  RelayServer,
  RelayServerOptions,
  RelayStatus,
  RelayUrls,
  UdpPortOptions,
  WorkerStatus,
} from './relay-server.ts'
export { startRelay } from './start-relay.ts'
