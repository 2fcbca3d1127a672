/** Strangers at the WebSocket: frames that are none, too many, or never read. */
import type { Socket } from 'node:net'
import { makeClientFrame } from '../../../packages/samestep/src/transport/testing/raw-websocket.ts'
import { helloOf, joinOf } from '../../loopback/raw-member.ts'
import { closedWithin, connectFrom, wait, writeAll } from '../../loopback/sockets.ts'
import { upgradeRequest } from '../../loopback/upgrade.ts'
import { nearMessage } from '../material.ts'
import { bytesOf, type Repertoire, type Scene } from '../stranger.ts'

/** How long a stranger watches what becomes of what it sent. */
const watchMs = 1_500

/** Opens a WebSocket, acts on it, and is gone in one way or the other. */
async function withSocket(
  scene: Scene,
  act: (socket: Socket) => Promise<void> | void,
): Promise<void> {
  const { random, address, port } = scene
  const socket = await connectFrom(address, port)
  if (socket === undefined) return
  socket.resume()
  socket.write(upgradeRequest({ path: `/?match=stranger-${random.below(6)}` }))
  if (random.chance(0.7)) await wait(30)
  await act(socket)
  await closedWithin(socket, random.below(watchMs))
  if (random.chance(0.5)) socket.resetAndDestroy()
  else socket.destroy()
}

const frame = (opcode: number, payload: Uint8Array, isFinal = true) =>
  makeClientFrame(opcode, payload, isFinal)

/** Header lines that a careless reader takes for something. */
const oddLines = [
  'Upgrade: h2c',
  'Connection: keep-alive',
  'Sec-WebSocket-Version: 8',
  'Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99',
  'Origin: https://evil.example',
  'Origin: null',
  'X-Forwarded-For: 127.0.0.1',
  'Content-Length: 10',
  'Transfer-Encoding: chunked',
  'Expect: 100-continue',
  `X-Long: ${'x'.repeat(9_000)}`,
]

/** What strangers do with WebSocket frames. */
export const websocketActs: Repertoire = {
  'websocket garbage': (scene) =>
    withSocket(scene, async (socket) => {
      for (let left = 1 + scene.random.below(5); left > 0; left--) {
        socket.write(bytesOf(scene.random, 1 + scene.random.below(2_000)))
        await wait(scene.random.below(20))
      }
    }),

  'websocket odd frames': (scene) =>
    withSocket(scene, (socket) => {
      const { random } = scene
      for (let left = 1 + random.below(20); left > 0; left--) {
        const bytes = frame(
          random.below(16),
          bytesOf(random, random.below(200)),
          random.chance(0.8),
        )
        // Reserved bits, no mask, another length than follows.
        if (random.chance(0.2)) bytes[0]! |= 0x10 << random.below(3)
        if (random.chance(0.1)) bytes[1]! &= 0x7f
        if (random.chance(0.1)) bytes[1] = 0x80 | (125 + random.below(3))
        socket.write(bytes)
      }
    }),

  'websocket mutated messages': (scene) =>
    withSocket(scene, async (socket) => {
      const { random } = scene
      if (random.chance(0.8)) socket.write(frame(2, helloOf()))
      if (random.chance(0.6)) {
        const match = `stranger-${random.below(6)}`
        socket.write(frame(2, joinOf({ match, seats: 1 + random.below(3) })))
      }
      for (let left = 1 + random.below(60); left > 0; left--) {
        socket.write(frame(2, nearMessage(random)))
        if (random.chance(0.1)) await wait(random.below(40))
      }
    }),

  'websocket pings': (scene) =>
    withSocket(scene, async (socket) => {
      const ping = frame(9, bytesOf(scene.random, scene.random.below(126)))
      const chunk = Buffer.concat(new Array<Buffer>(1 + scene.random.below(200)).fill(ping))
      for (let left = scene.random.below(40); left > 0; left--) {
        if (!(await writeAll(socket, chunk))) return
      }
    }),

  'websocket fragments': (scene) =>
    withSocket(scene, (socket) => {
      const { random } = scene
      socket.write(frame(2, bytesOf(random, 3), false))
      for (let left = random.below(200); left > 0; left--) {
        socket.write(frame(random.chance(0.1) ? 9 : 0, bytesOf(random, random.below(4)), false))
      }
    }),

  'websocket oversize': (scene) =>
    withSocket(scene, async (socket) => {
      await writeAll(socket, frame(2, new Uint8Array(60_000 + scene.random.below(400_000))))
    }),

  'websocket close codes': (scene) =>
    withSocket(scene, (socket) => {
      const { random } = scene
      const code = random.pick([0, 999, 1_000, 1_005, 1_006, 1_015, 4_001, 4_016, 65_535])
      const payload = Buffer.concat([Buffer.of(code >> 8, code & 255), bytesOf(random, 3)])
      socket.write(frame(8, payload.subarray(0, random.below(6))))
      socket.write(frame(2, nearMessage(random)))
    }),

  'websocket silence': (scene) =>
    withSocket(scene, async (socket) => {
      await closedWithin(socket, 1_000 + scene.random.below(6_000))
    }),

  'half an upgrade': async ({ random, address, port }) => {
    const socket = await connectFrom(address, port)
    if (socket === undefined) return
    const request = upgradeRequest()
    socket.write(request.slice(0, random.below(request.length)))
    await closedWithin(socket, random.below(3_000))
    if (random.chance(0.5)) socket.end()
    else socket.resetAndDestroy()
    await closedWithin(socket, 500)
    socket.destroy()
  },

  'odd upgrade': async ({ random, address, port }) => {
    const socket = await connectFrom(address, port)
    if (socket === undefined) return
    socket.resume()
    const lines = Array.from({ length: 1 + random.below(70) }, () => random.pick(oddLines))
    const path = random.pick(['/', '/rtc', '/nope', '/?match=%00', '/?match=a&match=b', '*', '//'])
    socket.write(upgradeRequest({ path, lines }))
    await closedWithin(socket, random.below(500))
    socket.destroy()
  },
}
