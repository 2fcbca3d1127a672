export {
  type BroadcastDialOptions,
  type BroadcastListener,
  type BroadcastOptions,
  dialOnBus,
  listenOnBus,
} from './broadcast.ts'
export { type Bus, openBroadcastBus, openWebxdcBus, type RealtimeChannel } from './bus.ts'
