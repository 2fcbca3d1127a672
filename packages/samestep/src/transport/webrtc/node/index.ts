export { AbsentRtc } from './absent-rtc.ts'
export { loadNativePeers, type NativePeerOptions } from './native-peer.ts'
export { openRtcDoor, type RtcDoor, type RtcDoorOptions } from './rtc-signalling.ts'
