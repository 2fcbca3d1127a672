import { expect, test } from 'vitest'
import { Prng } from '../../base/prng.ts'
import { bothPaths } from '../testing/both-paths.ts'
import { Door } from '../testing/door.ts'
import { makeClientFrame } from '../testing/raw-websocket.ts'
import { until } from '../testing/recorder.ts'

/** Strangers per seed. Each sends a few kilobytes of nonsense in pieces. */
const strangers = 60

/** Bytes that are sometimes nearly a frame: pure noise dies at its first byte. */
function makeNonsense(prng: Prng): Buffer {
  const payload = Uint8Array.from({ length: prng.below(300) }, () => prng.below(256))
  const frame = makeClientFrame(prng.below(16), payload, prng.chance(0.7))
  const flips = prng.below(3)
  for (let flip = 0; flip < flips; flip++)
    frame[prng.below(Math.min(14, frame.length))] = prng.below(256)
  return prng.chance(0.2) ? frame.subarray(0, prng.below(frame.length)) : frame
}

const trials = [1, 2, 3].flatMap((seed) => bothPaths.map((each) => ({ ...each, seed })))

test.each(trials)(
  'T-00: whatever strangers send, nothing throws and an honest peer notices nothing ($path, seed $seed)',
  async ({ turbo, seed }) => {
    const prng = new Prng(seed, 'hostile')
    const door = await Door.open({ strangersPerAddress: 1_000, requestMsMax: 500, turbo })
    const honest = await door.enter()
    for (let number = 0; number < strangers; number++) {
      const client = door.knock()
      if (prng.chance(0.8)) await client.upgrade().answered()
      const pieces = 1 + prng.below(12)
      for (let piece = 0; piece < pieces; piece++) client.socket.write(makeNonsense(prng))
      if (prng.chance(0.3)) client.socket.resetAndDestroy()
      else if (prng.chance(0.5)) client.socket.end()
      honest.client.write(2, Uint8Array.of(7, number))
      honest.connection.send(Uint8Array.of(8, number))
    }
    await until(() => honest.inside.packets.length === strangers, 'all honest packets')
    await until(() => honest.client.frames.length === strangers, 'all answers')
    expect(honest.inside.packets.map(([, number]) => number)).toEqual(
      Array.from({ length: strangers }, (_, number) => number),
    )
    expect(honest.inside.ends).toEqual([])
    await door.close()
    await until(() => door.recorders.every(({ ends }) => ends.length === 1), 'the end of everybody')
    expect(door.recorders.every(({ violations }) => violations === 0)).toBe(true)
  },
)
