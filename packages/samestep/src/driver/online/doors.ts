import type { Connection, Dial } from '../../transport/connection.ts'
import type { IceServer } from '../../transport/webrtc/peer.ts'
import type { DoorKind } from '../../wire/messages/doors.ts'
import type { DialDoor } from '../machines/client-driver.ts'

/** The better doors that this platform can dial, best first: none where it has neither. */
export function usableDoors(): readonly DoorKind[] {
  // Node has no WebRTC of its own; a browser's worker mostly has not either.
  if (typeof RTCPeerConnection === 'function') return ['webrtc']
  return isNode() ? ['udp'] : []
}

/**
 * Dials the better doors of the relay at this address. What each of them needs is loaded when the relay
 * says that it has one.
 */
export function dialDoorsOf(address: string, iceServers: readonly IceServer[] = []): DialDoor {
  return async (door, { udp }, signal) => {
    if (door === 'webrtc') {
      const { dialWebrtc } = await import('../../transport/webrtc/index.ts')
      return dialWebrtc(address, { iceServers })(signal)
    }
    if (udp === undefined) throw new Error('The relay told of no UDP port')
    const { dialUdp } = (await import(/* @vite-ignore */ /* webpackIgnore: true */ udpModule)) as {
      dialUdp(url: string): Dial
    }
    const { hostname } = new URL(address)
    return dialUdp(`udp://${hostname}:${udp.port}/#key=${base64Url(udp.key)}`)(signal)
  }
}

/** Puts something between, as a conditioner does. */
export function wrapDoors(dialDoor: DialDoor, wrap: (dial: Dial) => Dial): DialDoor {
  return (door, doors, signal): Promise<Connection> =>
    wrap((inner) => dialDoor(door, doors, inner ?? signal))(signal)
}

/** Named like that, no bundler for pages follows it: a page cannot speak UDP. */
const udpModule = 'samestep/udp'

function isNode(): boolean {
  const { process } = globalThis as {
    process?: { readonly versions?: { readonly node?: string } }
  }
  return process?.versions?.node !== undefined
}

function base64Url(bytes: Uint8Array): string {
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
