export {
  type BroadcastDialOptions,
  type BroadcastListener,
  type BroadcastOptions,
  type Bus,
  dialOnBus,
  listenOnBus,
  openBroadcastBus,
  openWebxdcBus,
  type RealtimeChannel,
} from '../../transport/broadcast/index.ts'
export { type BusRelay, startBusRelay } from './bus-relay.ts'
