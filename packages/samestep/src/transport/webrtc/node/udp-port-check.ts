import { createSocket } from 'node:dgram'
import { UsageError } from '../../../base/errors.ts'
import type { NativePeerOptions } from './native-peer.ts'

/** Ports that doors of this process have had. The library lets go of them in a thread of its own. */
const ownPorts = new Set<number>()

/** How often, and how far apart, a port that was ours is looked at again: a second in all. */
const looks = 50
const lookEveryMs = 20

/**
 * Looks whether the UDP port is free, so that a mistake is noticed before players come. It is let go
 * again: the library opens it with its first peer, and closes it a moment after its last.
 */
export async function checkPort({ udpPort, bindAddress }: NativePeerOptions): Promise<void> {
  if (udpPort === undefined) return
  for (let left = ownPorts.has(udpPort) ? looks : 1; left > 0; left--) {
    const cause = await tryPort(udpPort, bindAddress)
    if (cause === undefined) break
    if (left === 1) {
      throw new UsageError(
        'SS_BAD_ARGUMENT',
        `Cannot open WebRTC: the UDP port ${udpPort} is taken or not allowed; it must be free`,
        { cause },
      )
    }
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  ownPorts.add(udpPort)
}

/** Why a port cannot be had; undefined when it can. */
async function tryPort(port: number, address: string | undefined): Promise<unknown> {
  const socket = createSocket(address?.includes(':') ? 'udp6' : 'udp4')
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.bind({ port, address, exclusive: true }, resolve)
    })
    return undefined
  } catch (cause) {
    return cause
  } finally {
    socket.close()
  }
}
