/** Strangers at the UDP port. */
import { keyBytes } from '../../../packages/samestep/src/transport/udp/limits.ts'
import { parseUdpUrl } from '../../../packages/samestep/src/transport/udp/udp-url.ts'
import { helloWith } from '../../attack/floods.ts'
import { host, wait } from '../../loopback/sockets.ts'
import { bindFrom, shakeHands } from '../../loopback/udp-stranger.ts'
import { mutated, nearMessage } from '../material.ts'
import { type Act, bytesOf, type Repertoire, type Scene } from '../stranger.ts'

/** Sends datagrams from a socket of its own, a few at a time. */
async function sendEach(scene: Scene, count: number, make: () => Uint8Array): Promise<void> {
  if (scene.udp === undefined) return
  const { port } = parseUdpUrl(scene.udp)
  const socket = await bindFrom(scene.address)
  for (let sent = 0; sent < count; sent++) {
    socket.send(make(), port, host, () => {})
    if (sent % 32 === 31) await wait(2)
  }
  await wait(20)
  socket.close()
}

/** Shakes hands to the end, says something, and goes. */
const shakeWhole: Act = async ({ random, udp, address, mayVanish }) => {
  if (udp === undefined) return
  const stranger = await shakeHands(udp, address)
  if (stranger === undefined) return
  for (let left = random.below(30); left > 0; left--) {
    stranger.send(random.chance(0.5) ? nearMessage(random).subarray(0, 1_200) : bytesOf(random, 40))
  }
  await wait(random.below(500))
  if (mayVanish && random.chance(0.5)) stranger.vanish()
  else stranger.close()
}

/** What strangers do at the UDP port. */
export const udpActs: Repertoire = {
  'udp garbage': (scene) =>
    sendEach(scene, 1 + scene.random.below(300), () =>
      bytesOf(scene.random, scene.random.below(scene.random.chance(0.1) ? 1_400 : 120)),
    ),

  'udp kinds': (scene) =>
    sendEach(scene, 1 + scene.random.below(300), () => {
      const bytes = bytesOf(scene.random, 1 + scene.random.below(300))
      bytes[0] = scene.random.pick([1, 2, 3, 4, 5, 0x80, 0xc0])
      bytes[1] = 1
      return bytes
    }),

  'udp hellos': (scene) =>
    sendEach(scene, 1 + scene.random.below(500), () => helloWith(bytesOf(scene.random, keyBytes))),

  'udp half handshakes': async ({ random, udp, address }) => {
    if (udp === undefined) return
    const tries = Array.from({ length: 1 + random.below(8) }, async () => {
      const stranger = await shakeHands(udp, address, { msMax: random.below(8) })
      stranger?.vanish()
    })
    await Promise.all(tries)
  },

  'udp mangled handshake': async ({ random, udp, address }) => {
    if (udp === undefined) return
    const mangle = (datagram: Uint8Array) =>
      random.chance(0.5) ? mutated(random, datagram) : datagram
    const stranger = await shakeHands(udp, address, { msMax: 1_000, mangle })
    stranger?.close()
  },

  'udp whole handshake': shakeWhole,
}
