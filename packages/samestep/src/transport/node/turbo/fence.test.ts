import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { bothPaths } from '../../testing/both-paths.ts'
import { RawClient } from '../../testing/raw-websocket.ts'
import { until } from '../../testing/recorder.ts'
import { isTestedNode } from './tested-nodes.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
  vi.restoreAllMocks()
})

/** What a stranger's packet and our answer did to the process and to the accepted socket. */
async function lookInside(turbo: boolean) {
  // Modules of its own, as in a process that has just begun.
  vi.resetModules()
  const binding = vi.spyOn(process as unknown as { binding(): void }, 'binding')
  const { makeGuardedServer } = await import('../http-server.ts')
  const { listenWebSocket } = await import('../websocket-server.ts')
  const server: Server = makeGuardedServer()
  closing.push(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  let heard = 0
  const listener = await listenWebSocket(
    (connection) => {
      connection.open({ handlePacket: () => heard++, handleClosed: () => {} })
      connection.send(Uint8Array.of(1))
    },
    { server, turbo },
  )
  const accepting = once(server, 'connection') as Promise<[Socket & { _handle: unknown }]>
  const client = new RawClient(Number(new URL(listener.url).port)).upgrade()
  closing.push(() => client.destroy())
  const [socket] = await accepting
  await client.answered()
  client.write(2, Uint8Array.of(2))
  await until(() => heard === 1 && client.frames.length === 1, 'both packets')
  return {
    asksNode: binding.mock.calls.length > 0,
    movesHandle: socket._handle === null,
    // What `ws` listens with carries its name; ours has none.
    replacesListeners: !socket.listeners('data').some(({ name }) => name === 'socketOnData'),
  }
}

test.each(bothPaths)("$path: whether Node's and ws's insides are touched", async ({ turbo }) => {
  const touched = { asksNode: turbo, movesHandle: turbo, replacesListeners: turbo }
  expect(await lookInside(turbo)).toEqual(touched)
})

test("only this folder knows Node's insides, and what hands sockets to workers", () => {
  const source = join(import.meta.dirname, '..', '..', '..')
  const insides = /\b_handle\b|\bprocess\.binding\b|\bbinding\.call\b|\bAtomics\.wait\b|\._read\b/
  const knowing = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|(?:^|\/)testing\//.test(path))
    .filter((path) => insides.test(readFileSync(join(source, path), 'utf8')))
  const outside = knowing.filter((path) => !path.startsWith('transport/node/turbo/'))
  // The lock of a folder waits once, before a relay has a single link.
  expect(outside).toEqual(['server/journal/folder-lock.ts', 'transport/node/hold-reads.ts'])
  expect(knowing.length).toBeGreaterThan(outside.length)
})

test('it is on by itself on tested versions of Node, and on no other', () => {
  for (const version of ['20.19.0', '22.11.0', '24.0.1']) expect(isTestedNode(version)).toBe(true)
  for (const version of ['18.20.0', '21.0.0', '23.1.0', '25.0.0', '26.0.0-nightly', '2.0.0', '']) {
    expect(isTestedNode(version)).toBe(false)
  }
})
