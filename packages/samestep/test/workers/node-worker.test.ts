import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { joinMatch } from '../../src/driver/online/join-match.ts'
import { joinMatchInWorker } from '../../src/driver/worker/join-match-in-worker.ts'
import type { RelayServer } from '../../src/server/relay-server.ts'
import { startRelay } from '../../src/server/start-relay.ts'
import { saveSnapshot } from '../../src/sim/game/copies/snapshots.ts'
import { Bundle } from './bundle.ts'
import { runners } from './game.ts'

let bundle: Bundle
let relay: RelayServer

beforeAll(async () => {
  bundle = await Bundle.make()
  relay = await startRelay({ port: 0, log: false })
})

afterAll(async () => {
  await relay.close()
  bundle.remove()
})

const openWorker = (name = 'node-worker') => new Worker(join(bundle.folder, `${name}.mjs`))

test('two players over real threads and sockets, one in a worker, compute the same', async () => {
  const worker = openWorker()
  const options = { url: relay.url, match: 'threads', seats: 2 }
  const [inWorker, direct] = await Promise.all([
    joinMatchInWorker(runners, { ...options, worker, name: 'Ada' }),
    joinMatch(runners, { ...options, name: 'Bo' }),
  ])
  inWorker.input({ dx: 1 })
  const ends = []
  for (let count = 0; count < 8; count++) {
    ends.push(await inWorker.order('jump', {}).settled, await direct.order('jump', {}).settled)
  }
  expect(new Set(ends.map(({ result }) => result))).toEqual(new Set(['executed']))
  const own = inWorker.seat ?? 0
  expect(inWorker.simulation.view.runners.jumps[own]).toBe(8)
  // The newest tick that both have is the same for both.
  const tick = Math.min(inWorker.simulation.matchTick, direct.simulation.matchTick)
  for (let at = 0; at <= tick; at++) {
    expect(inWorker.simulation.syncHashAt(at)).toBe(direct.simulation.syncHashAt(at))
  }
  expect(saveSnapshot(inWorker.simulation).length).toBeGreaterThan(0)
  inWorker.close()
  const leave = new Promise<void>((resolve) => {
    direct.on('room', ({ members }) => {
      if (members.some(({ presence }) => presence === 'gone') || members.length < 2) resolve()
    })
  })
  await leave
  direct.close()
  await worker.terminate()
})

test('a worker that is ended ends its match, and no order waits for ever', async () => {
  const worker = openWorker()
  const match = await joinMatchInWorker(runners, {
    url: relay.url,
    match: 'ended',
    seats: 1,
    worker,
  })
  const closed = new Promise<string>((resolve) => {
    match.on('closed', ({ reason }) => resolve(reason))
  })
  const handle = match.order('jump', {})
  await worker.terminate()
  expect(await closed).toBe('worker-lost')
  expect(['lost', 'executed']).toContain((await handle.settled).result)
})

test('a worker that throws before it serves is told of', async () => {
  const worker = openWorker('broken-worker')
  const joining = joinMatchInWorker(runners, { url: relay.url, match: 'broken', worker })
  await expect(joining).rejects.toMatchObject({ reason: 'worker-lost' })
  await expect(joining).rejects.toThrow(/broken on purpose/)
})
