import { bool, bytes, optional, range, struct } from '../../sim/schema/index.ts'

/** Ways to a relay that lose packets instead of holding up those behind them. */
export const doorKinds = ['udp', 'webrtc'] as const

/** One of {@link doorKinds}. */
export type DoorKind = (typeof doorKinds)[number]

/** Bytes of the public key by which a relay is known over UDP. */
export const doorKeyBytes = 32

/** The port of UDP on the same machine, and the relay's public key there. */
export const udpDoor = struct({ port: range(1, 65_535), key: bytes(doorKeyBytes) })

/**
 * Which doors a relay has besides the one that somebody came in by. They are told to whoever is in, over
 * a link that has proved who the relay is: a key that comes over TLS is as good as the certificate.
 */
export const doorFields = struct({
  udp: optional(udpDoor),
  /** Whether the same address takes WebRTC. */
  webrtc: bool,
})

/** Which doors a relay has. */
export interface Doors {
  readonly udp: { readonly port: number; readonly key: Uint8Array } | undefined
  readonly webrtc: boolean
}

/** A relay with one door. */
export const noDoors: Doors = { udp: undefined, webrtc: false }

/** Whether a relay has a door of that kind, which can be used. */
export function hasDoor({ udp, webrtc }: Doors, kind: DoorKind): boolean {
  return kind === 'webrtc' ? webrtc : udp?.key.byteLength === doorKeyBytes
}
