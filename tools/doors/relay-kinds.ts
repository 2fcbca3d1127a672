import { loadNativePeers } from '../../packages/samestep/src/transport/webrtc/node/index.ts'
import type { FarWay } from '../soak/ways.ts'

/** A relay to stand before, and how honest players reach it. */
export interface RelayKind {
  readonly name: string
  readonly flags: readonly string[]
  /** By seat, in turn. */
  readonly ways: readonly FarWay[]
}

/** With workers there is neither UDP nor WebRTC. */
export const workersKind: RelayKind = {
  name: '2 workers',
  flags: ['--workers', '2'],
  ways: ['websocket'],
}

/** Every door that one process can have; WebRTC where its package is installed. */
export async function makeSoloKind(): Promise<RelayKind> {
  const hasWebrtc = await loadNativePeers({ bindAddress: '127.0.0.1' }).then(
    () => true,
    () => false,
  )
  return {
    name: hasWebrtc ? 'one process, with WebRTC' : 'one process, without WebRTC',
    flags: ['--udp', '0', '--webrtc', hasWebrtc ? '0' : 'off'],
    ways: hasWebrtc ? ['websocket', 'udp', 'websocket', 'webrtc'] : ['websocket', 'udp'],
  }
}
