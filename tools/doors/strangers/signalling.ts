/** Strangers at the signalling of WebRTC. */
import type { Prng } from '../../../packages/samestep/src/base/prng.ts'
import { makeClientFrame } from '../../../packages/samestep/src/transport/testing/raw-websocket.ts'
import { encodeSignalling } from '../../../packages/samestep/src/transport/webrtc/signalling.ts'
import {
  chromiumOffer,
  firefoxOffer,
  nativeAnswer,
} from '../../../packages/samestep/src/transport/webrtc/testing/descriptions.ts'
import { RawSignalling } from '../../loopback/raw-signalling.ts'
import { closedWithin, wait, writeAll } from '../../loopback/sockets.ts'
import { mutated } from '../material.ts'
import { bytesOf, type Repertoire, type Scene } from '../stranger.ts'

const noProof = new Uint8Array(0)
const descriptions = [chromiumOffer, firefoxOffer, nativeAnswer]

async function withPipe(
  scene: Scene,
  act: (pipe: RawSignalling) => Promise<void> | void,
): Promise<void> {
  if (!scene.hasSignalling) return
  const pipe = await RawSignalling.open(scene.port, scene.address)
  if (pipe === undefined) return
  await act(pipe)
  await closedWithin(pipe.socket, scene.random.below(1_000))
  if (scene.random.chance(0.5)) pipe.socket.resetAndDestroy()
  else pipe.socket.destroy()
}

/** Lines that the native library reads. */
const fields = ['mid', 'ice-ufrag', 'ice-pwd', 'setup', 'fingerprint', 'sctp-port', 'group']

/** What stands in a line instead, or beside it: half of them are only too long. */
function oddLines(random: Prng, line: string): readonly string[] {
  const [name = '', value = ''] = line.split(/:(.*)/)
  if (random.chance(0.5)) {
    const bytes = random.below(random.pick([70, 300, 6_000]))
    return [`${name}:${random.chance(0.5) ? value : ''}${'y'.repeat(bytes)}`]
  }
  return random.pick([
    [],
    [line, line],
    [`${name}:`],
    [`${name}: %s%n ../ ${random.u32()}`],
    [line, 'a=candidate:1 1 UDP 2122317823 127.0.0.1 9 typ host'],
    [line, 'm=audio 9 UDP/TLS/RTP/SAVPF 111'],
  ])
}

/** A description of which a line is longer, doubled, missing, or says something else. */
function oddDescription(random: Prng): string {
  const lines = random.pick(descriptions).split('\r\n')
  const field = `a=${random.pick(fields)}:`
  const found = lines.findIndex((line) => line.startsWith(field))
  const at = found < 0 || random.chance(0.3) ? random.below(lines.length) : found
  lines.splice(at, 1, ...oddLines(random, lines[at]!))
  return lines.join('\r\n').slice(0, 8_000)
}

const offerOf = (sdp: string) => encodeSignalling({ type: 'offer', sdp, proof: noProof })

/** What strangers do with WebRTC signalling. */
export const signallingActs: Repertoire = {
  'signalling garbage': (scene) =>
    withPipe(scene, (pipe) => {
      for (let left = 1 + scene.random.below(10); left > 0; left--) {
        const bytes = bytesOf(scene.random, scene.random.below(400))
        bytes[0] = scene.random.below(7)
        pipe.send(bytes)
      }
    }),

  'mutated offer': (scene) =>
    withPipe(scene, (pipe) => {
      pipe.send(mutated(scene.random, offerOf(scene.random.pick(descriptions))))
    }),

  'odd offers': async (scene) => {
    for (let left = 1 + scene.random.below(3); left > 0; left--) {
      await withPipe(scene, (pipe) => pipe.send(offerOf(oddDescription(scene.random))))
    }
  },

  'offer and more': (scene) =>
    withPipe(scene, async (pipe) => {
      const { random } = scene
      pipe.send(offerOf(chromiumOffer))
      await wait(random.below(100))
      for (let left = random.below(80); left > 0; left--) {
        const candidate = `candidate:${left} 1 udp 1 127.0.0.1 ${random.below(65_536)} typ host`
        pipe.send(encodeSignalling({ type: 'candidate', candidate, mid: '0' }))
      }
      if (random.chance(0.5)) pipe.send(encodeSignalling({ type: 'done' }))
      if (random.chance(0.5)) pipe.send(offerOf(firefoxOffer))
    }),

  'signalling pings': (scene) =>
    withPipe(scene, async ({ socket }) => {
      socket.pause()
      const ping = makeClientFrame(9, bytesOf(scene.random, 125))
      const chunk = Buffer.concat(new Array<Buffer>(200).fill(ping))
      for (let left = scene.random.below(40); left > 0; left--) {
        const isTaken = await Promise.race([writeAll(socket, chunk), wait(500).then(() => false)])
        if (!isTaken) return
      }
    }),

  'signalling silence': (scene) =>
    withPipe(scene, async ({ socket }) => {
      await closedWithin(socket, scene.random.below(5_000))
    }),
}
