import { expect, test } from 'vitest'
import { measureBundle } from './bundle-size.ts'
import { sizeLimits } from './size-limits.ts'

/** Of the built package: `npm test` builds it first. */

test.each(sizeLimits)('the first load of $title is within its limit', async (limit) => {
  const { first } = await measureBundle(limit.code)
  expect(first.gzipped).toBeLessThanOrEqual(limit.gzippedMax)
  // A limit far above what there is would let a mistake pass.
  expect(first.gzipped).toBeGreaterThan(limit.gzippedMax * 0.9)
})

test('a page that joins over WebSocket loads no relay, no datagrams, no guard and no trace', async () => {
  const { code } = sizeLimits.find(({ title }) => title === 'joinMatch')!
  const { modules, chunks } = await measureBundle(code)
  const names = [...modules.keys()]
  const unwanted =
    /^(relay|room|server|storm|check|netem|cli)\/|datagram-channel|\/webrtc\/|sim\/trace\/|game-guard|dmath\/trig|\/node\//
  expect(names.filter((name) => unwanted.test(name))).toEqual([])
  expect(chunks.map(({ name }) => name)).toContain('transport/webrtc/index')
})

test('a game that uses dmath carries it with its self-test', async () => {
  const { modules } = await measureBundle(
    "import { defineGame, dmath } from 'samestep'\nglobalThis.used = [defineGame, dmath.sin]",
  )
  expect([...modules.keys()]).toContain('sim/math/dmath.js')
  expect(modules.get('sim/math/dmath.js')).toBeGreaterThan(0)
})
